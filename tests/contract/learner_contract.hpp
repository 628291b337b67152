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
// least 0.8. A learner that estimates familiarity is also taught 8 classes of 60 rows and must keep what
// Learner::familiarity and Learner::class_p_values promise; for other learners these tests are skipped.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <set>
#include <span>
#include <thread>

#include "contract/same_states.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

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
// classes. `spread` is the standard deviation of a row, that of the centers being 1.
inline Examples blobs(std::size_t first, std::size_t classes, std::size_t rows, std::size_t width,
                      std::uint64_t seed, double spread = 0.25) {
    Examples e;
    e.x = Matrix(classes * rows, width);
    Rng noise(seed);
    for (std::size_t c = 0; c < classes; ++c) {
        Rng center_rng(1000 + first + c);
        std::vector<double> center(width);
        for (double& v : center) v = center_rng.normal();
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < width; ++j)
                e.x(c * rows + r, j) = static_cast<float>(center[j] + spread * noise.normal());
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

// Classes and rows of the tests of familiarity.
inline constexpr std::size_t kGaussians = 8, kGaussianRows = 60;

// Other rows of the same classes for another seed.
inline Examples gaussians(std::size_t first, std::size_t classes, std::size_t rows, std::uint64_t seed) {
    return blobs(first, classes, rows, kWidth, seed, 0.35);
}

// A learner that was taught classes 0 to 3 in the base session and 4 to 7 one by one, with a sleep after
// class 5, or all at once if it is not incremental. Null if the learner does not estimate familiarity.
inline std::unique_ptr<Learner> with_familiarity(const Subject& subject) {
    auto learner = make_learner(subject.spec);
    learner->learn(gaussians(0, subject.incremental ? 4 : kGaussians, kGaussianRows, 1));
    if (learner->familiarity(gaussians(0, 1, 1, 5).x).empty()) return nullptr;
    for (std::size_t c = 4; c < kGaussians && subject.incremental; ++c) {
        learner->learn(gaussians(c, 1, kGaussianRows, 10 + c));
        if (c == 5 || subject.learns_in_sleep) learner->sleep();
    }
    return learner;
}

inline double share_below(std::span<const double> values, double limit) {
    return static_cast<double>(
               std::count_if(values.begin(), values.end(), [&](double v) { return v < limit; })) /
           static_cast<double>(values.size());
}

// The p-value of each row for the class that it is of.
inline std::vector<double> own_p_values(const Learner& learner, const Examples& rows) {
    const Matrix p = learner.class_p_values(rows.x);
    const std::vector<ClassId> classes = learner.classes();
    std::vector<double> own;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = std::lower_bound(classes.begin(), classes.end(), rows.labels[i]) - classes.begin();
        own.push_back(static_cast<double>(p(i, static_cast<std::size_t>(at))));
    }
    return own;
}

TEST_P(LearnerContract, familiarity_and_class_p_values_are_p_values_of_every_row_alone) {
    const auto learner = with_familiarity(GetParam());
    if (!learner) GTEST_SKIP() << "does not estimate familiarity";
    const Examples rows = gaussians(0, kGaussians + 2, 4, 70);
    const std::vector<double> batch = learner->familiarity(rows.x);
    const Matrix fits = learner->class_p_values(rows.x), scores = learner->scores(rows.x);
    ASSERT_EQ(batch.size(), rows.size());
    ASSERT_EQ(fits.rows(), rows.size());
    ASSERT_EQ(fits.cols(), learner->classes().size());
    const ScoredRows both = learner->scored(rows.x);
    EXPECT_EQ(both.familiarity, batch);
    EXPECT_TRUE(same_bits(both.scores, scores));
    // Products of one row may be rounded otherwise than those of many.
    constexpr double kRounding = 1e-3;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_TRUE(batch[i] >= 0 && batch[i] <= 1) << "row " << i << ": " << batch[i];
        const MatrixView row = rows.x.view().slice(i, 1);
        EXPECT_NEAR(learner->familiarity(row).at(0), batch[i], kRounding) << "row " << i;
        const Matrix alone = learner->class_p_values(row);
        for (std::size_t k = 0; k < fits.cols(); ++k) {
            EXPECT_TRUE(fits(i, k) >= 0 && fits(i, k) <= 1) << "row " << i << ": " << fits(i, k);
            EXPECT_NEAR(alone(0, k), fits(i, k), kRounding) << "row " << i << ", class " << k;
        }
    }
    EXPECT_TRUE(learner->familiarity(Matrix(0, kWidth)).empty());
}

