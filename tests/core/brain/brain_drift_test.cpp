// Whether the examples of a class still look like those taught: recorded, reported, and without false alarms.
#include <gtest/gtest.h>

#include <thread>

#include "core/brain/drift.hpp"
#include "fearnet/error.hpp"
#include "support/brains.hpp"
#include "support/forge.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kWidth = 12;

// Rows of classes 0 .. classes-1. Class 0 has moved by the share `shift` of the way to class 1.
Examples rows_of(std::size_t classes, std::size_t rows, std::uint64_t seed, float shift = 0) {
    Examples e = test::blobs(0, classes, rows, kWidth, seed);
    const Matrix centers = test::blobs(0, 2, 1, kWidth, 1, 0).x;
    for (std::size_t i = 0; i < e.size(); ++i)
        for (std::size_t j = 0; j < kWidth && index_of(e.labels[i]) == 0; ++j)
            e.x(i, j) += shift * (centers(1, j) - centers(0, j));
    return e;
}

Brain taught(std::size_t classes, std::size_t rows, std::uint64_t seed) {
    Brain brain;
    const Examples e = rows_of(classes, rows, seed);
    brain.learn(e.x, test::names_of(e));
    return brain;
}

void track(Brain& brain, const Matrix& x) {
    FamiliarityTrack seen;
    brain.predict(x, seen);
    brain.track(seen);
}

const BrainInfo::Class& class_0(const BrainInfo& info) {
    return info.classes.at(0);
}

std::size_t rows_in_table(const std::filesystem::path& file) {
    const io::Database database(file, io::DatabaseAccess::read, std::chrono::seconds(5));
    io::Statement count(database, "SELECT count(*) FROM familiarity");
    count.step();
    return static_cast<std::size_t>(count.integer(0));
}

TEST(BrainDrift, predictions_of_a_class_that_has_changed_are_reported_until_it_is_taught_again) {
    Brain brain = taught(4, 60, 1);
    EXPECT_FALSE(class_0(brain.info()).predicted) << "nothing was tracked";
    for (std::uint64_t call = 0; call < 6; ++call) track(brain, rows_of(4, 10, 20 + call).x);
    EXPECT_FALSE(class_0(brain.info()).predicted->changed);
    for (std::uint64_t call = 0; call < 12; ++call) track(brain, rows_of(4, 10, 40 + call, 0.12f).x);
    const BrainInfo info = brain.info();
    ASSERT_TRUE(class_0(info).predicted);
    EXPECT_TRUE(class_0(info).predicted->changed) << class_0(info).predicted->p_value;
    EXPECT_LT(class_0(info).predicted->familiarity, 0.4);
    EXPECT_EQ(class_0(info).predicted->since.size(), 20u);
    for (std::size_t c = 1; c < 4; ++c) EXPECT_FALSE(info.classes[c].predicted->changed);
    EXPECT_EQ(info.history.back().action, "track");
    EXPECT_EQ(info.history.size(), 3u) << "tracking again and again is one entry";

    const Examples fresh = rows_of(1, 60, 70, 0.12f);
    brain.learn(fresh.x, "class 0");
    EXPECT_FALSE(class_0(brain.info()).predicted);
    ASSERT_TRUE(class_0(brain.info()).taught_again);
    EXPECT_EQ(class_0(brain.info()).taught_again->rows, 60);
    EXPECT_LT(class_0(brain.info()).taught_again->familiarity, 0.4) << "asked before it was learned";
}

TEST(BrainDrift, sessions_of_a_class_that_has_changed_are_reported_once) {
    Brain brain = taught(4, 60, 1);
    for (std::uint64_t session = 0;
         session < 12 && !(class_0(brain.info()).taught_again && class_0(brain.info()).taught_again->changed);
         ++session)
        brain.learn(rows_of(1, 20, 80 + session, 0.2f).x, "class 0");
    ASSERT_TRUE(class_0(brain.info()).taught_again->changed);
    brain.learn(rows_of(1, 20, 99).x, "class 0");
    EXPECT_EQ(class_0(brain.info()).taught_again->rows, 20) << "a new record";
    EXPECT_FALSE(class_0(brain.info()).taught_again->changed);
}

