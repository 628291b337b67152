// What every learner must do, run against each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <set>
#include <thread>

#include "fearnet/registry.hpp"
#include "fearnet/threads.hpp"
#include "support/blobs.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kWidth = 24;

struct Subject {
    std::string label;
    LearnerSpec spec;
    bool incremental = true;
    bool two_memories = false;     // keeps examples until it sleeps
    bool learns_in_sleep = false;  // a class is known only after the next sleep
};
void PrintTo(const Subject& s, std::ostream* out) {
    *out << s.label;
}

LearnerSpec quick(const std::string& learner, std::vector<std::pair<std::string, std::string>> more = {}) {
    LearnerSpec spec;
    spec.learner = learner;
    spec.settings = {
        {"network.hidden", "32,16"},          {"training.batch", "32"},    {"training.base_epochs", "60"},
        {"training.offline_epochs", "60"},    {"sleep.epochs", "40"},      {"amygdala.epochs", "20"},
        {"statistics.refresh_samples", "60"}, {"training.min_steps", "0"}, {"sleep.min_steps", "0"}};
    for (auto& m : more) spec.settings.push_back(std::move(m));
    return spec;
}

// A learner with options of its own.
LearnerSpec with(const std::string& learner, std::vector<std::pair<std::string, std::string>> settings = {}) {
    LearnerSpec spec;
    spec.learner = learner;
    spec.settings = std::move(settings);
    return spec;
}

LearnerSpec quick_geppnet(const std::string& learner) {
    return with(learner, {{"map.side", "8"},
                          {"map.base_iterations", "1000"},
                          {"readout.base_iterations", "1000"},
                          {"incremental.iterations", "1000"}});
}

std::vector<Subject> subjects() {
    LearnerSpec literal =
        quick("fearnet", {{"network.code_layer", "true"}, {"training.base_decoder_rate", "1"}});
    literal.preset = "literal";
    return {
        {"fearnet", quick("fearnet"), true, true},
        {"fearnet_literal", literal, true, true},
        {"fearnet_diagonal", quick("fearnet", {{"statistics.covariance", "diagonal"}}), true, true},
        {"fearnet_isolation_forest", quick("fearnet", {{"amygdala.kind", "isolation-forest"}}), true, true},
        {"fearnet_elliptic_envelope", quick("fearnet", {{"amygdala.kind", "elliptic-envelope"}}), true, true},
        {"fearnet_one_class_svm",
         quick("fearnet", {{"amygdala.kind", "one-class-svm"}, {"amygdala.nu", "0.1"}}), true, true},
        {"fearnet_plus", with("fearnet-plus"), true, true},
        {"fearnet_plus_set",
         with("fearnet-plus", {{"features.transform", "sqrt"},
                               {"readout.shrinkage", "0.1"},
                               {"shapes.strength", "0.5"},
                               {"shapes.rank", "3"}}),
         true, true},
        {"fearnet_plus_random",
         with("fearnet-plus", {{"features.transform", "random"}, {"features.random", "40"}}), true, true},
        {"nearest_neighbor", with("nearest-neighbor")},
        {"nearest_mean", with("nearest-mean")},
        {"nearest_mean_unit_length", with("nearest-mean", {{"mean.unit_length", "true"}})},
        {"streaming_lda", with("streaming-lda")},
        {"streaming_lda_sqrt", with("streaming-lda", {{"lda.transform", "sqrt"}, {"lda.shrinkage", "1"}})},
        {"fourier_lda", with("fourier-lda", {{"fourier.size", "200"}})},
        {"ridge", with("ridge")},
        {"ridge_without_intercept", with("ridge", {{"ridge.intercept", "false"}, {"ridge.lambda", "0.1"}})},
        {"ranpac", with("ranpac", {{"ranpac.size", "200"}})},
        {"fecam", with("fecam")},
        {"fecam_low_rank", with("fecam", {{"fecam.max_rank", "4"}, {"fecam.correlation", "false"}})},
        {"icarl", with("icarl", {{"icarl.hidden", "32,16"},
                                 {"icarl.batch", "32"},
                                 {"icarl.base_min_steps", "0"},
                                 {"icarl.epochs", "15"},
                                 {"icarl.exemplars", "10"}})},
        {"icarl_labels", with("icarl", {{"icarl.hidden", "32,16"},
                                        {"icarl.batch", "32"},
                                        {"icarl.base_min_steps", "0"},
                                        {"icarl.epochs", "15"},
                                        {"icarl.distill", "false"}})},
        {"fel",
         with("fel",
              {{"fel.hidden", "64"}, {"fel.max_classes", "8"}, {"fel.rate", "0.05"}, {"fel.epochs", "3"}})},
        {"geppnet", quick_geppnet("geppnet")},
        {"geppnet_stm", quick_geppnet("geppnet-stm"), true, false, true},
        {"offline_mlp", quick("offline-mlp"), false}};
}

