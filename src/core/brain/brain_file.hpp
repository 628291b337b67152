// A brain on disk: one SQLite database, described table by table in docs/formats/brain.md.
#pragma once

#include <map>
#include <set>

#include "core/brain/drift.hpp"
#include "core/brain/sqlite.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// A class of the learner and its name. Merged classes are separate classes of the learner with one name.
struct NamedClass {
    ClassId id{};
    std::string name;
    std::int64_t examples = 0;  // taught so far
};

// The whole content of a brain except for the history.
struct BrainContent {
    BrainSettings settings;
    FrontEnd front_end;
    State learner;
    std::vector<NamedClass> classes;  // ascending by id
    std::int64_t next_class = 0;      // ids are never reused
    std::int64_t sessions_since_sleep = 0;
    std::int64_t examples_since_sleep = 0;
    std::vector<FamiliarityRecord> familiarity;  // at most one per class and SeenAs
};

// The current time, UTC, as the history has it.
std::string time_now();

// Whether the database has a table of this name.
bool has_table(const io::Database& database, const char* name);

// The history entry of Brain::track. Several in a row are one entry.
inline constexpr const char* kTrackAction = "track";

// Not thread-safe.
class BrainFile {
    using Key = std::pair<std::string, std::string>;  // table and name
    using Checksums = std::map<Key, std::int64_t>;

  public:
    // Creates a file. Throws Error if there is something at `path`, or it cannot be written.
    static void create(const std::filesystem::path& path, const BrainContent& content);
    // A database in memory, lost with the object.
    static BrainFile in_memory(const BrainContent& content);
    // Throws Error unless the file is a brain of a format version that this library reads.
    BrainFile(const std::filesystem::path& path, io::DatabaseAccess access,
              std::chrono::milliseconds lock_timeout);
    void set_lock_timeout(std::chrono::milliseconds lock_timeout) {
        database_.set_lock_timeout(lock_timeout);
    }

    // Reads the file and verifies every checksum. Throws Error naming the damaged row.
    BrainContent load();
    // Returns false if another process has written since load() or the last write.
    bool unchanged();
    // The number of changes up to load() or the last write.
    std::int64_t changes() const { return changes_; }
    // Verified as load() does.
    std::vector<HistoryEntry> history();
    // Copies a snapshot to a new file, even while another process writes. Verifies every checksum of the copy
    // before it appears at `path`. Throws Error if there is something at `path`.
    void copy_to(const std::filesystem::path& path);

    // A change of the file. Holds the write lock from construction until write() or destruction; readers see
    // the old state meanwhile. Throws Error if another process holds the lock for the lock timeout.
    class Change {
      public:
        explicit Change(BrainFile& file)
            : file_(file),
              transaction_(file.database_, true),
              stored_(file.stored_),
              changes_(file.changes_) {}
        ~Change() {
            if (!committed_) file_.stored_ = std::move(stored_), file_.changes_ = changes_;
        }
        Change(const Change&) = delete;
        Change& operator=(const Change&) = delete;
        // As BrainFile::load.
        BrainContent load();
        // Removes the current and earlier names of these classes from the history.
        void forget_names(const std::set<ClassId>& ids);
        // Removes all classes from the history, before their ids are given to other classes.
        void detach_history();
        // Writes the rows that changed since load() or the last write(), and the history entry with the
        // current time. The change is on disk when write returns; the file is unchanged if it throws.
        void write(const BrainContent& content, HistoryEntry entry);

      private:
        BrainFile& file_;
        io::Transaction transaction_;
        // The rows of the file before this change.
        Checksums stored_;
        std::int64_t changes_;
        bool committed_ = false;
    };
    // Returns the space of deleted rows to the file system. If the disk is full or another process is
    // reading, the next call does so; deleted rows are overwritten with zeros in any case.
    void tidy() noexcept;

    // All problems, one line each: SQLite's integrity check, checksums, missing rows.
    std::vector<std::string> problems();

  private:
    explicit BrainFile(io::Database database) : database_(std::move(database)) {}
    // Creates the tables of a brain in an empty database.
    static BrainFile filled(io::Database database, const BrainContent& content);
    void check_schema();
    // With `problems`, damage is collected instead of thrown.
    BrainContent read(std::vector<std::string>* problems);
    void write(const BrainContent& content, HistoryEntry entry);
    void create_optional_tables(const BrainContent& content);

    io::Database database_;
    Checksums stored_;  // of the rows in the file
    std::int64_t changes_ = 0;
};

}  // namespace fearnet
