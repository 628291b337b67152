// A learner that lives in a file.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/options.hpp"
#include "fearnet/plus_options.hpp"
#include "fearnet/registry.hpp"

namespace fearnet {

enum class BrainFeatures { raw, text };

struct BrainSettings {
    BrainFeatures features = BrainFeatures::raw;
    bool unit_length = true;
    std::int64_t due_sessions = 10;
    std::int64_t due_examples = 0;
    std::int64_t due_bytes = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("brain.features", features,
                 "What is learned from: rows of numbers, or text, as hashed runs of 1 to 3 characters.",
                 {"raw", "text:ngrams"});
        v.option("brain.unit_length", unit_length, "Scale every row to length one before anything else.");
        v.option("due.sessions", due_sessions, "Sleep is due after this many sessions; 0: does not matter.",
                 0, 1000000);
        v.option("due.examples", due_examples,
                 "Sleep is due when the recent memory holds this many examples; 0: does not matter.", 0,
                 1000000000);
        v.option("due.bytes", due_bytes,
                 "Sleep is due when the recent memory's examples take this many bytes; 0: does not matter.",
                 0, 1000000000000);
    }
};

// What a new brain learns with, a FearNet plus unless another learner is named, and its own settings.
struct BrainOptions {
    LearnerSpec learner;
    BrainSettings settings;

    BrainOptions() = default;
    BrainOptions(LearnerSpec spec, BrainSettings own = {}) : learner(std::move(spec)), settings(own) {}
    // PlusOptions, FearNetOptions, or the options of a registered learner of your own.
    template <class Options>
    requires requires { std::string(Options::kLearner); }
    BrainOptions(const Options& options, BrainSettings own = {})
        : learner(learner_spec(options)), settings(own) {}
};

// For the constructor of Brain: the options of the brain that is made where there is no file.
struct CreateIfMissing {
    BrainOptions options;
};
inline CreateIfMissing create_if_missing(BrainOptions options = {}) {
    return {std::move(options)};
}

enum class BrainAccess { read, write };

// How long to wait for another process that is writing, unless told otherwise.
inline constexpr std::chrono::milliseconds kLockTimeout = std::chrono::seconds(5);

// What one session or sleep did.
struct LearnOutcome {
    std::size_t examples = 0;
    std::vector<std::string> new_classes;
    std::vector<std::string> known_classes;  // met again
    std::optional<std::string> sleep_due;    // why sleep is due now; none when it is not
    double learn_seconds = 0;
    double write_seconds = 0;
};

struct RankedClass {
    std::string name;
    double probability = 0;
};

// The answer for one row: how likely every class is. The answers of one call share their numbers, so that a
// copy is cheap and one answer keeps those of its call alive.
class BrainAnswer {
  public:
    // The likeliest class, and how likely it is.
    const std::string& label() const;
    double probability() const;
    // The `count` likeliest classes, likeliest first; all classes when there are fewer.
    std::vector<RankedClass> top(std::size_t count) const;

  private:
    friend class Brain;
    struct Batch;
    std::shared_ptr<const Batch> batch_;
    std::size_t row_ = 0;
};

// Where one answer of a learner with two memories came from; Explanation (fearnet/fearnet_options.hpp) has
// the meaning of the numbers.
struct BrainExplanation {
    std::string label;
    Memory memory = Memory::consolidated;  // that answered
    std::string recent_label;              // best class of the recent memory; empty when that is empty
    std::string consolidated_label;        // best class of the long-term memory; recent_label if it is empty
    double recent_probability = 0;
    double consolidated_probability = 0;
    double router = 0;
    double psi = 0;
};
// One line.
std::ostream& operator<<(std::ostream& out, const BrainExplanation& explanation);

// One stored change.
struct HistoryEntry {
    std::int64_t number = 0;
    std::string time;                    // UTC, ISO 8601
    std::string action;                  // "new", "learn", "sleep", "forget", "rename", "merge"
    std::string detail;                  // for people; classes by the names they have now
    std::vector<ClassId> new_classes;    // of "learn": taught for the first time
    std::vector<ClassId> known_classes;  // of "learn": met again; of "rename" and "merge": renamed
    std::int64_t examples = 0;
    double seconds = 0;
};

struct BrainInfo {
    struct Class {
        std::string name;
        std::int64_t examples = 0;  // taught so far
        bool recent = false;        // has examples in the recent memory
        bool consolidated = false;  // is known to the long-term memory
        std::size_t parts = 1;      // classes that were merged into it, and itself
    };
    std::vector<Class> classes;  // by name
    std::string learner;
    std::size_t width = 0;  // features per row; 0 before the first session
    MemoryUse memory;
    std::size_t file_bytes = 0;
    std::int64_t sessions_since_sleep = 0;
    std::optional<std::string> sleep_due;  // why; none when it is not due
    std::vector<HistoryEntry> history;
    std::map<std::string, std::string> options;  // the learner's and the brain's
};

