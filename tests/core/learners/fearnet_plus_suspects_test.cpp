// Rows with wrong labels, as FearNetPlus names them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/learners/plus/fearnet_plus.hpp"
#include "core/learners/plus/suspects.hpp"
#include "support/blobs.hpp"

namespace fearnet {
namespace {

using test::blobs;

constexpr std::size_t kWidth = 20;

Examples session(std::size_t first, std::size_t classes, std::size_t rows, std::uint64_t seed) {
    return blobs(first, classes, rows, kWidth, seed, 0.8);
}

// Gives every tenth row the next class of the session. Returns these rows.
std::set<std::size_t> switch_labels(Examples& e, std::size_t first, std::size_t classes) {
    std::set<std::size_t> wrong;
    for (std::size_t i = 5; i < e.labels.size(); i += 10) {
        const auto c = static_cast<std::size_t>(index_of(e.labels[i])) - first;
        e.labels[i] = static_cast<ClassId>(first + (c + 1 + i % (classes - 1)) % classes);
        wrong.insert(i);
    }
    return wrong;
}

struct Named {
    double wrong, right;  // share of wrong and of right labels that are named
};
Named named(const std::vector<SuspectRow>& suspects, const std::set<std::size_t>& wrong, std::size_t rows) {
    double found = 0, false_ones = 0;
    for (const SuspectRow& s : suspects) (wrong.contains(s.row) ? found : false_ones) += 1;
    return {found / static_cast<double>(std::max<std::size_t>(1, wrong.size())),
            false_ones / static_cast<double>(rows - wrong.size())};
}

TEST(WrongLabels, are_named_in_the_base_session_with_the_class_they_look_like) {
    const FearNetPlus learner;
    const Examples clean = session(0, 10, 30, 1);
    Examples dirty = clean;
    const std::set<std::size_t> wrong = switch_labels(dirty, 0, 10);
    const std::vector<SuspectRow> suspects = learner.suspect_rows(dirty);
    const Named share = named(suspects, wrong, 300);
    EXPECT_GE(share.wrong, 0.8);
    EXPECT_LE(share.right, 0.05);
    std::size_t as_it_is = 0, found = 0;
    for (const SuspectRow& s : suspects) {
        EXPECT_GT(s.probability, 0.5);
        EXPECT_LE(s.probability, 1);
        EXPECT_NE(s.looks_like, dirty.labels[s.row]);
        if (wrong.contains(s.row)) ++found, as_it_is += s.looks_like == clean.labels[s.row];
    }
    EXPECT_GE(static_cast<double>(as_it_is), 0.8 * static_cast<double>(found));
    EXPECT_TRUE(std::is_sorted(suspects.begin(), suspects.end(),
                               [](const SuspectRow& l, const SuspectRow& r) { return l.row < r.row; }));
}

TEST(WrongLabels, are_hardly_named_in_clean_data) {
    FearNetPlus learner;
    EXPECT_LE(learner.suspect_rows(session(0, 10, 30, 1)).size(), 3u);
    learner.learn(session(0, 10, 30, 1));
    EXPECT_LE(learner.suspect_rows(session(10, 5, 30, 2)).size(), 2u);
    EXPECT_LE(learner.suspect_rows(session(15, 1, 30, 3)).size(), 1u);
    EXPECT_LE(learner.suspect_rows(session(3, 1, 30, 4)).size(), 1u) << "more rows of a known class";
}

TEST(WrongLabels, are_named_in_later_sessions_of_several_classes_and_of_one) {
    FearNetPlus learner;
    learner.learn(session(0, 10, 30, 1));
    Examples several = session(10, 6, 30, 2);
    const std::set<std::size_t> wrong = switch_labels(several, 10, 6);
    const Named share = named(learner.suspect_rows(several), wrong, 180);
    EXPECT_GE(share.wrong, 0.8);
    EXPECT_LE(share.right, 0.05);

    Examples one = session(20, 1, 30, 3);
    const Examples known = session(4, 1, 3, 5);
    std::set<std::size_t> strange;
    for (std::size_t i = 0; i < 3; ++i) {
        std::copy_n(known.x.row(i), kWidth, one.x.row(10 * i));
        strange.insert(10 * i);
    }
    const std::vector<SuspectRow> suspects = learner.suspect_rows(one);
    const Named of_one = named(suspects, strange, 30);
    EXPECT_GE(of_one.wrong, 0.66);
    EXPECT_LE(of_one.right, 0.05);
    for (const SuspectRow& s : suspects)
        EXPECT_EQ(s.looks_like == static_cast<ClassId>(4), strange.contains(s.row)) << s.row;
}

TEST(WrongLabels, are_found_with_little_knowledge_and_many_new_rows) {
    FearNetPlus learner;
    learner.learn(session(0, 2, 5, 1));
    Examples many = session(2, 10, 30, 2);
    const std::set<std::size_t> wrong = switch_labels(many, 2, 10);
    const Named share = named(learner.suspect_rows(many), wrong, 300);
    EXPECT_GE(share.wrong, 0.8);
    EXPECT_LE(share.right, 0.05);
}

TEST(WrongLabels, of_a_class_of_one_row_or_of_a_single_class_are_not_judged) {
    FearNetPlus learner;
    EXPECT_TRUE(learner.suspect_rows(session(0, 1, 30, 1)).empty()) << "one class alone";
    learner.learn(session(0, 5, 30, 1));
    EXPECT_TRUE(learner.suspect_rows(session(9, 1, 1, 2)).empty()) << "the only row of its class";
    Examples wrong = session(2, 1, 1, 3);
    wrong.labels[0] = static_cast<ClassId>(3);
    const std::vector<SuspectRow> suspects = learner.suspect_rows(wrong);
    ASSERT_EQ(suspects.size(), 0u) << "half of the rows of a class stay";
}

TEST(WrongLabels, leave_the_learner_unchanged) {
    FearNetPlus learner;
    learner.learn(session(0, 5, 20, 1));
    learner.learn(session(5, 1, 20, 2));
    const Matrix before = learner.probabilities(session(0, 6, 5, 7).x);
    Examples dirty = session(6, 4, 20, 3);
    switch_labels(dirty, 6, 4);
    const std::vector<SuspectRow> first = learner.suspect_rows(dirty), again = learner.suspect_rows(dirty);
    ASSERT_EQ(first.size(), again.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].row, again[i].row);
    const Matrix after = learner.probabilities(session(0, 6, 5, 7).x);
    EXPECT_TRUE(std::equal(before.data(), before.data() + before.size(), after.data()));
    EXPECT_EQ(learner.classes().size(), 6u);
}

TEST(WrongLabels, are_told_from_right_ones_by_their_scores) {
    constexpr std::size_t kRows = 2000, kClasses = 10;
    LabelScores rows;
    rows.classes = kClasses;
    rows.scores.resize(kRows, kClasses);
    rows.judged.assign(kRows, 1);
    rows.judged[40] = 0;
    Rng rng(3);
    for (std::size_t i = 0; i < kRows; ++i) {
        const auto label = static_cast<std::int32_t>(i / 200);
        rows.labels.push_back(label);
        for (std::int32_t k = 1; k < static_cast<std::int32_t>(kClasses); ++k)
            rows.others.push_back((label + k) % static_cast<std::int32_t>(kClasses));
        for (std::size_t k = 0; k < kClasses; ++k) rows.scores(i, k) = static_cast<float>(rng.normal());
        rows.scores(i, i % 20 == 0 ? 1 : 0) += 12;
    }
    const std::vector<double> wrong = wrong_label_probabilities(rows, 1);
    for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(wrong[i] > 0.5, i % 20 == 0 && i != 40) << i;
    EXPECT_EQ(wrong[40], 0) << "not judged";
}

}  // namespace
}  // namespace fearnet
