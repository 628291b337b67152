// The contract of Learner (fearnet/learner.hpp) as a GoogleTest suite that every learner must pass. To test
// your own learner, write a test program that registers it before main and instantiates the suite:
//
//     #include <contract/learner_contract.hpp>
//     const bool registered = (register_my_learner(), true);
//     using namespace fearnet::contract;
//     INSTANTIATE_TEST_SUITE_P(Mine, LearnerContract, testing::Values(Subject{"mine", {.learner = "mine"}}),
//                              name_of_subject);
//
// Link it with fearnet::contract (find_package(fearnet COMPONENTS contract)) and GTest::gtest_main. The tests
// teach 4 classes of 30 rows with 24 features, then two more classes one by one, and expect an accuracy of at
// least 0.8.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <set>
#include <thread>

#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"
#include "contract/same_states.hpp"

namespace fearnet::contract {

inline constexpr std::size_t kWidth = 24;

// A learner to test. Choose settings with which it learns quickly: it is taught many times.
struct Subject {
    std::string label;  // suffix of the test names: letters, digits and underscores
    LearnerSpec spec;
    bool incremental = true;  // false: it must be taught everything in one session
    // True: it keeps new examples until sleep, and memory() has "examples" and "statistics".
    bool two_memories = false;
    bool learns_in_sleep = false;  // true: it predicts a new class only after the next sleep
};
inline void PrintTo(const Subject& s, std::ostream* out) {
    *out << s.label;
}
inline std::string name_of_subject(const testing::TestParamInfo<Subject>& subject) {
    return subject.param.label;
}

// Rows with one label each.
struct Examples {
    Matrix x;
    std::vector<ClassId> labels;
    operator LabeledView() const { return {x, labels}; }
    std::size_t size() const { return labels.size(); }
};

// Well separated Gaussian blobs: `rows` examples, of length one, of each class first .. first + classes - 1.
// The center of a class depends on its number only, so that different seeds give other rows of the same
// classes.
inline Examples blobs(std::size_t first, std::size_t classes, std::size_t rows, std::size_t width,
                      std::uint64_t seed) {
    constexpr double kSpread = 0.25;
    Examples e;
    e.x = Matrix(classes * rows, width);
    Rng noise(seed);
    for (std::size_t c = 0; c < classes; ++c) {
        Rng center_rng(1000 + first + c);
        std::vector<double> center(width);
        for (double& v : center) v = center_rng.normal();
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < width; ++j)
                e.x(c * rows + r, j) = static_cast<float>(center[j] + kSpread * noise.normal());
            e.labels.push_back(static_cast<ClassId>(first + c));
        }
    }
    scale_rows_to_unit_length(e.x);
    return e;
}

class LearnerContract : public testing::TestWithParam<Subject> {
  protected:
    std::unique_ptr<Learner> make(std::uint64_t seed = 1) const {
        LearnerSpec spec = GetParam().spec;
        spec.seed = seed;
        return make_learner(spec);
    }
    // A learner that was taught classes 0 to 3 in the base session. Incremental learners are then taught
    // classes 4 and 5 in a session each, with a sleep in between if `sleep_between`.
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

    Examples base_ = blobs(0, 4, 30, kWidth, 1);
    Examples fifth_ = blobs(4, 1, 30, kWidth, 2), sixth_ = blobs(5, 1, 30, kWidth, 3);
    Examples probe_ = blobs(0, 6, 10, kWidth, 9);
};

// The message of the Error that call() throws; "" if it throws none.
template <class Call>
std::string error_of(Call&& call) {
    try {
        call();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

// Expects every one of `parts` in the message `text`.
inline void expect_mentions(const std::string& text, std::initializer_list<const char*> parts) {
    ASSERT_FALSE(text.empty()) << "nothing was thrown";
    for (const char* part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
}

TEST_P(LearnerContract, learns_what_it_is_taught) {
    for (bool slept : {false, true}) {
        const auto learner = taught(slept);
        const Examples seen = blobs(0, classes_taught(), 20, kWidth, 10);
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
    const Examples strange = blobs(50, 10, 20, kWidth, 5);
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
    const Matrix expected = learner->scores(probe_.x), found = copy->scores(probe_.x);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), expected.data()));
    if (!GetParam().incremental) return;
    const Examples next = blobs(6, 1, 20, kWidth, 12);
    learner->learn(next), copy->learn(next);
    learner->sleep(), copy->sleep();
    EXPECT_EQ(copy->predict(probe_.x), learner->predict(probe_.x));
}

TEST_P(LearnerContract, refuses_a_state_with_any_part_missing) {
    const State whole = taught()->save();
    for (const auto& [key, value] : whole.arrays) {
        State damaged = whole;
        damaged.arrays.erase(key);
        EXPECT_THROW(restore_learner(damaged), Error) << key;
    }
}

TEST_P(LearnerContract, predicting_leaves_it_unchanged) {
    const auto learner = taught();
    const auto first = learner->predict(probe_.x);
    const State before = learner->save();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(learner->predict(probe_.x), first);
    const State after = learner->save();
    expect_same(before, after);
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
    const Examples narrow = blobs(7, 1, 5, kWidth - 1, 4);
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
        expect_mentions(error_of([&] { learner->learn(spoiled); }), {"learn", "row 2", "column 7"});
        expect_mentions(error_of([&] { learner->predict(spoiled.x); }), {"predict", "row 2", "column 7"});
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
    // Cancels at the third progress report, or at the last one if there are fewer.
    const Examples next = blobs(6, 1, 20, kWidth, 12);
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
    learner->learn(blobs(4, 1, 15, kWidth, 21));  // a consolidated class
    learner->learn(blobs(5, 1, 15, kWidth, 22));  // a recent class
    EXPECT_EQ(learner->classes().size(), 6u);
    learner->sleep();
    EXPECT_EQ(learner->classes().size(), 6u);
    const Examples seen = blobs(0, 6, 20, kWidth, 10);
    const auto answers = learner->predict(seen.x);
    std::size_t right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == seen.labels[i];
    EXPECT_GE(static_cast<double>(right) / static_cast<double>(answers.size()), 0.8);
}

TEST_P(LearnerContract, probabilities_sum_to_one_and_are_largest_for_the_answer) {
    const auto learner = taught(true);
    const std::vector<ClassId> classes = learner->classes();
    const std::vector<ClassId> answers = learner->predict(probe_.x);
    const Matrix p = learner->probabilities(probe_.x), scores = learner->scores(probe_.x);
    ASSERT_EQ(scores.size(), p.size());
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
        EXPECT_EQ(std::max_element(scores.row(i), scores.row(i) + scores.cols()) - scores.row(i), answer);
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
        learner->learn(blobs(forgotten, 1, 30, kWidth, 31));
        learner->sleep();
        EXPECT_EQ(learner->classes().size(), 6u);
        const Examples seen = blobs(0, 6, 20, kWidth, 10);
        const auto answers = learner->predict(seen.x);
        std::size_t right = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == seen.labels[i];
        EXPECT_GE(static_cast<double>(right) / static_cast<double>(answers.size()), 0.8);
    }
}

}  // namespace fearnet::contract
