#include "core/brain/brain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <set>

#include "core/brain/array_rows.hpp"
#include "core/brain/checksum.hpp"
#include "core/brain/content_rows.hpp"
#include "core/brain/drift_rows.hpp"
#include "core/brain/history_rows.hpp"
#include "core/brain/schema.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// The rows of table "brain" that describe the file itself; every write changes them.
constexpr const char* kChanges = "changes";
constexpr const char* kDigest = "digest";

std::string create_statement(const Table& table) {
    return "CREATE TABLE " + std::string(table.name) + std::string(table.columns);
}

std::int64_t pragma(const io::Database& database, const std::string& name) {
    io::Statement statement(database, "PRAGMA " + name);
    return statement.step() ? statement.integer(0) : 0;
}

// Settings that make changes atomic and durable, and overwrite deleted rows.
void set_up(io::Database& database) {
    database.run("PRAGMA synchronous=EXTRA");
    database.run("PRAGMA secure_delete=ON");
}

std::int64_t next_number(const io::Database& database) {
    io::Statement last(database, "SELECT coalesce(max(number), 0) FROM history");
    return last.step() ? last.integer(0) + 1 : 1;
}

// A digest of all checksums, which detects missing rows.
template <class Checksums>
std::string digest_of(const Checksums& checksums, std::int64_t changes) {
    Checksum sum;
    sum.add(static_cast<std::uint64_t>(changes));
    for (const auto& [key, checksum] : checksums) sum.add(static_cast<std::uint64_t>(checksum));
    return std::to_string(sum.value());
}

// The bytes that identify a brain file are at fixed offsets and are written only once.
void check_header(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Error(path.string() + ": " + std::strerror(errno));
    unsigned char header[100] = {};
    const ssize_t read = ::read(file, header, sizeof header);
    ::close(file);
    const auto number = [&](std::size_t at) {
        return std::int64_t{header[at]} << 24 | header[at + 1] << 16 | header[at + 2] << 8 | header[at + 3];
    };
    if (read != sizeof header || std::memcmp(header, "SQLite format 3", 16) != 0 ||
        number(68) != kApplicationId)
        throw Error(path.string() + ": not a brain file ('fearnet new' makes one)");
    if (number(60) != kVersion)
        throw Error(
            path.string() + ": a brain of format " + std::to_string(number(60)) +
            ", but this program reads format " + std::to_string(kVersion) +
            (number(60) > kVersion ? "; use a newer program" : "; teach a new brain ('fearnet new')"));
    if (header[18] != 1 || header[19] != 1)
        throw Error(path.string() + ": a write-ahead log was switched on, which a brain does not use; " +
                    "'PRAGMA journal_mode=DELETE' undoes it");
}

void sync_folder(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return;
    ::fsync(handle);
    ::close(handle);
}

std::string journal_of(const std::filesystem::path& path) {
    return path.string() + "-journal";
}

// Creates an empty temporary file in the same folder.
std::filesystem::path create_beside(const std::filesystem::path& path, mode_t mode) {
    constexpr int kMaxAttempts = 1000;
    for (int attempt = 0;; ++attempt) {
        const std::string name =
            path.string() + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno == EEXIST && attempt < kMaxAttempts) continue;
        if (file < 0)
            throw Error(path.string() + ": cannot create a file beside it: " + std::strerror(errno));
        ::close(file);
        ::unlink(journal_of(name)
                     .c_str());  // left by a crashed process; SQLite would roll it back into the new file
        return name;
    }
}

// Calls `fill` to write a temporary file and then links it to `path`: the new file appears complete, and no
// existing file is replaced. Its permissions are `mode` without the bits of the umask.
void make_new_file(const std::filesystem::path& path, mode_t mode,
                   const std::function<void(const std::filesystem::path&)>& fill) {
    const auto taken = [&] {
        return Error(path.string() + ": exists already; choose another name or delete it");
    };
    std::error_code ignored;  // if this fails, so does creating the file, with a better message
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) throw taken();
    const std::filesystem::path made = create_beside(path, mode);
    const auto clean_up = [](const std::filesystem::path* p) {
        ::unlink(p->c_str());
        ::unlink(journal_of(*p).c_str());
    };
    const std::unique_ptr<const std::filesystem::path, decltype(clean_up)> temporary(&made, clean_up);
    fill(made);
    // Some file systems have no links. There the file is renamed, which could replace a file created in the
    // meantime.
    if (::link(made.c_str(), path.c_str()) != 0) {
        if (errno == EEXIST) throw taken();
        if (::rename(made.c_str(), path.c_str()) != 0)
            throw Error(path.string() + ": " + std::strerror(errno));
    }
    sync_folder(path);
}

}  // namespace