// Of many brains, each taught, tracked and taught again with rows from one source, at most a share of p has a
// p-value below p. Classes overlap, so that predictions are often wrong.
TEST(BrainDrift, false_alarms_are_as_rare_as_promised) {
    constexpr std::size_t kSeeds = 60, kClasses = 5;
    std::size_t records = 0, below_1 = 0, below_5 = 0, alarms = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const auto noisy = [&](std::size_t rows, std::uint64_t s) {
            Examples e = rows_of(kClasses, rows, 1000 * seed + s);
            Rng rng(7000 * seed + s);
            for (std::size_t i = 0; i < e.x.size(); ++i)
                e.x.data()[i] += 0.3f * static_cast<float>(rng.normal());
            return e;
        };
        Brain brain;
        const Examples base = noisy(10 + 10 * (seed % 4), 1);
        brain.learn(base.x, test::names_of(base));
        if (seed % 2 == 1) brain.sleep();
        const auto count = [&] {
            bool alarm = false;
            for (const BrainInfo::Class& c : brain.info().classes)
                for (const auto& drift : {c.predicted, c.taught_again})
                    if (drift) {
                        ++records, below_1 += drift->p_value < 0.01, below_5 += drift->p_value < 0.05;
                        alarm |= drift->changed;
                    }
            alarms += alarm;
        };
        for (std::uint64_t call = 0; call < 12; ++call) track(brain, noisy(8, 10 + call).x);
        count();
        for (std::uint64_t session = 0; session < 3; ++session) {
            const Examples more = noisy(8, 30 + session);
            brain.learn(more.x, test::names_of(more));
        }
        count();
    }
    const double n = static_cast<double>(records);
    std::printf("%zu records: %.2f %% below 1 %%, %.2f %% below 5 %%; %zu alarms of %zu\n", records,
                100 * static_cast<double>(below_1) / n, 100 * static_cast<double>(below_5) / n, alarms,
                2 * kSeeds);
    EXPECT_LE(static_cast<double>(below_1), 0.01 * n + 3);
    EXPECT_LE(static_cast<double>(below_5), 0.05 * n + 6);
    EXPECT_LE(alarms, 4u);
}

TEST(BrainDrift, many_alike_rows_of_one_call_do_not_make_a_certainty) {
    Brain brain = taught(4, 60, 1);
    const Examples e = rows_of(1, 1, 5, 0.25f);
    Matrix copies(5000, kWidth);
    for (std::size_t i = 0; i < copies.rows(); ++i) std::copy_n(e.x.row(0), kWidth, copies.row(i));
    track(brain, copies);
    if (const auto drift = class_0(brain.info()).predicted) {
        EXPECT_GT(drift->p_value, 1e-9);
    }
    FamiliarityRecord record;
    record.examples = 100;
    SeenRows seen;
    for (int i = 0; i < 5000; ++i) seen.add(0.1, 1);
    add_call(record, seen);
    EXPECT_EQ(record.rows, 5000);
    EXPECT_LE(record.weight, 20);
}

TEST(BrainDrift, a_change_shows_however_much_was_recorded_before_it) {
    FamiliarityRecord record;
    record.examples = 100;
    const auto calls = [&](int count, double p_value) {
        for (int call = 0; call < count; ++call) {
            SeenRows seen;
            for (int i = 0; i < 30; ++i) seen.add(p_value, 1);
            add_call(record, seen);
        }
        const FamiliarityRecord* one[] = {&record};
        return drift_of(one).p_value;
    };
    EXPECT_GT(calls(1000, 0.5), 0.5);
    EXPECT_LE(record.weight, 100);
    EXPECT_LT(calls(20, 0.2), 0.001);
    EXPECT_EQ(record.rows, 1020 * 30);
}

