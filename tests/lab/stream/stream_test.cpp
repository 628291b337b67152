#include "fearnet/lab/class_incremental_stream.hpp"

#include <gtest/gtest.h>

#include <map>

#include <algorithm>
#include <set>

#include "fearnet/error.hpp"

#include "support/blobs.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

// Class c has 3 + c training rows and 2 test rows, interleaved; a row's only feature is a number of its own.
FeatureSet numbered_rows(int classes) {
    FeatureSet set;
    set.name = "numbered";
    std::vector<ClassId> train, test;
    for (int round = 0; round < 3 + classes; ++round)
        for (int c = 0; c < classes; ++c) {
            if (round < 3 + c) train.push_back(ClassId{c});
            if (round < 2) test.push_back(ClassId{c});
        }
    for (int c = 0; c < classes; ++c) set.names.push_back("class " + std::to_string(c));
    const auto fill = [](Examples& e, std::vector<ClassId> labels, float first) {
        e.x = Matrix(labels.size(), 1);
        for (std::size_t i = 0; i < labels.size(); ++i) e.x(i, 0) = first + static_cast<float>(i);
        e.labels = std::move(labels);
    };
    fill(set.train, train, 0);
    fill(set.test, test, 1000);
    return set;
}

TEST(ClassIncrementalStream, puts_every_training_row_into_exactly_one_session) {
    const FeatureSet set = numbered_rows(10);
    const ClassIncrementalStream stream(set, {4, 7});
    ASSERT_EQ(stream.sessions(), 7u);
    std::multiset<float> met;
    for (std::size_t n = 0; n < stream.sessions(); ++n) {
        const StudySession session = stream.session(n);
        ASSERT_EQ(session.examples.x.rows(), session.examples.size());
        for (std::size_t i = 0; i < session.examples.size(); ++i) {
            const float number = session.examples.x(i, 0);
            met.insert(number);
            EXPECT_EQ(session.examples.labels[i], set.train.labels[static_cast<std::size_t>(number)]);
        }
    }
    EXPECT_EQ(met.size(), set.train.size());
    EXPECT_EQ(std::set<float>(met.begin(), met.end()).size(), set.train.size());
}

TEST(ClassIncrementalStream, shows_a_learner_only_the_classes_of_the_session) {
    const FeatureSet set = numbered_rows(9);
    const ClassIncrementalStream stream(set, {5, 3});
    for (std::size_t n = 0; n < stream.sessions(); ++n) {
        const StudySession session = stream.session(n);
        EXPECT_EQ(session.number, n);
        EXPECT_EQ(session.classes.size(), n == 0 ? 5u : 1u);
        const std::set<ClassId> told(session.classes.begin(), session.classes.end());
        const std::set<ClassId> shown(session.examples.labels.begin(), session.examples.labels.end());
        EXPECT_EQ(told, shown);
    }
}

TEST(ClassIncrementalStream, gives_the_same_order_for_the_same_seed_and_another_for_another) {
    const FeatureSet set = numbered_rows(30);
    const auto order = [&](std::uint64_t seed) { return ClassIncrementalStream(set, {10, seed}).order(); };
    EXPECT_EQ(order(1), order(1));
    std::set<std::vector<ClassId>> orders;
    for (std::uint64_t seed = 0; seed < 20; ++seed) orders.insert(order(seed));
    EXPECT_EQ(orders.size(), 20u);
}

TEST(ClassIncrementalStream, keeps_the_order_when_only_the_number_of_base_classes_changes) {
    const FeatureSet set = numbered_rows(12);
    EXPECT_EQ(ClassIncrementalStream(set, {3, 5}).order(), ClassIncrementalStream(set, {8, 5}).order());
}

TEST(ClassIncrementalStream, teaches_half_of_the_classes_first_unless_told_otherwise) {
    const FeatureSet set = numbered_rows(11);
    EXPECT_EQ(ClassIncrementalStream(set, {}).base_classes(), 5u);
    EXPECT_EQ(ClassIncrementalStream(numbered_rows(2), {}).base_classes(), 1u);
}

TEST(ClassIncrementalStream, gives_the_test_rows_of_earlier_sessions_as_a_prefix) {
    const FeatureSet set = numbered_rows(8);
    const ClassIncrementalStream stream(set, {3, 2});
    const Examples all = stream.test_rows(0, stream.sessions() - 1);
    EXPECT_EQ(all.size(), set.test.size());
    for (std::size_t n = 0; n < stream.sessions(); ++n) {
        const Examples seen = stream.test_rows(0, n);
        ASSERT_EQ(seen.size(), 2 * (3 + n));
        for (std::size_t i = 0; i < seen.size(); ++i) {
            EXPECT_EQ(seen.x(i, 0), all.x(i, 0));
            EXPECT_EQ(seen.labels[i], all.labels[i]);
        }
    }
}