TEST_P(LearnerContract, new_rows_of_taught_classes_are_as_familiar_as_promised) {
    const auto learner = with_familiarity(GetParam());
    if (!learner) GTEST_SKIP() << "does not estimate familiarity";
    const Examples rows = gaussians(0, kGaussians, 60, 71);
    const std::vector<double> p = learner->familiarity(rows.x), own = own_p_values(*learner, rows);
    // Too small a share is caution, which widely separated classes of few rows may ask for.
    for (const double level : {0.05, 0.1}) {
        EXPECT_LT(share_below(p, level), level + 0.05) << "familiarity";
        EXPECT_LT(share_below(own, level), level + 0.05) << "p-value of the own class";
    }
    EXPECT_GT(share_below(p, 0.1), 0.02) << "familiarity";
    EXPECT_GT(share_below(own, 0.1), 0.02) << "p-value of the own class";
    EXPECT_GT(share_below(p, 0.5), 0.25) << "familiarity";
}

TEST_P(LearnerContract, rows_of_other_classes_and_far_rows_are_not_familiar) {
    const auto learner = with_familiarity(GetParam());
    if (!learner) GTEST_SKIP() << "does not estimate familiarity";
    const std::vector<double> other = learner->familiarity(gaussians(kGaussians, 6, 40, 72).x);
    EXPECT_GT(share_below(other, 0.05), 0.6);
    Matrix far(100, kWidth);
    Rng(73).fill_normal({far.data(), far.size()});
    for (std::size_t i = 0; i < far.size(); ++i) far.data()[i] *= 10;
    EXPECT_GT(share_below(learner->familiarity(far), 0.05), 0.95);
}

TEST_P(LearnerContract, familiarity_is_saved_with_the_learner_and_unchanged_by_predicting) {
    const auto learner = with_familiarity(GetParam());
    if (!learner) GTEST_SKIP() << "does not estimate familiarity";
    const Examples rows = gaussians(0, kGaussians + 2, 4, 74);
    const State before = learner->save();
    const std::vector<double> p = learner->familiarity(rows.x);
    const Matrix fits = learner->class_p_values(rows.x);
    learner->predict(rows.x);
    expect_same(before, learner->save());
    const auto copy = restore_learner(before);
    EXPECT_EQ(copy->memory(), learner->memory());
    EXPECT_EQ(copy->familiarity(rows.x), p);
    EXPECT_TRUE(same_bits(copy->class_p_values(rows.x), fits));
    if (!GetParam().incremental) return;
    const Examples next = gaussians(kGaussians, 1, kGaussianRows, 75);
    learner->learn(next), copy->learn(next);
    EXPECT_EQ(copy->familiarity(rows.x), learner->familiarity(rows.x));
}

TEST_P(LearnerContract, a_forgotten_class_is_not_familiar) {
    const auto learner = with_familiarity(GetParam());
    if (!learner) GTEST_SKIP() << "does not estimate familiarity";
    for (const std::size_t forgotten : {std::size_t{2}, kGaussians - 1}) {
        try {
            learner->forget(static_cast<ClassId>(forgotten));
        } catch (const Error&) {
            GTEST_SKIP() << "cannot forget";
        }
        EXPECT_EQ(learner->class_p_values(gaussians(0, 1, 1, 76).x).cols(), learner->classes().size());
        EXPECT_GT(share_below(learner->familiarity(gaussians(forgotten, 1, 60, 77).x), 0.05), 0.6);
        EXPECT_LT(share_below(learner->familiarity(gaussians(3, 4, 60, 78).x), 0.05), 0.12);
    }
}

TEST_P(LearnerContract, familiarity_of_classes_with_a_row_or_two_is_a_number_or_missing) {
    if (!with_familiarity(GetParam())) GTEST_SKIP() << "does not estimate familiarity";
    if (!GetParam().incremental) GTEST_SKIP() << "learns once";
    auto learner = make();
    const Examples rows = gaussians(0, 4, 3, 79);
    const std::size_t counts[] = {1, 2, 1, 30};
    for (std::size_t c = 0; c < 4; ++c) {
        learner->learn(gaussians(c, 1, counts[c], 80 + c));
        for (const double p : learner->familiarity(rows.x)) EXPECT_TRUE(p >= 0 && p <= 1) << p;
        const Matrix fits = learner->class_p_values(rows.x);
        for (const float p : std::span(fits.data(), fits.size())) EXPECT_TRUE(p >= 0 && p <= 1) << p;
        learner = restore_learner(learner->save());
    }
    learner->sleep();
    for (const double p : learner->familiarity(rows.x)) EXPECT_TRUE(p >= 0 && p <= 1) << p;
}

}  // namespace fearnet::contract