// Mann and Whitney's variance for 20 new rows among 50: (20 + 50 + 1) / (12 * 20 * 50), without the +1.
TEST(BrainDrift, the_p_value_is_that_of_a_normal_deviate) {
    FamiliarityRecord r;
    r.examples = 50, r.rows = 20, r.weight = 20, r.sum = 20 * 0.45;
    const FamiliarityRecord* one[] = {&r};
    EXPECT_DOUBLE_EQ(drift_of(one).p_value, 0.5);
    r.sum = 20 * (0.45 - 2 * std::sqrt((1 / 20.0 + 1 / 50.0 + 1 / 100.0) / 12));
    EXPECT_NEAR(drift_of(one).p_value, 0.0227501319, 1e-9) << "scipy.stats.norm.sf(2)";
}

TEST(BrainDrift, records_follow_their_class) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    Brain(file, create_new());
    Brain brain(file);
    const Examples base = rows_of(4, 30, 1);
    brain.learn(base.x, test::names_of(base));
    track(brain, rows_of(4, 10, 2).x);
    brain.learn(rows_of(2, 10, 3).x, test::names_of(rows_of(2, 10, 3)));
    ASSERT_EQ(rows_in_table(file), 4u) << "two taught again, two predicted";
    const double before = class_0(brain.info()).taught_again->familiarity;
    brain.rename("class 0", "a");
    brain.merge("class 1", "a");
    const Brain opened(file);
    const BrainInfo info = opened.info();
    ASSERT_EQ(info.classes[0].name, "a");
    EXPECT_EQ(info.classes[0].taught_again->rows, 20) << "both parts";
    EXPECT_NE(info.classes[0].taught_again->familiarity, before);
    ASSERT_TRUE(info.classes[1].predicted);
    EXPECT_FALSE(info.classes[1].taught_again);
    brain.copy_to(folder / "copy.brain");
    EXPECT_EQ(Brain(folder / "copy.brain").info().classes[0].taught_again->rows, 20);
    brain.forget("class 2");
    EXPECT_EQ(rows_in_table(file), 3u) << "the class is gone from the file";
    EXPECT_EQ(check_brain(file), std::vector<std::string>{});
}

TEST(BrainDrift, what_was_seen_of_an_earlier_state_of_a_class_is_left_out) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    Brain brain(file, create_if_missing());
    const Examples base = rows_of(3, 30, 1), again = rows_of(1, 10, 3);
    brain.learn(base.x, test::names_of(base));
    FamiliarityTrack seen;
    brain.predict(rows_of(3, 10, 2).x, seen);
    EXPECT_GT(seen.rows(), 25u);
    {
        Brain other(file);
        other.learn(again.x, "class 0");
        other.forget("class 1");
    }
    brain.track(seen);
    const BrainInfo info = brain.info();
    EXPECT_FALSE(class_0(info).predicted) << "it was taught again meanwhile";
    ASSERT_EQ(info.classes.size(), 2u);
    EXPECT_TRUE(info.classes[1].predicted);
    EXPECT_EQ(check_brain(file), std::vector<std::string>{});
}

TEST(BrainDrift, several_writers_lose_nothing) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    {
        Brain brain(file, create_if_missing());
        const Examples base = rows_of(2, 30, 1);
        brain.learn(base.x, test::names_of(base));
    }
    constexpr std::size_t kWriters = 3, kCalls = 4;
    std::vector<std::size_t> rows(kWriters);
    std::vector<std::thread> writers;
    for (std::size_t w = 0; w < kWriters; ++w)
        writers.emplace_back([&, w] {
            Brain brain(file, BrainAccess::write, std::chrono::seconds(60));
            for (std::size_t call = 0; call < kCalls; ++call) {
                FamiliarityTrack seen;
                brain.predict(rows_of(2, 5, 100 * w + call).x, seen);
                brain.track(seen);
                rows[w] += seen.rows();
            }
        });
    for (std::thread& t : writers) t.join();
    std::int64_t recorded = 0, expected = 0;
    for (const BrainInfo::Class& c : Brain(file).info().classes) recorded += c.predicted->rows;
    for (const std::size_t n : rows) expected += static_cast<std::int64_t>(n);
    EXPECT_EQ(recorded, expected);
    EXPECT_EQ(Brain(file).info().history.back().examples, expected);
}