class LearnerContract : public testing::TestWithParam<Subject> {
  protected:
    std::unique_ptr<Learner> make(std::uint64_t seed = 1) const {
        LearnerSpec spec = GetParam().spec;
        spec.seed = seed;
        return make_learner(spec);
    }
    // Base knowledge of classes 0..3; incremental learners then get 4 and 5 one by one, with a sleep in
    // between when asked.
    std::unique_ptr<Learner> taught(bool sleep_between = false, std::uint64_t seed = 1) const {
        auto learner = make(seed);
        learner->learn(base_);
        if (!GetParam().incremental) return learner;
        learner->learn(fifth_);
        if (sleep_between) learner->sleep();
        learner->learn(sixth_);
        if (GetParam().learns_in_sleep) learner->sleep();
        return learner;
    }
    std::size_t classes_taught() const { return GetParam().incremental ? 6 : 4; }

    Examples base_ = test::blobs(0, 4, 30, kWidth, 1);
    Examples fifth_ = test::blobs(4, 1, 30, kWidth, 2), sixth_ = test::blobs(5, 1, 30, kWidth, 3);
    Examples probe_ = test::blobs(0, 6, 10, kWidth, 9);
};

template <class Call>
std::string error_of(Call&& call) {
    try {
        call();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

void expect_mentions(const std::string& text, std::initializer_list<const char*> parts) {
    ASSERT_FALSE(text.empty()) << "nothing was thrown";
    for (const char* part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
}

TEST_P(LearnerContract, learns_what_it_is_taught) {
    for (bool slept : {false, true}) {
        const auto learner = taught(slept);
        const Examples seen = test::blobs(0, classes_taught(), 20, kWidth, 10);
        const auto answers = learner->predict(seen.x);
        std::size_t right = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == seen.labels[i];
        EXPECT_GE(static_cast<double>(right) / static_cast<double>(answers.size()), 0.8)
            << "slept: " << slept;
        if (!GetParam().incremental) break;
    }
}

TEST_P(LearnerContract, predicts_only_classes_it_was_taught) {
    const auto learner = taught();
    const auto known = learner->classes();
    EXPECT_EQ(known.size(), classes_taught());
    EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
    const Examples strange = test::blobs(50, 10, 20, kWidth, 5);
    for (ClassId id : learner->predict(strange.x))
        EXPECT_TRUE(std::binary_search(known.begin(), known.end(), id)) << index_of(id);
}

TEST_P(LearnerContract, answers_a_batch_like_its_rows_one_by_one_and_in_any_order) {
    const auto learner = taught();
    const auto batch = learner->predict(probe_.x);
    std::vector<std::size_t> order(probe_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    Matrix reversed(probe_.x.rows(), kWidth);
    for (std::size_t i = 0; i < order.size(); ++i)
        std::copy_n(probe_.x.row(order[i]), kWidth, reversed.row(i));
    const auto backwards = learner->predict(reversed);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        EXPECT_EQ(learner->predict(probe_.x.view().slice(i, 1)).at(0), batch[i]);
        EXPECT_EQ(backwards[order.size() - 1 - i], batch[i]);
    }
}

TEST_P(LearnerContract, gives_the_same_result_twice_from_one_seed_and_with_any_threads) {
    const int before = max_threads();
    std::vector<std::vector<ClassId>> answers;
    for (int threads : {1, 1, 2}) {
        set_threads(threads);
        auto learner = taught(true);
        answers.push_back(learner->predict(probe_.x));
    }
    set_threads(before);
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_EQ(answers[0], answers[2]);
}

TEST_P(LearnerContract, saved_and_restored_answers_the_same_and_learns_on) {
    auto learner = taught(true);
    const auto copy = restore_learner(learner->save());
    EXPECT_EQ(copy->name(), learner->name());
    EXPECT_EQ(copy->options(), learner->options());
    EXPECT_EQ(copy->memory(), learner->memory());
    const auto expected = learner->explain(probe_.x), found = copy->explain(probe_.x);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found[i].label, expected[i].label);
        EXPECT_EQ(found[i].psi, expected[i].psi);
        EXPECT_EQ(found[i].consolidated_probability, expected[i].consolidated_probability);
    }
    if (!GetParam().incremental) return;
    const Examples next = test::blobs(6, 1, 20, kWidth, 12);
    learner->learn(next), copy->learn(next);
    learner->sleep(), copy->sleep();
    EXPECT_EQ(copy->predict(probe_.x), learner->predict(probe_.x));
}

TEST_P(LearnerContract, refuses_a_state_with_any_part_missing) {
    const State whole = taught()->save();
    for (const auto& [key, value] : whole.matrices) {
        State damaged = whole;
        damaged.matrices.erase(key);
        EXPECT_THROW(restore_learner(damaged), Error) << key;
    }
    for (const auto& [key, value] : whole.integers) {
        State damaged = whole;
        damaged.integers.erase(key);
        EXPECT_THROW(restore_learner(damaged), Error) << key;
    }
}

TEST_P(LearnerContract, predicting_leaves_it_unchanged) {
    const auto learner = taught();
    const auto first = learner->predict(probe_.x);
    const State before = learner->save();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(learner->predict(probe_.x), first);
    const State after = learner->save();
    ASSERT_EQ(before.matrices.size(), after.matrices.size());
    for (const auto& [key, m] : before.matrices)
        EXPECT_TRUE(std::equal(m.data(), m.data() + m.size(), after.matrices.at(key).data())) << key;
}

TEST_P(LearnerContract, can_be_asked_from_several_threads_at_once) {
    const auto learner = taught();
    const auto expected = learner->predict(probe_.x);
    std::vector<std::vector<ClassId>> answers(4);
    std::vector<std::thread> threads;
    for (auto& out : answers) threads.emplace_back([&] { out = learner->predict(probe_.x); });
    for (auto& t : threads) t.join();
    for (const auto& out : answers) EXPECT_EQ(out, expected);
}

TEST_P(LearnerContract, accepts_one_example_one_feature_and_duplicates) {
    auto tiny = make();
    Matrix one(1, 1);
    one(0, 0) = 1;
    const std::vector<ClassId> label{ClassId{3}};
    tiny->learn({one, label});
    EXPECT_EQ(tiny->predict(one).at(0), ClassId{3});
    if (GetParam().incremental) {
        Matrix other(1, 1);
        other(0, 0) = -1;
        const std::vector<ClassId> second{ClassId{0}};
        tiny->learn({other, second});
        tiny->sleep();
        EXPECT_EQ(tiny->classes(), (std::vector<ClassId>{ClassId{0}, ClassId{3}}));
        tiny->predict(other);
    }
    auto same = make();
    Matrix rows(6, 4);
    for (std::size_t i = 0; i < 6; ++i) rows(i, i / 3) = 1;
    const std::vector<ClassId> labels{ClassId{0}, ClassId{0}, ClassId{0}, ClassId{1}, ClassId{1}, ClassId{1}};
    same->learn({rows, labels});
    EXPECT_EQ(same->predict(rows).size(), 6u);
}

TEST_P(LearnerContract, refuses_bad_input_naming_both_numbers_and_stays_usable) {
    auto untaught = make();
    expect_mentions(error_of([&] { untaught->predict(probe_.x); }), {"predict", "0 classes", "learn"});

    auto learner = taught();
    const auto expected = learner->predict(probe_.x);
    const Examples narrow = test::blobs(7, 1, 5, kWidth - 1, 4);
    expect_mentions(error_of([&] { learner->learn(narrow); }), {"learn", "23", "24"});
    expect_mentions(error_of([&] { learner->predict(narrow.x); }), {"predict", "23", "24"});
    const std::vector<ClassId> short_labels(fifth_.labels.begin(), fifth_.labels.end() - 1);
    expect_mentions(error_of([&] {
                        learner->learn({fifth_.x, short_labels});
                    }),
                    {"learn", "30 rows", "29 labels"});
    for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Examples spoiled = fifth_;
        spoiled.x(2, 7) = bad;
        expect_mentions(error_of([&] { learner->learn(spoiled); }), {"learn", "row 2", "feature 7"});
        expect_mentions(error_of([&] { learner->predict(spoiled.x); }), {"predict", "row 2", "feature 7"});
    }
    Examples negative = fifth_;
    negative.labels[4] = ClassId{-1};
    expect_mentions(error_of([&] { learner->learn(negative); }), {"learn", "-1", "row 4"});
    expect_mentions(error_of([&] { learner->learn({}); }), {"learn", "0 rows"});
    EXPECT_TRUE(learner->predict(MatrixView(nullptr, 0, kWidth)).empty());
    EXPECT_EQ(learner->predict(probe_.x), expected);
}

