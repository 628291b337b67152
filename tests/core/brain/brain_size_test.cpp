// What a brain of real size writes, and how large its file is.
#include <gtest/gtest.h>

#include "support/brains.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPage = 8192, kWidth = 512, kRows = 120;

class BrainSize : public testing::Test {
  protected:
    Brain made(const std::string& learner) {
        BrainOptions options;
        options.learner.learner = learner;
        // Chosen in the base session otherwise, which takes long and is not what is tested.
        if (learner == "fearnet-plus")
            options.learner.settings = {{"features.transform", "none"}, {"readout.ridge", "1"}};
        if (learner == "fearnet")
            options.learner.settings = {{"training.base_epochs", "1"},
                                        {"training.min_steps", "0"},
                                        {"amygdala.epochs", "1"},
                                        {"amygdala.min_steps", "0"}};
        Brain brain(file_, create_new(options));
        const Examples base = test::blobs(0, 40, 12, kWidth, 1);
        brain.learn(base.x, test::names_of(base));
        return brain;
    }
    void teach(Brain& brain, std::int32_t id) {
        const Examples one = test::blobs(id, 1, kRows, kWidth, 2 + static_cast<std::uint64_t>(id));
        brain.learn(one.x, test::names_of(one));
    }
    // Bytes of the pages that differ.
    static std::size_t written(const std::string& before, const std::string& after) {
        std::size_t pages = 0;
        for (std::size_t at = 0; at < after.size(); at += kPage)
            pages += after.substr(at, kPage) != before.substr(std::min(at, before.size()), kPage);
        return pages * kPage;
    }
    const test::Folder folder_;
    const std::filesystem::path file_ = folder_ / "a.brain";
};

TEST_F(BrainSize, teaching_a_class_writes_its_rows_and_the_statistics_that_changed) {
    Brain brain = made("fearnet-plus");
    for (const std::int32_t id : {40, 41, 42}) teach(brain, id);
    const State old = brain.learner().save();
    const std::string before = test::read_bytes(file_);
    teach(brain, 43);
    const State now = brain.learner().save();
    std::size_t changed = 0;  // in the order of the classes, so that a class more changes no other's part
    for (const auto& [key, array] : now.arrays) {
        if (array.kind == ArrayKind::examples) continue;
        std::visit(
            [&, &key = key](const auto& values) {  // clang 14 cannot capture structured bindings by [&]
                using Values = std::decay_t<decltype(values)>;
                const Values& other = old.values<Values>(key);
                const std::size_t same =
                    static_cast<std::size_t>(std::mismatch(other.data(), other.data() + other.size(),
                                                           values.data(), values.data() + values.size())
                                                 .first -
                                             other.data());
                changed += (values.size() - same) * sizeof(values.data()[0]);
            },
            array.values);
    }
    const std::size_t rows = kRows * (kWidth * sizeof(float) + sizeof(std::int64_t));
    EXPECT_LE(written(before, test::read_bytes(file_)), rows + changed * 12 / 10 + 20 * kPage)
        << rows << " bytes of rows, " << changed << " of statistics";
}

TEST_F(BrainSize, the_file_is_hardly_larger_than_what_the_learner_keeps) {
    for (const char* learner : {"fearnet-plus", "fearnet", "streaming-lda"}) {
        std::filesystem::remove(file_);
        Brain brain = made(learner);
        for (const std::int32_t id : {40, 41, 42}) teach(brain, id);
        const BrainInfo info = brain.info();
        std::size_t memory = 0;
        for (const auto& [kind, bytes] : info.memory) memory += bytes;
        EXPECT_LE(static_cast<double>(info.file_bytes), 1.15 * static_cast<double>(memory)) << learner;
    }
}

}  // namespace
}  // namespace fearnet
