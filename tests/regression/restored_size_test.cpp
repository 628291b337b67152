// Found by fuzz_state: a state that announced rows of 2^61 features made restore_learner throw
// std::bad_alloc, as RanPAC makes its projection again from a seed before anything else is checked.
#include <gtest/gtest.h>

#include "fearnet/registry.hpp"
#include "support/blobs.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

TEST(RestoredSize, a_width_that_no_memory_holds_is_an_error) {
    const std::vector<LearnerSpec> specs = {
        {"ranpac", "", {{"ranpac.size", "3"}}, 1},
        {"fourier-lda", "", {{"fourier.size", "3"}}, 1},
        {"anacp", "", {{"anacp.size", "3"}}, 1},
        {"lr-rgda", "", {}, 1},
        {"fel", "", {{"fel.hidden", "4"}, {"fel.max_classes", "3"}, {"fel.connections", "2"}}, 1},
        {"nearest-mean", "", {}, 1}};
    for (const LearnerSpec& spec : specs) {
        const auto learner = make_learner(spec);
        learner->learn(test::blobs(0, 2, 5, 4, 1));
        for (const int bits : {25, 40, 61}) {
            State state = learner->save();
            state.values<std::vector<std::int64_t>>("seed").at(2) = std::int64_t{1} << bits;
            test::expect_error([&] { restore_learner(state); }, {"State: ", "features"});
        }
    }
}

TEST(RestoredSize, a_projection_larger_than_the_statistics_is_an_error_before_it_is_made) {
    const auto learner = make_learner({"ranpac", "", {{"ranpac.size", "3"}}, 1});
    learner->learn(test::blobs(0, 2, 5, 4, 1));
    State state = learner->save();
    state.set("option.ranpac.size", std::string("50000"));
    state.values<std::vector<std::int64_t>>("seed").at(2) = std::int64_t{1} << 24;
    test::expect_error([&] { restore_learner(state); }, {"State: "});
}

}  // namespace
}  // namespace fearnet
