// SQLite as values: a database, statements and transactions that clean up after themselves.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/byte_view.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace fearnet::io {

enum class DatabaseAccess { read, write };

// One open database file. Not for several threads at once. Every function throws Error naming the file and
// what is wrong with it: missing, not a database, damaged, in use by another process, disk full, not
// writable.
class Database {
  public:
    // `lock_timeout`: how long to wait for another process that is writing. Nothing in the file is trusted:
    // its triggers and views do not run.
    Database(const std::filesystem::path& path, DatabaseAccess access,
             std::chrono::milliseconds lock_timeout);

    // Throws Error when it is negative. Longer than three weeks counts as three weeks.
    void set_lock_timeout(std::chrono::milliseconds lock_timeout);
    // Replaces all of `target` by the state of one instant. Writers wait meanwhile.
    void copy_into(Database& target) const;
    void run(const std::string& sql);
    const std::string& name() const { return name_; }
    sqlite3* handle() const { return handle_.get(); }
    [[noreturn]] void fail(int code) const;

  private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };
    std::string name_;
    std::chrono::milliseconds lock_timeout_{};
    std::unique_ptr<sqlite3, Close> handle_;
};

// One statement with its parameters (from 1) and the columns (from 0) of the row it stands on.
class Statement {
  public:
    Statement(const Database& database, std::string_view sql);

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    // Text and bytes must outlive the next step.
    Statement& bind(int parameter, std::string_view value);
    Statement& bind(int parameter, ByteView value);
    // True while there is a row.
    bool step();
    // Runs it to its end and makes it ready for other parameters.
    void run();

    // Throw Error when the column holds something else.
    std::int64_t integer(int column) const;
    double real(int column) const;
    // Both are good until the next step.
    std::string_view text(int column) const;
    ByteView bytes(int column) const;
    bool is_null(int column) const;

  private:
    void expect(int column, int type, const char* what) const;

    const Database& database_;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Everything between its making and commit() happens whole or not at all.
class Transaction {
  public:
    // `write` takes the right to write at once; else all reads see one state of the file.
    Transaction(Database& database, bool write);
    // Undoes everything unless it was committed.
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    // When it returns, the changes are on disk.
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

}  // namespace fearnet::io