// Classes first .. end - 1.
std::vector<ClassId> class_range(int first, int end) {
    std::vector<ClassId> classes;
    for (int c = first; c < end; ++c) classes.push_back(ClassId{c});
    return classes;
}

TEST(ClassIncrementalStream, draws_the_base_classes_from_groups_and_keeps_the_seeded_order_otherwise) {
    const FeatureSet set = numbered_rows(20);
    const std::vector<ClassId> order = ClassIncrementalStream(set, {10, 4}).order();
    const ClassIncrementalStream stream(set, {0, 4, {{class_range(0, 12), 3}, {class_range(12, 20), 4}}});
    ASSERT_EQ(stream.base_classes(), 7u);
    const std::vector<ClassId> base = stream.classes_of(0);
    const auto low = [](ClassId c) { return index_of(c) < 12; };
    EXPECT_EQ(std::count_if(base.begin(), base.end(), low), 3);
    const auto place = [&](ClassId c) { return std::find(order.begin(), order.end(), c); };
    const auto by_order = [&](ClassId a, ClassId b) { return place(a) < place(b); };
    const auto middle = stream.order().begin() + 7;
    EXPECT_TRUE(std::is_sorted(stream.order().begin(), middle, by_order));
    EXPECT_TRUE(std::is_sorted(middle, stream.order().end(), by_order));
    EXPECT_EQ(std::set<ClassId>(stream.order().begin(), stream.order().end()).size(), 20u);

    const ClassIncrementalStream whole(set, {0, 4, {{class_range(0, 12), 12}, {class_range(12, 20), 0}}});
    const std::vector<ClassId> first = whole.classes_of(0);
    EXPECT_TRUE(std::all_of(first.begin(), first.end(), low));
    EXPECT_EQ(first.size(), 12u);
}

TEST(ClassIncrementalStream, refuses_groups_that_do_not_fit) {
    const FeatureSet set = numbered_rows(6);
    const auto make = [&](std::int64_t base, std::vector<BaseGroup> groups) {
        ClassIncrementalStream(set, {base, 1, std::move(groups)});
    };
    EXPECT_NO_THROW(make(0, {{class_range(0, 6), 3}}));
    EXPECT_NO_THROW(make(3, {{class_range(0, 6), 3}}));
    EXPECT_THROW(make(2, {{class_range(0, 6), 3}}), Error) << "not the sum";
    EXPECT_THROW(make(0, {{class_range(0, 6), 6}}), Error) << "nothing left to learn";
    EXPECT_THROW(make(0, {{class_range(0, 6), 0}}), Error) << "no base";
    EXPECT_THROW(make(0, {{class_range(0, 6), 7}}), Error) << "more than there are";
    EXPECT_THROW(make(0, {{class_range(0, 5), 2}}), Error) << "a class is in no group";
    EXPECT_THROW(make(0, {{class_range(0, 4), 2}, {class_range(3, 6), 1}}), Error) << "one is in two";
    EXPECT_THROW(make(0, {{class_range(1, 7), 2}}), Error) << "there is no such class";
}

TEST(ClassIncrementalStream, returning_rows_come_once_in_a_later_session_and_withheld_ones_never) {
    const FeatureSet set = test::blob_set(9, 10, 2, 3);
    for (const double withheld : {0.0, 0.3}) {
        const ClassIncrementalStream stream(set, {4, 7, {}, {.returning = 0.2, .withheld = withheld}}),
            plain(set, {4, 7});
        EXPECT_EQ(stream.order(), plain.order());
        std::map<ClassId, std::vector<std::size_t>> sessions;  // of each class's rows
        std::set<std::vector<float>> rows;
        for (std::size_t n = 0; n < stream.sessions(); ++n) {
            const StudySession session = stream.session(n);
            ASSERT_EQ(session.examples.labels.size(), session.examples.x.rows());
            for (std::size_t i = 0; i < session.examples.size(); ++i) {
                sessions[session.examples.labels[i]].push_back(n);
                const float* row = session.examples.x.row(i);
                EXPECT_TRUE(rows.insert({row, row + 3}).second) << "a row comes twice";
            }
        }
        for (std::size_t i = 0; i < 9; ++i) {
            const std::vector<std::size_t>& of = sessions[stream.order()[i]];
            ASSERT_EQ(of.size(), withheld > 0 ? 7u : 10u);
            const std::size_t first = i < 4 ? 0 : i - 3;
            EXPECT_EQ(std::count(of.begin(), of.end(), first),
                      static_cast<std::ptrdiff_t>(of.size()) - (i == 8 ? 0 : 2));
            EXPECT_EQ(of.back(), i < 4 ? 1 + i * 5 / 4 : std::min<std::size_t>(first + 1, 5));
        }
    }
}