TEST_P(LearnerContract, sleep_with_nothing_to_consolidate_is_a_no_op) {
    auto learner = make();
    learner->sleep();
    learner->learn(base_);
    const auto expected = learner->predict(probe_.x);
    const MemoryUse memory = learner->memory();
    learner->sleep();
    learner->sleep();
    EXPECT_EQ(learner->predict(probe_.x), expected);
    EXPECT_EQ(learner->memory(), memory);
}

TEST_P(LearnerContract, a_cancelled_call_leaves_it_as_it_was) {
    auto fresh = make();
    EXPECT_THROW(fresh->learn(base_, [](const ProgressEvent&) { return false; }), Cancelled);
    EXPECT_TRUE(fresh->classes().empty());
    if (!GetParam().incremental) return;
    auto learner = taught();
    const auto expected = learner->predict(probe_.x);
    const MemoryUse memory = learner->memory();
    // Stopped at the third report; those that report less often, at the last one.
    const Examples next = test::blobs(6, 1, 20, kWidth, 12);
    const auto twin = restore_learner(learner->save());
    int calls = 0, last = 0;
    const Progress count = [&](const ProgressEvent&) { return ++calls, true; };
    const Progress stop = [&](const ProgressEvent&) { return ++calls < last; };
    twin->learn(next, count);
    EXPECT_TRUE(calls > 0 || GetParam().learns_in_sleep);
    last = std::min(calls, 3), calls = 0;
    if (last > 0) {
        EXPECT_THROW(learner->learn(next, stop), Cancelled);
    }
    calls = 0;
    restore_learner(learner->save())->sleep(count);
    EXPECT_TRUE(calls > 0 || !GetParam().two_memories);
    last = std::min(calls, 3), calls = 0;
    if (last > 0) {
        EXPECT_THROW(learner->sleep(stop), Cancelled);
    }
    EXPECT_EQ(learner->predict(probe_.x), expected);
    EXPECT_EQ(learner->memory(), memory);
    EXPECT_EQ(learner->classes().size(), 6u);
}

