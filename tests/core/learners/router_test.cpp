#include <gtest/gtest.h>

#include <cmath>

#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/fearnet.hpp"
#include "support/blobs.hpp"

namespace fearnet {
namespace {

constexpr RouterKind kDetectors[] = {RouterKind::isolation_forest, RouterKind::elliptic_envelope,
                                     RouterKind::one_class_svm};

class Routers : public testing::Test {
  protected:
    void SetUp() override {
        options_.network.hidden = {32, 16};
        options_.training.batch = 32;
        options_.training.base_epochs = 80;
        options_.training.min_steps = 0;
        options_.amygdala.nu = 0.1;
        cortex_.fit(test::blobs(0, 5, 40, 24, 1), options_, Rng(1), {});
        recent_.store(test::blobs(5, 2, 60, 24, 2));
    }
    Amygdala fitted() const {
        Amygdala router;
        router.fit(recent_, cortex_, options_, Rng(3), {});
        return router;
    }
    std::vector<double> ask(const Amygdala& router, const Examples& e) const {
        Matrix codes;
        cortex_.encode(e.x, codes);
        return router.recent_probability(router.sees_codes() ? MatrixView(codes) : e.x.view());
    }
    static double mean(const std::vector<double>& v) {
        double sum = 0;
        for (const double x : v) sum += x / static_cast<double>(v.size());
        return sum;
    }

    FearNetOptions options_;
    PrefrontalCortex cortex_;
    Hippocampus recent_;
    Examples fresh_ = test::blobs(5, 2, 30, 24, 10), old_ = test::blobs(0, 5, 12, 24, 11);
};

TEST_F(Routers, every_detector_tells_recent_from_old_on_features_and_codes) {
    for (const RouterKind kind : kDetectors)
        for (const RouterInput input : {RouterInput::features, RouterInput::codes})
            for (const bool rejection : {true, false}) {
                options_.amygdala.kind = kind;
                options_.amygdala.input = input;
                options_.amygdala.rejection = rejection;
                const Amygdala router = fitted();
                EXPECT_GT(mean(ask(router, fresh_)), mean(ask(router, old_)) + 0.4)
                    << static_cast<int>(kind) << (input == RouterInput::codes ? " codes" : " features")
                    << (rejection ? " rejection" : " score");
            }
}

TEST_F(Routers, a_rejection_is_all_or_nothing_and_a_score_is_not) {
    for (const RouterKind kind : kDetectors) {
        options_.amygdala.kind = kind;
        options_.amygdala.rejection = true;
        for (const double a : ask(fitted(), old_)) EXPECT_TRUE(a == 0 || a == 1) << a;
        options_.amygdala.rejection = false;
        int between = 0;
        for (const double a : ask(fitted(), fresh_)) between += a > 0 && a < 1;
        EXPECT_GT(between, 30) << static_cast<int>(kind);
    }
}

TEST_F(Routers, the_offset_of_a_score_follows_the_weight_of_recent_rows) {
    // Blobs that overlap, so that the offset matters.
    recent_.clear();
    recent_.store(test::blobs(5, 2, 60, 24, 2, 1.0));
    for (const RouterKind kind : kDetectors) {
        options_.amygdala.kind = kind;
        options_.amygdala.rejection = false;
        options_.amygdala.recent_weight = 0.95;
        const double eager = mean(ask(fitted(), old_)) + mean(ask(fitted(), fresh_));
        options_.amygdala.recent_weight = 0.05;
        const double shy = mean(ask(fitted(), old_)) + mean(ask(fitted(), fresh_));
        EXPECT_GT(eager, shy) << static_cast<int>(kind);
    }
}

TEST_F(Routers, come_back_from_their_state_and_are_refused_for_rows_of_another_width) {
    for (const RouterKind kind : {RouterKind::mlp, RouterKind::isolation_forest,
                                  RouterKind::elliptic_envelope, RouterKind::one_class_svm}) {
        options_.amygdala.kind = kind;
        options_.amygdala.rejection = false;
        const Amygdala router = fitted();
        State state;
        router.save(state);
        const Amygdala copy = Amygdala::load(state, cortex_, options_);
        EXPECT_EQ(ask(copy, old_), ask(router, old_)) << static_cast<int>(kind);
        EXPECT_EQ(copy.bytes(), router.bytes());
        EXPECT_GT(copy.bytes(), 0u);
        state.set("amygdala.trained", std::vector<std::int64_t>{1, 0});  // features, it now says
        EXPECT_THROW(Amygdala::load(state, cortex_, options_), Error) << static_cast<int>(kind);
    }
}

TEST_F(Routers, an_envelope_that_cannot_be_fitted_leaves_the_learner_as_it_was) {
    options_.amygdala.kind = RouterKind::elliptic_envelope;
    options_.amygdala.shrinkage = 0;
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, 24, 1));
    try {
        learner.learn(test::blobs(5, 1, 8, 24, 2));  // 8 rows, codes of 16
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("amygdala.shrinkage"), std::string::npos) << e.what();
    }
    EXPECT_EQ(learner.classes().size(), 5u);
    EXPECT_EQ(learner.memory().at("examples"), 0u);
    learner.learn(test::blobs(5, 1, 200, 24, 2));
    EXPECT_EQ(learner.classes().size(), 6u);
}

}  // namespace
}  // namespace fearnet
