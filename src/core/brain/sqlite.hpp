// RAII wrappers of SQLite: a database, a statement, a transaction.
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

// An open database file. Not thread-safe. Every function throws Error naming the file and the problem:
// missing, not a database, damaged, in use by another process, disk full, not writable.
class Database {
  public:
    // `lock_timeout`: how long to wait for another process that is writing. Nothing in the file is trusted:
    // its triggers and views do not run.
    Database(const std::filesystem::path& path, DatabaseAccess access,
             std::chrono::milliseconds lock_timeout);

    // Throws Error when it is negative. Longer than three weeks counts as three weeks.
    void set_lock_timeout(std::chrono::milliseconds lock_timeout);
    // Replaces the content of `target` with a snapshot. Writers wait meanwhile.
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

// A statement with its parameters (from 1) and the columns (from 0) of the current row.
class Statement {
  public:
    Statement(const Database& database, std::string_view sql);

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    // Text and bytes must outlive the next step.
    Statement& bind(int parameter, std::string_view value);
    Statement& bind(int parameter, ByteView value);
    // Moves to the next row. Returns false at the end.
    bool step();
    // Runs the statement to its end and resets it for new parameters.
    void run();

    // Throw Error if the column has another type.
    std::int64_t integer(int column) const;
    double real(int column) const;
    // Both are valid until the next step.
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

// A transaction: all changes between construction and commit() are made, or none.
class Transaction {
  public:
    // If `write`, takes the write lock at once. Otherwise all reads see one snapshot of the file.
    Transaction(Database& database, bool write);
    // Rolls back unless committed.
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