TEST_P(LearnerContract, reports_progress_that_reaches_its_total) {
    auto learner = make();
    std::size_t calls = 0, done = 0, total = 0;
    learner->learn(base_, [&](const ProgressEvent& e) {
        EXPECT_FALSE(e.phase.empty());
        EXPECT_GE(e.done, done);
        done = e.done, total = e.total;
        return ++calls, true;
    });
    EXPECT_GT(calls, 0u);
    EXPECT_EQ(done, total);
}

TEST_P(LearnerContract, memory_grows_with_each_class_and_examples_leave_in_sleep) {
    if (!GetParam().incremental) GTEST_SKIP() << "learns once";
    auto learner = make();
    const auto total = [&] {
        std::size_t sum = 0;
        for (const auto& [kind, bytes] : learner->memory()) sum += bytes;
        return sum;
    };
    EXPECT_EQ(total(), 0u);
    learner->learn(base_);
    const std::size_t after_base = total();
    EXPECT_GT(after_base, 0u);
    if (!GetParam().two_memories) {
        learner->learn(fifth_);
        EXPECT_GT(total(), after_base);
        return;
    }
    EXPECT_EQ(learner->memory().at("examples"), 0u);
    const std::size_t statistics = learner->memory().at("statistics");
    learner->learn(fifth_);
    EXPECT_GE(learner->memory().at("examples"), 30 * kWidth * sizeof(float));
    learner->sleep();
    EXPECT_EQ(learner->memory().at("examples"), 0u);
    EXPECT_GT(learner->memory().at("statistics"), statistics);
}