std::string time_now() {
    const std::time_t t = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&t, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

bool has_table(const io::Database& database, const char* name) {
    io::Statement table(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
    return table.bind(1, std::string_view(name)).step();
}

void BrainFile::create(const std::filesystem::path& path, const BrainContent& content) {
    constexpr mode_t kMode = 0644;  // SQLite's own
    make_new_file(path, kMode, [&](const std::filesystem::path& made) {
        filled(io::Database(made, io::DatabaseAccess::write, kLockTimeout), content);
    });
}

BrainFile BrainFile::in_memory(const BrainContent& content) {
    return filled(io::Database(":memory:", io::DatabaseAccess::write, kLockTimeout), content);
}

BrainFile BrainFile::filled(io::Database database, const BrainContent& content) {
    database.run("PRAGMA page_size=8192");
    database.run("PRAGMA application_id=" + std::to_string(kApplicationId));
    database.run("PRAGMA user_version=" + std::to_string(kVersion));
    set_up(database);
    BrainFile file(std::move(database));
    io::Transaction transaction(file.database_, true);
    for (const Table& table : kTables)
        if (!table.optional) file.database_.run(create_statement(table));
    HistoryEntry entry;
    entry.action = "new";
    file.write(content, entry);
    transaction.commit();
    return file;
}

void BrainFile::copy_to(const std::filesystem::path& path) {
    struct stat info {};
    const mode_t mode = ::stat(database_.name().c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
    make_new_file(path, mode | 0600, [&](const std::filesystem::path& made) {
        {
            io::Database database(made, io::DatabaseAccess::write, kLockTimeout);
            set_up(database);
            database_.copy_into(database);
        }
        BrainFile(made, io::DatabaseAccess::read, kLockTimeout).load();
    });
}

BrainFile::BrainFile(const std::filesystem::path& path, io::DatabaseAccess access,
                     std::chrono::milliseconds lock_timeout)
    : BrainFile((check_header(path), io::Database(path, access, lock_timeout))) {
    set_up(database_);
    check_schema();
}

void BrainFile::check_schema() {
    std::set<std::string> missing;
    std::set<std::string> optional;
    for (const Table& table : kTables) (table.optional ? optional : missing).insert(create_statement(table));
    io::Statement objects(database_, "SELECT name, coalesce(sql, '') FROM sqlite_schema");
    while (objects.step()) {
        const std::string name(objects.text(0)), sql(objects.text(1));
        if (name.starts_with("sqlite_autoindex_") && sql.empty()) continue;
        if (missing.erase(sql) + optional.erase(sql) == 0)
            throw Error(database_.name() + ": damaged ('" + name.substr(0, 40) +
                        "' is not a table of a brain of version " + std::to_string(kVersion) + ")");
    }
    if (!missing.empty())
        throw Error(database_.name() + ": damaged (" + std::to_string(missing.size()) + " of " +
                    std::to_string(kTables.size()) + " tables are missing)");
}

BrainContent BrainFile::read(std::vector<std::string>* problems) {
    const auto damaged = [&](const std::string& text) {
        if (problems == nullptr) throw Error(database_.name() + ": damaged (" + text + ")");
        problems->push_back(printable(text));
    };
    BrainContent content;
    Checksums checksums;
    std::string changes, digest;
    const RowCheck check{
        [&](const std::string& table, const std::string& name, std::int64_t stored, std::int64_t actual) {
            if (stored != actual) damaged(table + " '" + name + "': the checksum does not match");
            if (table != "brain" || (name != kChanges && name != kDigest)) checksums[{table, name}] = stored;
        },
        damaged};
    read_content(database_, check, content);
    read_history(database_, check);
    io::Statement rows(database_,
                       "SELECT name, value FROM brain WHERE name IN ('changes', 'digest') ORDER BY name");
    while (rows.step()) (rows.text(0) == kChanges ? changes : digest) = rows.text(1);
    stored_ = std::move(checksums);
    changes_ = std::strtoll(changes.c_str(), nullptr, 10);
    if (digest != digest_of(stored_, changes_))
        damaged("rows are missing: the checksum of all rows does not match");
    return content;
}

BrainContent BrainFile::load() {
    const io::Transaction transaction(database_, false);
    return read(nullptr);
}

bool BrainFile::unchanged() {
    io::Statement row(database_, "SELECT value FROM brain WHERE name = 'changes'");
    return row.step() && row.text(0) == std::to_string(changes_);
}

std::vector<HistoryEntry> BrainFile::history() {
    const auto damaged = [&](const std::string& text) {
        throw Error(database_.name() + ": damaged (" + text + ")");
    };
    return read_history(database_, {[&](const std::string& table, const std::string& name,
                                        std::int64_t stored, std::int64_t actual) {
                                        if (stored != actual)
                                            damaged(table + " '" + name + "': the checksum does not match");
                                    },
                                    damaged});
}

void BrainFile::create_optional_tables(const BrainContent& content) {
    if (content.familiarity.empty() || has_table(database_, kFamiliarityTable)) return;
    for (const Table& table : kTables)
        if (table.name == kFamiliarityTable) database_.run(create_statement(table));
}

void BrainFile::write(const BrainContent& content, HistoryEntry entry) {
    create_optional_tables(content);
    Checksums checksums;
    for (const auto& [key, checksum] : stored_)
        if (key.first == kHistoryTable) checksums[key] = checksum;
    for (const ContentRow& row : content_rows(content)) {
        const auto before = stored_.find({row.table, row.name});
        if (before == stored_.end() || before->second != row.checksum) row.write(database_);
        checksums[{row.table, row.name}] = row.checksum;
    }
    for (const auto& [key, checksum] : stored_) {
        if (checksums.count(key) != 0) continue;
        if (key.first == "blocks") {
            delete_block(database_, key.second);
            continue;
        }
        const std::string column = key.first == "classes" ? "id" : "name";
        io::Statement(database_, "DELETE FROM " + key.first + " WHERE " + column + " = ?")
            .bind(1, std::string_view(key.second))
            .run();
    }
    entry.number = next_number(database_);
    if (entry.action == kTrackAction)
        if (const std::vector<HistoryEntry> before = history();
            !before.empty() && before.back().action == kTrackAction) {
            entry.number = before.back().number;
            if (const std::int64_t n = before.back().examples; n >= 0 && n < kMostCount) entry.examples += n;
            entry.seconds += before.back().seconds;
        }
    entry.time = time_now();
    write_history(database_, entry);
    checksums[{kHistoryTable, std::to_string(entry.number)}] = history_checksum(entry);
    const std::int64_t changes = changes_ + 1;
    for (const auto& [name, value] :
         {std::pair{kChanges, std::to_string(changes)}, std::pair{kDigest, digest_of(checksums, changes)}}) {
        Checksum sum;
        sum.add(std::string_view("brain")), sum.add(std::string_view(name)), sum.add(std::string_view(value));
        io::Statement(database_, "INSERT OR REPLACE INTO brain VALUES (?, ?, ?)")
            .bind(1, std::string_view(name))
            .bind(2, std::string_view(value))
            .bind(3, sum.value())
            .run();
    }
    stored_ = std::move(checksums);
    changes_ = changes;
}

void BrainFile::Change::forget_names(const std::set<ClassId>& ids) {
    for (HistoryEntry entry : file_.history()) {
        const auto gone = [&](ClassId id) { return ids.contains(id); };
        if (entry.detail.empty() ||
            std::none_of(entry.known_classes.begin(), entry.known_classes.end(), gone))
            continue;
        entry.detail.clear();
        write_history(file_.database_, entry);
        file_.stored_[{kHistoryTable, std::to_string(entry.number)}] = history_checksum(entry);
    }
}

void BrainFile::Change::detach_history() {
    for (HistoryEntry entry : file_.history()) {
        if (entry.action == "rename" || entry.action == "merge") entry.detail.clear();
        entry.new_classes.clear(), entry.known_classes.clear();
        write_history(file_.database_, entry);
        file_.stored_[{kHistoryTable, std::to_string(entry.number)}] = history_checksum(entry);
    }
}

BrainContent BrainFile::Change::load() {
    BrainContent content = file_.read(nullptr);
    stored_ = file_.stored_, changes_ = file_.changes_;
    return content;
}

void BrainFile::Change::write(const BrainContent& content, HistoryEntry entry) {
    file_.write(content, std::move(entry));
    transaction_.commit();
    committed_ = true;
}

void BrainFile::tidy() noexcept {
    try {
        if (pragma(database_, "freelist_count") > 0) database_.run("VACUUM");
    } catch (const std::exception&) {
    }
}

std::vector<std::string> BrainFile::problems() {
    std::vector<std::string> found;
    const io::Transaction transaction(database_, false);
    io::Statement lines(database_, "PRAGMA integrity_check(20)");
    while (lines.step())
        if (lines.text(0) != "ok") found.push_back("database: " + printable(lines.text(0)));
    try {
        read(&found);
    } catch (const Error& error) {
        found.push_back(error.what());
    }
    return found;
}

}  // namespace fearnet
