// A brain file from somebody else, names from anywhere, and copies of a brain in use.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <thread>

#include "core/base/utf8.hpp"
#include "fearnet/error.hpp"
#include "support/brains.hpp"
#include "support/forge.hpp"

namespace fearnet {
namespace {

using test::Folder;

// Each refused for one reason of its own.
const std::vector<std::string> kBadNames{"",
                                         "a\x1b]0;x\a",
                                         "a\nb",
                                         "a\x7f",
                                         "a\xc2\x9b"
                                         "b",
                                         "a\xe2\x80\xae"
                                         "b",
                                         "a\xe2\x81\xa6"
                                         "b",
                                         "a\xd8\x9c"
                                         "b",
                                         "a\xe2\x80\xa8"
                                         "b",
                                         "a\xff",
                                         std::string(257, 'x')};

bool is_safe(const std::string& text) {
    return printable(text) == text;
}

class BrainTrust : public testing::Test {
  protected:
    BrainTrust() {
        Brain brain(file_, create_new());
        test::teach_base(brain);
        brain.rename("class 3", "three");
    }
    template <class Work>
    static std::string error_of(const Work& work) {
        try {
            work();
        } catch (const Error& e) {
            EXPECT_TRUE(is_safe(e.what())) << printable(e.what());
            return e.what();
        }
        return "";
    }
    std::string error_of_opening() {
        return error_of([&] { Brain{file_}; });
    }

