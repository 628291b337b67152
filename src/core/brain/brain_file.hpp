// A brain on disk: one SQLite database, described table by table in docs/formats/brain.md.
#pragma once

#include <map>
#include <set>

#include "core/brain/sqlite.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// One class of the learner and what the user calls it. Merged classes stay apart in the learner and share a
// name.
struct NamedClass {
    ClassId id{};
    std::string name;
    std::int64_t examples = 0;  // taught so far
};

// Everything that is known but the history.
struct BrainContent {
    BrainSettings settings;
    State learner;
    std::vector<NamedClass> classes;  // ascending by id
    std::int64_t next_class = 0;      // ids are not used twice
    std::int64_t sessions_since_sleep = 0;
    std::int64_t examples_since_sleep = 0;
};

// Not for several threads at once.
class BrainFile {
    using Key = std::pair<std::string, std::string>;  // table and name
    using Checksums = std::map<Key, std::int64_t>;

  public:
    // Throws Error when there is something at `path` already, or it cannot be written.
    static void create(const std::filesystem::path& path, const BrainContent& content);
    // The same without a file: gone with the object.
    static BrainFile in_memory(const BrainContent& content);
    // Throws Error unless it is a brain of a version this library knows.
    BrainFile(const std::filesystem::path& path, io::DatabaseAccess access,
              std::chrono::milliseconds lock_timeout);
    void set_lock_timeout(std::chrono::milliseconds lock_timeout) {
        database_.set_lock_timeout(lock_timeout);
    }

    // What is in the file; every checksum is verified. Throws Error naming what is damaged.
    BrainContent load();
    // False when another process has written since load() or the last write.
    bool unchanged();
    // Verified as load() does.
    std::vector<HistoryEntry> history();
    // A new file with the state of one instant, also while another process writes. Every checksum of the copy
    // is verified before it appears at `path`. Throws Error when there is something at `path` already.
    void copy_to(const std::filesystem::path& path);

    // The right to write, from its making until it is written or given up; readers see the old state
    // meanwhile. Throws Error when another process has it for longer than the lock timeout.
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
        // Takes the names of these classes, this and earlier ones, out of the history.
        void forget_names(const std::set<ClassId>& ids);
        // Takes all classes out of the history: other classes get their ids.
        void detach_history();
        // Writes what differs from what load() or the last write() saw, and the entry with the time of now.
        // On disk when it returns, as before when it throws.
        void write(const BrainContent& content, HistoryEntry entry);

      private:
        BrainFile& file_;
        io::Transaction transaction_;
        // What the file holds unless this change is committed.
        Checksums stored_;
        std::int64_t changes_;
        bool committed_ = false;
    };
    // Gives the space of deleted rows back to the disk. They were overwritten with zeros before, so that
    // nothing is lost when there is no room or another process is reading: then it is left for the next time.
    void tidy();

    // Everything that is wrong, one line each: SQLite's own check, checksums, missing rows.
    std::vector<std::string> problems();

  private:
    explicit BrainFile(io::Database database) : database_(std::move(database)) {}
    // An empty database becomes a brain.
    static BrainFile filled(io::Database database, const BrainContent& content);
    void check_schema();
    // With `problems`, damage is collected instead of thrown.
    BrainContent read(std::vector<std::string>* problems);
    void write(const BrainContent& content, HistoryEntry entry);

    io::Database database_;
    Checksums stored_;  // of what the file holds
    std::int64_t changes_ = 0;
};

}  // namespace fearnet
