#include "core/brain/sqlite.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

// "5 s", "0.05 s"
std::string seconds_text(std::chrono::milliseconds time) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(time).count());
    return text;
}

std::string explained(int code, const std::string& detail, std::chrono::milliseconds lock_timeout) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "another process is writing to it and was not done after " + seconds_text(lock_timeout) +
                   "; try again later, or with a longer lock timeout";
        case SQLITE_FULL:
            return "the disk is full; nothing was changed. Free some space and try again";
        case SQLITE_READONLY:
            return "it or its folder cannot be written to; nothing was changed";
        case SQLITE_CANTOPEN:
            return "cannot be opened; is the folder there and writable?";
        case SQLITE_NOTADB:
            return "not a database";
        case SQLITE_CORRUPT:
            return "damaged (" + detail + ")";
        case SQLITE_IOERR:
            return "reading or writing failed (" + detail + "); nothing was changed";
        case SQLITE_TOOBIG:
            return "a single array is larger than 1 GB, which a database cannot hold";
        case SQLITE_NOMEM:
            return "not enough memory";
        default:
            return detail;
    }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const {
    sqlite3_close_v2(handle);
}
void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Database::Database(const std::filesystem::path& path, DatabaseAccess access,
                   std::chrono::milliseconds lock_timeout)
    : name_(path.string()) {
    sqlite3* handle = nullptr;
    // Readers open for writing, too: the next process rolls back the change of a crashed writer. A file that
    // is not writable is opened for reading.
    const int code =
        sqlite3_open_v2(name_.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) fail(code);
    set_lock_timeout(lock_timeout);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    run("PRAGMA cell_size_check=ON");
    if (access == DatabaseAccess::read) run("PRAGMA query_only=ON");
}

void Database::fail(int code) const {
    const std::string detail = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
    throw Error(name_ + ": " + explained(code, detail, lock_timeout_));
}

void Database::set_lock_timeout(std::chrono::milliseconds lock_timeout) {
    if (lock_timeout.count() < 0)
        throw Error(name_ + ": the lock timeout is " + std::to_string(lock_timeout.count()) +
                    " ms; it must be 0 or more");
    constexpr std::chrono::milliseconds kLongest{std::numeric_limits<int>::max()};
    lock_timeout_ = std::min(lock_timeout, kLongest);
    sqlite3_busy_timeout(handle(), static_cast<int>(lock_timeout_.count()));
}

void Database::copy_into(Database& target) const {
    sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", handle(), "main");
    if (backup == nullptr) target.fail(sqlite3_errcode(target.handle()));
    const int step = sqlite3_backup_step(backup, -1);
    const int finished = sqlite3_backup_finish(backup);
    if ((step & 0xff) == SQLITE_BUSY || (step & 0xff) == SQLITE_LOCKED) fail(step);
    if (finished != SQLITE_OK) target.fail(finished);
}

void Database::run(const std::string& sql) {
    if (const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
        fail(code);
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    const int code =
        sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    statement_.reset(statement);
    if (code != SQLITE_OK) database.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), parameter, value);
    return *this;
}
Statement& Statement::bind(int parameter, double value) {
    sqlite3_bind_double(statement_.get(), parameter, value);
    return *this;
}
Statement& Statement::bind(int parameter, std::string_view value) {
    const int code = sqlite3_bind_text64(statement_.get(), parameter, value.empty() ? "" : value.data(),
                                         value.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) database_.fail(code);
    return *this;
}
Statement& Statement::bind(int parameter, ByteView value) {
    const int code = value.empty() ? sqlite3_bind_zeroblob(statement_.get(), parameter, 0)
                                   : sqlite3_bind_blob64(statement_.get(), parameter, value.data(),
                                                         value.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) database_.fail(code);
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_.fail(code);
    return false;
}

void Statement::run() {
    while (step()) {
    }
    sqlite3_reset(statement_.get());
}

void Statement::expect(int column, int type, const char* what) const {
    if (sqlite3_column_type(statement_.get(), column) != type)
        throw Error(database_.name() + ": damaged (the value of '" +
                    sqlite3_column_name(statement_.get(), column) + "' is not " + what + ")");
}
std::int64_t Statement::integer(int column) const {
    expect(column, SQLITE_INTEGER, "a whole number");
    return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
    expect(column, SQLITE_FLOAT, "a number");
    return sqlite3_column_double(statement_.get(), column);
}
std::string_view Statement::text(int column) const {
    expect(column, SQLITE_TEXT, "text");
    const auto* data = sqlite3_column_text(statement_.get(), column);
    if (data == nullptr) database_.fail(SQLITE_NOMEM);
    return {reinterpret_cast<const char*>(data),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
ByteView Statement::bytes(int column) const {
    expect(column, SQLITE_BLOB, "bytes");
    const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    if (data == nullptr && size > 0) database_.fail(SQLITE_NOMEM);
    return {data, static_cast<std::size_t>(size)};
}
bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database, bool write) : database_(database) {
    database_.run(write ? "BEGIN IMMEDIATE" : "BEGIN");
}
Transaction::~Transaction() {
    if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}
void Transaction::commit() {
    database_.run("COMMIT");
    open_ = false;
}

}  // namespace fearnet::io