TEST(ClassIncrementalStream, refuses_variants_that_cannot_be) {
    const FeatureSet set = test::blob_set(9, 10, 2, 3);
    for (const StreamVariant& variant : {StreamVariant{.returning = 1},
                                         {.returning = -0.1},
                                         {.withheld = 1},
                                         {.rows_per_class = -1},
                                         {.returning = 0.5, .shift = -1},
                                         {.shift = 1},
                                         {.return_next = true}})
        EXPECT_THROW(ClassIncrementalStream(set, {4, 7, {}, variant}), Error);
}

TEST(ClassIncrementalStream, base_classes_come_back_in_the_next_session_when_asked) {
    const FeatureSet set = test::blob_set(9, 10, 2, 3);
    const ClassIncrementalStream stream(set, {4, 7, {}, {.returning = 0.5, .return_next = true}});
    const std::vector<ClassId> base = stream.classes_of(0);
    EXPECT_EQ(stream.returning_in(1), base);
    EXPECT_EQ(stream.returning_in(2), stream.classes_of(1));
    EXPECT_EQ(stream.session(0).examples.size(), 20u);
    EXPECT_EQ(stream.session(1).examples.size(), 25u);
}

TEST(ClassIncrementalStream, gives_no_more_rows_of_a_class_than_asked) {
    const FeatureSet set = test::blob_set(5, 10, 2, 3);
    const ClassIncrementalStream stream(set, {2, 7, {}, {.rows_per_class = 4}});
    EXPECT_EQ(stream.session(0).examples.size(), 8u);
    EXPECT_EQ(stream.session(3).examples.size(), 4u);
    EXPECT_EQ(stream.test_rows(0, 3).size(), set.test.size()) << "all test rows stay";
}

TEST(ClassIncrementalStream, shifts_what_returns_and_as_large_a_share_of_the_test_rows_by_one_vector) {
    const FeatureSet set = test::blob_set(5, 10, 4, 3);
    const StreamVariant still{.returning = 0.5}, moved{.returning = 0.5, .shift = 2};
    const ClassIncrementalStream a(set, {2, 7, {}, still}), b(set, {2, 7, {}, moved});
    std::vector<float> vector;
    const auto moved_rows = [&](const Examples& plain, const Examples& other) {
        std::vector<std::size_t> which;
        EXPECT_EQ(plain.labels, other.labels);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            std::vector<float> off;
            for (std::size_t j = 0; j < 3; ++j) off.push_back(other.x(i, j) - plain.x(i, j));
            if (off == std::vector<float>(3)) continue;
            which.push_back(i);
            if (vector.empty()) vector = off;
            for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(off[j], vector[j], 1e-4f);
        }
        return which;
    };
    EXPECT_TRUE(moved_rows(a.session(0).examples, b.session(0).examples).empty());
    const std::vector<std::size_t> last = moved_rows(a.session(2).examples, b.session(2).examples);
    ASSERT_FALSE(last.empty());
    EXPECT_EQ(last.front(), 5u) << "the new class comes first and is not moved";
    EXPECT_EQ(moved_rows(a.test_rows(0, 3), b.test_rows(0, 3)).size(), a.test_rows(0, 3).size() / 2);
}

TEST(ClassIncrementalStream, refuses_base_classes_that_leave_nothing_to_learn) {
    const FeatureSet set = numbered_rows(6);
    EXPECT_THROW(ClassIncrementalStream(set, {6, 1}), Error);
    EXPECT_THROW(ClassIncrementalStream(set, {-1, 1}), Error);
    EXPECT_THROW(ClassIncrementalStream(set, {1000, 1}), Error);
    EXPECT_NO_THROW(ClassIncrementalStream(set, {5, 1}));
    EXPECT_THROW(ClassIncrementalStream(set, {5, 1}).session(2), Error);
}

}  // namespace
}  // namespace fearnet