// A classifier in a file that is taught class after class, survives crashes and can be used by several
// programs.
//
// When learn, sleep, forget, rename or merge returns, the change is on disk; when the program dies at any
// instant, or the function throws, the file is as it was before. After sleep no taught example is left in the
// file, unless the learner answers from stored rows (nearest-neighbor, icarl, geppnet, geppnet-stm). Several
// processes may open a brain; reading never waits for training. One changes it at a time: the others wait for
// the lock timeout and then get an Error; what one has written, the next one sees before it changes anything.
//
// A class name is 1 to 256 bytes of UTF-8 without control or bidirectional characters (name_problem in
// fearnet/error.hpp), in calls as well as in a file that is opened.
//
// Every function checks its input and throws Error; the brain is then unchanged and usable. Not for several
// threads at once, except const functions.
class Brain {
  public:
    // Without a file: the same interface and promises, but gone with the program unless copy_to keeps it.
    explicit Brain(const BrainOptions& options = {});
    // Opens a file. Throws Error unless it is a whole brain of this or an earlier version.
    explicit Brain(const std::filesystem::path& path) : Brain(open(path)) {}
    // Opens a file, or makes it where there is none. The options of a brain that exists stay as they are;
    // throws Error when its learner is another one than the options name.
    Brain(const std::filesystem::path& path, const CreateIfMissing& wanted,
          std::chrono::milliseconds lock_timeout = kLockTimeout);
    // A new file with a learner that knows nothing. Throws Error when the file exists.
    static Brain create(const std::filesystem::path& path, const BrainOptions& options = {});
    // The constructor that opens, with how. Throws Error when there is no file.
    static Brain open(const std::filesystem::path& path, BrainAccess access = BrainAccess::write,
                      std::chrono::milliseconds lock_timeout = kLockTimeout);
    ~Brain();
    Brain(Brain&&) noexcept;
    Brain& operator=(Brain&&) noexcept;

    // One study session; labels[i] is the class of row i. Classes may be new or known, one or many.
    LearnOutcome learn(MatrixView x, const std::vector<std::string>& labels, const Progress& progress = {});
    // All rows are of one class.
    template <class Label>
    requires std::convertible_to<const Label&, std::string_view> LearnOutcome
    learn(MatrixView x, const Label& label, const Progress& progress = {}) {
        return learn(x, std::vector<std::string>(x.rows, std::string(std::string_view(label))), progress);
    }
    // Why sleep is due (due.sessions, due.examples, due.bytes); none when it is not.
    std::optional<std::string> sleep_due() const;
    // Consolidates and deletes the recent examples. False when there was nothing to do.
    bool sleep(const SleepEffort& effort = {}, const Progress& progress = {});
    void forget(const std::string& name, const Progress& progress = {});
    // Throws Error when `to` is taken: that would be a merge.
    void rename(const std::string& from, const std::string& to);
    // From now on `from` is called `into`: its examples were examples of `into` all along.
    void merge(const std::string& from, const std::string& into);

    // These work on rows_at_once() rows at a time: what they need beside x and the result does not grow with
    // the number of rows. The result of predict is as large as that of probabilities.
    BrainAnswer predict(std::span<const float> row) const;
    std::vector<BrainAnswer> predict(MatrixView x) const;
    // Just the names of the likeliest classes.
    std::vector<std::string> labels(MatrixView x) const;
    // n x class_names(): how likely each class is.
    Matrix probabilities(MatrixView x) const;
    // Where the answers came from. None, or an empty list, unless the learner has two memories and a router
    // (fearnet).
    std::optional<BrainExplanation> explain(std::span<const float> row) const;
    std::vector<BrainExplanation> explain(MatrixView x) const;
    // How many rows to ask about in one call when not all fit into memory: at most 1024, fewer with many
    // classes or features.
    std::size_t rows_at_once() const;
    // Ascending.
    std::vector<std::string> class_names() const;
    // What a class of the learner is called. `id` is one of learner().classes().
    const std::string& name_of(ClassId id) const;
    std::size_t width() const;
    bool takes_text() const;
    // Texts as rows, for a brain of text. Throws Error for another.
    Matrix rows_of(const std::vector<std::string>& texts) const;
    BrainInfo info() const;
    const BrainSettings& settings() const;
    const Learner& learner() const;
    // Empty for a brain without a file.
    const std::filesystem::path& path() const;

    // Reads again if another process has changed the file. True if it had.
    bool refresh();

    // A backup: a new file at `path` with the state of one instant, also while another process writes. It
    // appears whole or not at all, verified. Throws Error when there is something at `path` already.
    void copy_to(const std::filesystem::path& path) const;

    // Of all functions from now on. 0: do not wait. Throws Error when it is negative.
    void set_lock_timeout(std::chrono::milliseconds lock_timeout);

  private:
    struct Parts;
    explicit Brain(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

// Features per text of a brain of text, and one row per text: hashed runs of 1 to 3 characters.
std::size_t text_width();
Matrix text_rows(const std::vector<std::string>& texts);

// Everything that is wrong with a brain file, one line each; empty when it is whole: the database's own
// check, all checksums, and whether a learner can be made of it that agrees with its list of classes. Throws
// Error when it is no brain at all.
std::vector<std::string> check_brain(const std::filesystem::path& path,
                                     std::chrono::milliseconds lock_timeout = kLockTimeout);

struct TaughtClass {
    std::string name;
    std::int64_t examples = 0;  // taught so far
};

// A new file with a copy of `learner`; classes[i] is what learner.classes()[i] is called. The brain answers
// as the learner does if it was taught rows as `settings` makes them (unit length or not). Throws Error when
// the file exists, a name is missing, no text or there twice, or the learner learns only once.
// With `overwrite` a brain at `path` is replaced in one transaction: other processes that have it open see
// the old one or the new one, and only its history stays, without its classes. A file
// that is no brain is still refused.
Brain adopt_learner(const std::filesystem::path& path, const Learner& learner,
                    const std::vector<TaughtClass>& classes, const BrainSettings& settings = {},
                    std::int64_t sessions_since_sleep = 0, bool overwrite = false);

}  // namespace fearnet
