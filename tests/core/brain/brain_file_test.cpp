// The brain file when things go wrong: two writers, damage, foreign files, and what sleep deletes.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "support/brains.hpp"

namespace fearnet {
namespace {

using test::Folder;

class BrainFileTest : public testing::Test {
  protected:
    Brain taught() {
        Brain brain(file_, create_new(test::quick_brain()));
        test::teach_base(brain);
        test::teach_more(brain, 4, 2);
        return brain;
    }
    std::string error_of_opening() {
        try {
            Brain{file_};
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    }
    static void run_sql(const std::filesystem::path& file, const std::string& sql) {
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
        char* message = nullptr;
        EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
            << sql << ": " << message;
        sqlite3_free(message);
        sqlite3_close(db);
    }

    Folder folder_;
    std::filesystem::path file_ = folder_ / "a.brain";
    Examples probe_ = test::blobs(0, 6, 20, 12, 9);
};

TEST_F(BrainFileTest, nothing_of_a_thousand_examples_is_left_after_sleep) {
    constexpr std::size_t kRows = 1000, kWidth = 32, kWindow = 64;  // bytes of the 128 of a row
    BrainOptions options = test::quick_brain();
    options.settings.unit_length = false;  // the bytes that were given are those that are stored
    Brain brain(file_, create_new(options));
    const Examples base = test::blobs(0, 3, 30, kWidth, 1), rows = test::blobs(3, 4, kRows / 4, kWidth, 77);
    brain.learn(base.x, test::names_of(base));
    brain.learn(rows.x, test::names_of(rows));
    const auto windows_found = [&] {
        std::size_t found = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            const std::string bytes = test::read_bytes(entry.path());
            const auto* data = reinterpret_cast<const char*>(rows.x.data());
            for (std::size_t i = 0; i < kRows; ++i)
                for (std::size_t at = 0; at + kWindow <= kWidth * sizeof(float); at += sizeof(float))
                    found += bytes.find(std::string_view(data + i * kWidth * sizeof(float) + at, kWindow)) !=
                             bytes.npos;
        }
        return found;
    };
    EXPECT_GT(windows_found(), kRows) << "the search does not even find what is there";
    const auto before = std::filesystem::file_size(file_);
    ASSERT_TRUE(brain.sleep());
    EXPECT_EQ(windows_found(), 0u);
    EXPECT_LT(std::filesystem::file_size(file_), before) << "the space is given back";
}

TEST_F(BrainFileTest, not_even_the_name_of_a_forgotten_class_is_left) {
    Brain brain = taught();
    brain.rename("class 4", "a secret");
    ASSERT_NE(test::read_bytes(file_).find("a secret"), std::string::npos);
    brain.forget("a secret");
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        for (const char* name : {"a secret", "class 4"})
            EXPECT_EQ(test::read_bytes(entry.path()).find(name), std::string::npos)
                << entry.path() << ": " << name;
}

TEST_F(BrainFileTest, a_second_writer_waits_and_is_told_and_sees_what_the_first_wrote) {
    Brain first = taught();
    Brain second(file_, BrainAccess::write, std::chrono::milliseconds(50));
    const Examples e = test::blobs(6, 1, 10, 12, 5);
    std::string said;
    first.learn(e.x, test::names_of(e), [&](const ProgressEvent&) {
        if (!said.empty()) return true;
        try {
            second.rename("class 0", "zero");
        } catch (const Error& error) {
            said = error.what();
        }
        EXPECT_EQ(second.labels(probe_.x).size(), probe_.size()) << "reading does not wait";
        EXPECT_EQ(Brain(file_, BrainAccess::read).class_names().size(), 6u);
        return true;
    });
    EXPECT_NE(said.find("another process is writing"), std::string::npos) << said;
    second.rename("class 0", "zero");
    EXPECT_EQ(second.class_names().size(), 7u) << "it begins with what the first one wrote";
    EXPECT_TRUE(first.refresh());
    EXPECT_FALSE(first.refresh());
    EXPECT_EQ(first.class_names(), second.class_names());
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
}

TEST_F(BrainFileTest, readers_cannot_write) {
    taught();
    Brain reader(file_, BrainAccess::read);
    EXPECT_THROW(reader.rename("class 0", "zero"), Error);
    EXPECT_EQ(Brain(file_).class_names()[0], "class 0");
}

TEST_F(BrainFileTest, foreign_newer_and_cut_off_files_are_refused_by_name) {
    test::write_bytes(file_, "hello");
    EXPECT_NE(error_of_opening().find("not a brain file"), std::string::npos) << error_of_opening();
    std::filesystem::remove(file_);
    run_sql(file_, "CREATE TABLE t(x); INSERT INTO t VALUES (1)");
    EXPECT_NE(error_of_opening().find("not a brain file"), std::string::npos) << error_of_opening();
    std::filesystem::remove(file_);
    EXPECT_NE(error_of_opening().find("No such file"), std::string::npos) << error_of_opening();
    taught();
    const std::string whole = test::read_bytes(file_);
    for (const auto& [format, advice] : {std::pair{"1", "teach a new brain"}, {"3", "a newer program"}}) {
        run_sql(file_, std::string("PRAGMA user_version=") + format);
        const std::string said = error_of_opening();
        EXPECT_NE(said.find(std::string("a brain of format ") + format + ", but this program reads format 2"),
                  std::string::npos)
            << said;
        EXPECT_NE(said.find(advice), std::string::npos) << said;
    }
    for (const double share : {0.1, 0.5, 0.9}) {
        test::write_bytes(
            file_, whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        EXPECT_NE(error_of_opening(), "") << share;
    }
    test::write_bytes(file_, whole);
    EXPECT_EQ(error_of_opening(), "");
}

TEST_F(BrainFileTest, hostile_values_in_every_column_are_refused) {
    taught();
    const std::string whole = test::read_bytes(file_);
    const std::vector<std::string> changes{
        "UPDATE brain SET value='x'",
        "UPDATE brain SET value='99999999999999999999' WHERE name='next_class'",
        "UPDATE brain SET checksum=checksum+1",
        "DELETE FROM brain",
        "DELETE FROM brain WHERE name='digest'",
        "UPDATE options SET value='-1'",
        "DELETE FROM options WHERE name='network.hidden'",
        "INSERT INTO options VALUES ('no.such', '1', 0)",
        "UPDATE texts SET value='no-learner'",
        "UPDATE arrays SET row_count=row_count+1",
        "UPDATE arrays SET row_count=-1, column_count=-1",
        "UPDATE arrays SET row_count=9223372036854775807, column_count=9223372036854775807",
        "UPDATE arrays SET column_count=7 WHERE kind=4",
        "UPDATE arrays SET type=99",
        "UPDATE arrays SET type=5 WHERE type=1",
        "UPDATE arrays SET kind=77",
        "UPDATE arrays SET name=name||'x'",
        "DELETE FROM arrays WHERE rowid=(SELECT min(rowid) FROM arrays)",
        "UPDATE blocks SET data=zeroblob(length(data))",
        "UPDATE blocks SET data=x'00'",
        "UPDATE blocks SET number=number+1",
        "UPDATE blocks SET array=array||'x'",
        "DELETE FROM blocks",
        "INSERT INTO blocks VALUES ('seed', 1, x'0000', 0)",
        "INSERT INTO blocks VALUES ('stray', 0, x'00', 0)",
        "UPDATE classes SET id=id+1000",
        "UPDATE classes SET name='same'",
        "UPDATE classes SET name=x'ff'||'' WHERE id=0",
        "DELETE FROM classes WHERE id=1",
        "INSERT INTO classes VALUES (-5, 'x', 1, 0)",
        "INSERT INTO classes VALUES (99999999999, 'x', 1, 0)",
        "DROP TABLE history",
        "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON history BEGIN DELETE FROM blocks; END",
        "CREATE VIEW v AS SELECT * FROM brain",
    };
    for (const std::string& change : changes) {
        test::write_bytes(file_, whole);
        run_sql(file_, change);
        EXPECT_NE(error_of_opening(), "") << change;
        try {
            EXPECT_FALSE(check_brain(file_).empty()) << change;
        } catch (const Error&) {
        }
    }
}

TEST_F(BrainFileTest, a_flipped_bit_is_found_or_harmless) {
    Matrix expected;
    {
        Brain brain = taught();
        expected = brain.probabilities(probe_.x);
    }
    const std::string whole = test::read_bytes(file_);
    std::mt19937_64 random(7);
    std::size_t refused = 0;
    const char* wanted = std::getenv("FEARNET_FLIPS");
    const std::size_t flips = wanted ? std::stoul(wanted) : 10000;
    for (std::size_t k = 0; k < flips; ++k) {
        std::string bytes = whole;
        const std::size_t at = random() % bytes.size(), bit = random() % 8;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        test::write_bytes(file_, bytes);
        try {
            const Matrix got = Brain(file_).probabilities(probe_.x);
            ASSERT_TRUE(std::equal(got.data(), got.data() + got.size(), expected.data()))
                << "byte " << at << " bit " << bit;
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, flips / 20) << "most of a small file is empty space, but not all";
}

}  // namespace
}  // namespace fearnet