TEST(BrainDrift, a_learner_without_p_values_records_nothing_and_says_so) {
    Brain brain;
    const Examples base = rows_of(3, 1, 1);  // no row can be left out
    brain.learn(base.x, test::names_of(base));
    brain.learn(base.x, test::names_of(base));
    EXPECT_FALSE(class_0(brain.info()).taught_again);
    Brain single;
    single.learn(base.x, test::names_of(base));
    FamiliarityTrack seen;
    try {
        single.predict(base.x, seen);
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("class_p_values"), std::string::npos) << e.what();
    }
    EXPECT_EQ(seen.rows(), 0u);
    single.track(seen);
    EXPECT_EQ(single.info().history.size(), 2u) << "nothing to record, nothing changed";
}

TEST(BrainDrift, records_that_this_library_never_writes_are_refused) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    {
        Brain brain(file, create_if_missing());
        const Examples base = rows_of(3, 30, 1);
        brain.learn(base.x, test::names_of(base));
        track(brain, base.x);
    }
    const std::string whole = test::read_bytes(file);
    test::forge(file, "UPDATE familiarity SET sum = weight / 8");
    EXPECT_EQ(check_brain(file), std::vector<std::string>{}) << "the forgery itself is good";
    EXPECT_NO_THROW(Brain{file});
    for (const char* bad : {"sum = -1",
                            "sum = weight * 2",
                            "sum = 9e999",
                            "weight = 0",
                            "weight = -1",
                            "weight = row_count + 1",
                            "row_count = 0",
                            "row_count = 9223372036854775807",
                            "examples = 9223372036854775807",
                            "row_count = -5",
                            "examples = -1",
                            "since = ''",
                            "since = '2026-03-04'",
                            "since = char(27) || '026-03-04T00:00:00Z'",
                            "name = '7/predicted'",
                            "name = '0/guessed'",
                            "name = '-1/taught'",
                            "name = '00/taught'",
                            "name = char(27)",
                            "name = '0/predicted '"}) {
        test::write_bytes(file, whole);
        test::forge(file, std::string("UPDATE familiarity SET ") + bad + " WHERE name = '0/predicted'");
        EXPECT_THROW(Brain{file}, Error) << bad;
        const std::vector<std::string> problems = check_brain(file);
        ASSERT_EQ(problems.size(), 1u) << bad;
        EXPECT_NE(problems[0].find("familiarity"), std::string::npos) << problems[0];
        EXPECT_EQ(printable(problems[0]), problems[0]);
    }
}

TEST(BrainDrift, a_forged_count_in_the_history_does_not_overflow) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    const Examples base = rows_of(3, 30, 1);
    {
        Brain brain(file, create_if_missing());
        brain.learn(base.x, test::names_of(base));
        track(brain, base.x);
    }
    test::forge(file, "UPDATE history SET examples = 9223372036854775807");
    Brain brain(file);
    track(brain, base.x);
    EXPECT_LE(brain.info().history.back().examples, 90);
}

TEST(BrainDrift, damaged_and_missing_records_are_found) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "a.brain";
    {
        Brain brain(file, create_if_missing());
        const Examples base = rows_of(3, 30, 1);
        brain.learn(base.x, test::names_of(base));
        track(brain, base.x);
    }
    const std::string whole = test::read_bytes(file);
    for (const char* sql :
         {"UPDATE familiarity SET sum = sum * 0.9", "DELETE FROM familiarity", "DROP TABLE familiarity"}) {
        test::write_bytes(file, whole);
        io::Database(file, io::DatabaseAccess::write, std::chrono::seconds(5)).run(sql);
        EXPECT_FALSE(check_brain(file).empty()) << sql;
        EXPECT_THROW(Brain{file}, Error) << sql;
    }
}

}  // namespace
}  // namespace fearnet