    Folder folder_;
    std::filesystem::path file_ = folder_ / "a.brain";
};

TEST_F(BrainTrust, names_that_a_terminal_would_obey_are_refused_and_quoted_safely) {
    Brain brain(file_);
    const Examples e = test::blobs(4, 1, 5, 12, 5);
    for (const std::string& name : kBadNames) {
        EXPECT_NE(error_of([&] { brain.rename("class 0", name); }), "") << printable(name);
        EXPECT_NE(error_of([&] { brain.learn(e.x, std::vector<std::string>(5, name)); }), "")
            << printable(name);
        EXPECT_NE(error_of([&] { brain.forget(name); }), "") << printable(name);
        EXPECT_NE(error_of([&] { brain.merge("class 0", name); }), "") << printable(name);
    }
    EXPECT_EQ(brain.class_names(), (std::vector<std::string>{"class 0", "class 1", "class 2", "three"}));
    brain.rename("class 0", std::string(256, 'x'));
}

TEST_F(BrainTrust, names_of_a_forged_file_are_refused_though_every_checksum_fits) {
    const std::string whole = test::read_bytes(file_);
    test::forge(file_, "UPDATE classes SET name = 'harmless' WHERE id = 0");
    EXPECT_EQ(error_of_opening(), "") << "the forgery itself is good";
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
    for (const std::string& name : kBadNames) {
        test::write_bytes(file_, whole);
        std::string hex;
        for (const char c : name) {
            char two[3];
            std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
            hex += two;
        }
        const std::string text = "CAST(x'" + hex + "' AS TEXT)";
        test::forge(file_, "UPDATE classes SET name = " + text + " WHERE id = 0");
        EXPECT_NE(error_of_opening().find("class 0"), std::string::npos) << printable(name);
        const std::vector<std::string> problems = check_brain(file_);
        ASSERT_EQ(problems.size(), 1u) << printable(name);
        EXPECT_TRUE(is_safe(problems[0]));
        if (is_safe(name)) continue;
        for (const std::string column : {"detail", "action", "time"}) {
            test::write_bytes(file_, whole);
            test::forge(file_, "UPDATE history SET " + column + " = " + text + " WHERE number = 2");
            EXPECT_NE(error_of_opening().find("history '2'"), std::string::npos) << printable(name);
            ASSERT_EQ(check_brain(file_).size(), 1u) << printable(name);
            EXPECT_TRUE(is_safe(check_brain(file_)[0]));
        }
    }
}

TEST_F(BrainTrust, what_is_found_wrong_is_quoted_safely) {
    const std::string whole = test::read_bytes(file_);
    for (const char* sql :
         {"INSERT INTO brain VALUES ('x.' || char(27) || ']0;x', 'y', 0)",
          "INSERT INTO texts VALUES (char(27, 0x9b, 0x202e), 'y', 0)",
          "INSERT INTO arrays VALUES (char(27, 0x9b, 0x202e), 1, 1, 1, 1, 0)",
          "UPDATE options SET value = char(27, 0x9b, 0x202e)", "CREATE TABLE \"a\x1b[2J\xe2\x80\xae\"(x)"}) {
        test::write_bytes(file_, whole);
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(file_.c_str(), &db), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << printable(sql);
        sqlite3_close(db);
        EXPECT_NE(error_of_opening(), "") << printable(sql);
        error_of([&] {
            for (const std::string& problem : check_brain(file_)) EXPECT_TRUE(is_safe(problem)) << sql;
        });
    }
}

TEST_F(BrainTrust, a_check_covers_every_column_of_every_table) {
    {
        BrainOptions options = test::quick_brain();
        std::filesystem::remove(file_);
        Brain brain(file_, create_new(options));
        test::teach_base(brain);
        test::teach_more(brain, 4);
    }
    const std::string whole = test::read_bytes(file_);
    std::vector<std::string> changes;
    {
        io::Database database(file_, io::DatabaseAccess::read, std::chrono::seconds(5));
        io::Statement columns(
            database,
            "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table'");
        while (columns.step()) {
            const std::string table(columns.text(0)), column(columns.text(1)), type(columns.text(2));
            const std::string other = type == "TEXT"   ? column + " || 'x'"
                                      : type == "BLOB" ? "zeroblob(length(" + column + ") + 1)"
                                                       : column + " + 1";
            const std::string one = " WHERE rowid = (SELECT max(rowid) FROM " + table + ")";
            changes.push_back("UPDATE " + table + " SET " + column + " = " + other + one);
        }
    }
    ASSERT_EQ(changes.size(), 3u * 3 + 6 + 4 + 4 + 9) << "columns";
    for (const char* table : {"brain", "options", "texts", "arrays", "blocks", "classes", "history"})
        changes.push_back(std::string("DELETE FROM ") + table + " WHERE rowid = (SELECT max(rowid) FROM " +
                          table + ")");
    for (const std::string& change : changes) {
        test::write_bytes(file_, whole);
        io::Database(file_, io::DatabaseAccess::write, std::chrono::seconds(5)).run(change);
        EXPECT_FALSE(check_brain(file_).empty()) << change;
        EXPECT_NE(error_of_opening(), "") << change;
    }
}

TEST_F(BrainTrust, the_history_grows_and_forgets_and_stays_whole) {
    Brain brain(file_);
    brain.forget("three");
    EXPECT_NE(error_of([&] { brain.forget("three"); }), "") << "a change that fails";
    brain.rename("class 0", "zero");
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
    std::vector<std::string> actions;
    for (const HistoryEntry& h : Brain(file_, BrainAccess::read).info().history)
        actions.push_back(std::to_string(h.number) + " " + h.action);
    EXPECT_EQ(actions, (std::vector<std::string>{"1 new", "2 learn", "3 rename", "4 forget", "5 rename"}));
}

TEST_F(BrainTrust, forgetting_a_class_takes_its_names_out_of_the_history_and_no_others) {
    std::filesystem::remove(file_);
    Brain brain(file_, create_new(test::quick_brain()));
    const Examples base = test::blobs(0, 4, 25, 12, 1);
    const std::vector<std::string> names{"owl", "owlet", "lark", "wren"};
    std::vector<std::string> labels;
    for (const ClassId id : base.labels) labels.push_back(names[static_cast<std::size_t>(index_of(id))]);
    brain.learn(base.x, labels);
    brain.rename("owl", "strix");
    brain.rename("owlet", "athene");
    brain.forget("strix");
    std::vector<std::string> details;
    for (const HistoryEntry& h : Brain(file_, BrainAccess::read).info().history) details.push_back(h.detail);
    EXPECT_EQ(details, (std::vector<std::string>{"", "lark, (a forgotten class), athene, wren",
                                                 "(a forgotten class)", "owlet -> athene", "a class"}));
    const std::string bytes = test::read_bytes(file_);
    EXPECT_EQ(bytes.find("strix"), std::string::npos);
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
}

TEST_F(BrainTrust, a_copy_is_the_brain_of_one_instant_and_replaces_nothing) {
    Brain brain(file_);
    const Examples probe = test::blobs(0, 4, 5, 12, 9), more = test::blobs(4, 1, 10, 12, 5);
    const Matrix before = brain.probabilities(probe.x);
    const std::filesystem::path copy = folder_ / "copy.brain";
    std::filesystem::permissions(file_,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    // In the middle of a change by another.
    Brain reader(file_, BrainAccess::read);
    bool copied = false;
    brain.learn(more.x, test::names_of(more), [&](const ProgressEvent&) {
        if (!copied) reader.copy_to(copy), copied = true;
        return true;
    });
    if (!copied) GTEST_SKIP() << "the learner reports no progress";
    EXPECT_EQ(check_brain(copy), std::vector<std::string>{});
    const Brain opened(copy, BrainAccess::read);
    EXPECT_EQ(opened.class_names(), (std::vector<std::string>{"class 0", "class 1", "class 2", "three"}));
    const Matrix after = opened.probabilities(probe.x);
    EXPECT_TRUE(std::equal(before.data(), before.data() + before.size(), after.data()));
    EXPECT_EQ(std::filesystem::status(copy).permissions(), std::filesystem::status(file_).permissions());
    EXPECT_NE(error_of([&] { brain.copy_to(copy); }).find("exists already"), std::string::npos);
    EXPECT_NE(error_of([&] { brain.copy_to(file_); }).find("exists already"), std::string::npos);
    EXPECT_NE(error_of([&] { brain.copy_to(folder_ / "none/a"); }).find("none/a"), std::string::npos);
    std::filesystem::create_symlink("nowhere", folder_ / "link");
    EXPECT_NE(error_of([&] { brain.copy_to(folder_ / "link"); }).find("exists already"), std::string::npos);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++files;
    EXPECT_EQ(files, 3u) << "the brain, the copy and the link";
}

TEST_F(BrainTrust, copies_are_whole_while_another_writes) {
    constexpr int kCopies = 8;
    std::atomic<bool> done = false;
    std::thread writer([&] {
        Brain brain(file_, BrainAccess::write, std::chrono::seconds(60));
        for (int i = 0; !done; ++i) {
            brain.rename(i % 2 ? "2" : "class 2", i % 2 ? "class 2" : "2");
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // readers get a turn
        }
    });
    const Brain reader(file_, BrainAccess::read, std::chrono::seconds(60));
    for (int i = 0; i < kCopies; ++i) {
        const std::filesystem::path copy = folder_ / ("copy" + std::to_string(i));
        reader.copy_to(copy);
        EXPECT_EQ(check_brain(copy), std::vector<std::string>{}) << i;
        const Brain opened(copy, BrainAccess::read);
        const BrainInfo info = opened.info();
        EXPECT_EQ(info.classes.size(), 4u);
        EXPECT_EQ(opened.class_names()[0] == "2", info.history.size() % 2 == 0) << "one instant";
    }
    done = true;
    writer.join();
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
}

TEST_F(BrainTrust, the_lock_timeout_is_named_when_it_is_over) {
    Brain first(file_), second(file_);
    second.set_lock_timeout(std::chrono::milliseconds(20));
    const Examples more = test::blobs(4, 1, 10, 12, 5);
    std::string said;
    first.learn(more.x, test::names_of(more), [&](const ProgressEvent&) {
        if (said.empty()) said = error_of([&] { second.rename("class 0", "zero"); });
        return true;
    });
    EXPECT_NE(said.find("not done after 0.02 s"), std::string::npos) << said;
    EXPECT_NE(said.find("lock timeout"), std::string::npos) << said;
    EXPECT_NE(error_of([&] { second.set_lock_timeout(std::chrono::milliseconds(-1)); }), "");
    second.set_lock_timeout(std::chrono::hours(1000000));
    second.rename("class 0", "zero");
}

TEST_F(BrainTrust, counts_are_of_names_after_a_merge) {
    Brain brain(file_);
    brain.merge("class 1", "class 2");
    EXPECT_NE(error_of([&] { brain.forget("nobody"); }).find("there are 3 classes"), std::string::npos);
}

}  // namespace
}  // namespace fearnet