TEST_P(LearnerContract, a_class_met_again_stays_one_class) {
    if (!GetParam().incremental) GTEST_SKIP() << "learns once";
    auto learner = taught(true);
    learner->learn(test::blobs(4, 1, 15, kWidth, 21));  // consolidated before
    learner->learn(test::blobs(5, 1, 15, kWidth, 22));  // still recent
    EXPECT_EQ(learner->classes().size(), 6u);
    learner->sleep();
    EXPECT_EQ(learner->classes().size(), 6u);
    const Examples seen = test::blobs(0, 6, 20, kWidth, 10);
    const auto answers = learner->predict(seen.x);
    std::size_t right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == seen.labels[i];
    EXPECT_GE(static_cast<double>(right) / static_cast<double>(answers.size()), 0.8);
}

TEST_P(LearnerContract, probabilities_sum_to_one_and_are_largest_for_the_answer) {
    const auto learner = taught(true);
    const std::vector<ClassId> classes = learner->classes();
    const std::vector<ClassId> answers = learner->predict(probe_.x);
    const Matrix p = learner->probabilities(probe_.x);
    ASSERT_EQ(p.rows(), probe_.x.rows());
    ASSERT_EQ(p.cols(), classes.size());
    for (std::size_t i = 0; i < p.rows(); ++i) {
        double sum = 0;
        float best = 0;
        for (std::size_t j = 0; j < p.cols(); ++j) {
            ASSERT_GE(p(i, j), 0.0f);
            sum += static_cast<double>(p(i, j));
            best = std::max(best, p(i, j));
        }
        EXPECT_NEAR(sum, 1, 1e-4) << "row " << i;
        const auto answer = std::lower_bound(classes.begin(), classes.end(), answers[i]) - classes.begin();
        EXPECT_EQ(p(i, static_cast<std::size_t>(answer)), best) << "row " << i;
    }
}

TEST_P(LearnerContract, forgets_a_class_or_says_that_it_cannot) {
    auto learner = taught();
    const std::vector<ClassId> before = learner->classes();
    EXPECT_THROW(learner->forget(ClassId{77}), Error);
    bool forgets = true;
    try {
        learner->forget(before.front());
    } catch (const Error& error) {
        forgets = false;
        EXPECT_NE(std::string(error.what()).find("cannot forget"), std::string::npos) << error.what();
    }
    EXPECT_EQ(learner->classes().size(), before.size() - forgets);
    if (!forgets) return;
    for (const ClassId answer : learner->predict(probe_.x)) EXPECT_NE(answer, before.front());
}

TEST_P(LearnerContract, what_forgot_a_class_is_saved_sleeps_and_can_be_taught_it_again) {
    if (!GetParam().incremental) GTEST_SKIP() << "learns once";
    for (std::size_t forgotten : {0, 5}) {
        auto learner = taught();
        const ClassId id = learner->classes().at(forgotten);
        try {
            learner->forget(id);
        } catch (const Error&) {
            GTEST_SKIP() << "cannot forget";
        }
        const auto copy = restore_learner(learner->save());
        EXPECT_EQ(copy->classes(), learner->classes());
        EXPECT_EQ(copy->memory(), learner->memory());
        EXPECT_EQ(copy->predict(probe_.x), learner->predict(probe_.x));
        learner->sleep();
        EXPECT_EQ(learner->classes().size(), 5u);
        learner->learn(test::blobs(forgotten, 1, 30, kWidth, 31));
        learner->sleep();
        EXPECT_EQ(learner->classes().size(), 6u);
        const Examples seen = test::blobs(0, 6, 20, kWidth, 10);
        const auto answers = learner->predict(seen.x);
        std::size_t right = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == seen.labels[i];
        EXPECT_GE(static_cast<double>(right) / static_cast<double>(answers.size()), 0.8);
    }
}

INSTANTIATE_TEST_SUITE_P(Every, LearnerContract, testing::ValuesIn(subjects()),
                         [](const auto& subject) { return subject.param.label; });

}  // namespace
}  // namespace fearnet
