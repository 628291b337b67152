// Brain: a classifier stored in one file. Programs open it, teach it new classes, ask it for predictions and
// close it. docs/brain.md is the guide.
//
//     fearnet::Brain brain("birds.brain", fearnet::create_if_missing());
//     brain.learn(fearnet::rows(numbers, width), "owl");  // on disk when learn returns
//     if (brain.sleep_due()) brain.sleep();
//     std::cout << brain.predict(row).label() << '\n';
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
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

// What a brain learns from: rows of numbers, or texts that Brain::text_rows turns into rows.
enum class BrainFeatures { raw, text };

// What turned photographs, sounds or texts into the rows of a brain; fearnet::Embedder
// (fearnet/data/embedder.hpp) has one. A brain records the front end of its first session and refuses rows of
// another one.
struct FrontEnd {
    std::string name;         // "efficientnet-lite4"; empty: rows come from elsewhere
    std::string fingerprint;  // a hash of the model's files and of its preprocessing, in hex
    std::size_t width = 0;    // features per row
    bool operator==(const FrontEnd&) const = default;
};

// Settings of a brain itself, beside the options of its learner. They are fixed when the brain is created.
struct BrainSettings {
    BrainFeatures features = BrainFeatures::raw;
    bool unit_length = true;
    std::int64_t due_sessions = 10;
    std::int64_t due_examples = 0;
    std::int64_t due_bytes = 0;
    double unknown = 0.01;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("brain.features", features,
                 "Input of the brain: numeric rows, or text, hashed as character n-grams of length 1 to 3.",
                 {"raw", "text:ngrams"});
        v.option("brain.unit_length", unit_length,
                 "Scales every row to Euclidean length one before the learner sees it.");
        v.option("due.sessions", due_sessions,
                 "Sleep is due after this many sessions since the last sleep. 0: never for this reason.", 0,
                 1000000);
        v.option("due.examples", due_examples,
                 "Sleep is due when the recent memory holds this many examples. 0: never for this reason.", 0,
                 1000000000);
        v.option("due.bytes", due_bytes,
                 "Sleep is due when the recent examples take this many bytes. 0: never for this reason.", 0,
                 1000000000000);
        v.option("open.unknown", unknown,
                 "A row whose familiarity is below this number is answered with unknown; it is the share of "
                 "rows of taught classes that is turned away. 0: every row gets a class.",
                 0, 0.5);
    }
};

// Whether an option belongs to BrainSettings and not to the learner, judged by the part before the dot.
bool is_brain_option(std::string_view name);

// Learner and settings of a new brain. The default learner is "fearnet-plus".
struct BrainOptions {
    LearnerSpec learner;
    BrainSettings settings;
    FrontEnd front_end = {};  // without a name, the first session chooses

    BrainOptions() = default;
    BrainOptions(LearnerSpec spec, BrainSettings own = {}) : learner(std::move(spec)), settings(own) {}
    // Implicit, from the options of a learner: PlusOptions, FearNetOptions, or the options struct of your own
    // registered learner (fearnet/registry.hpp), which names its learner in `kLearner`.
    template <class Options>
    requires requires { std::string(Options::kLearner); }
    BrainOptions(const Options& options, BrainSettings own = {})
        : learner(learner_spec(options)), settings(own) {}
};

// Argument of the Brain constructor that opens a file or creates it. The options are those of a new file.
struct CreateIfMissing {
    BrainOptions options;
};
inline CreateIfMissing create_if_missing(BrainOptions options = {}) {
    return {std::move(options)};
}
// Argument of the Brain constructor that creates a file and refuses an existing one.
struct CreateNew {
    BrainOptions options;
};
inline CreateNew create_new(BrainOptions options = {}) {
    return {std::move(options)};
}

// With `read` the file is opened read-only: functions that would change the brain throw Error.
enum class BrainAccess { read, write };

// Default time that a call waits for another process that is writing to the file.
inline constexpr std::chrono::milliseconds kLockTimeout = std::chrono::seconds(5);

// What Brain::learn did.
struct LearnOutcome {
    std::size_t examples = 0;                // rows taught
    std::vector<std::string> new_classes;    // taught for the first time
    std::vector<std::string> known_classes;  // taught before
    std::optional<std::string> sleep_due;    // as Brain::sleep_due() after this session
    double learn_seconds = 0;                // wall-clock time in the learner
    double write_seconds = 0;                // wall-clock time for writing the file
};

struct RankedClass {
    std::string name;
    double probability = 0;
};

// Rows that are alike and unlike every class that was taught; made by Brain::discover.
struct DiscoveredGroup {
    std::vector<std::size_t> rows;  // ascending
    // Root mean square distance from the mean of the group, relative to that of a taught class: about 1 for
    // the rows of one class, more for a mixture of classes.
    double spread = 0;
    std::string nearest;  // the taught class whose mean is nearest to the mean of the group
};

struct DiscoverOptions {
    double below = 0.2;        // only rows with a familiarity below this number are grouped; 0 to 1
    std::size_t min_rows = 3;  // smaller groups are left out; at least 1
};

// A row whose label is probably wrong.
struct SuspectLabel {
    std::size_t row = 0;
    std::string label, looks_like;
    double probability = 0;  // that the label is wrong
};

// The prediction for one row: a probability for every class. Made by Brain::predict; the functions of a
// default-constructed answer must not be called.
//
// Copies are cheap. All answers of one call share one matrix of probabilities (rows x classes), which stays
// in memory as long as one of them exists.
class BrainAnswer {
  public:
    // The most probable class, and its probability.
    const std::string& label() const;
    double probability() const;
    // The `count` most probable classes in descending order, or all classes if there are fewer.
    std::vector<RankedClass> top(std::size_t count) const;
    // How familiar the row looks, as Learner::familiarity defines it; none if the learner does not estimate
    // it.
    std::optional<double> familiarity() const;
    // Whether the familiarity is below open.unknown: the row is probably of no class that was taught.
    bool unknown() const;

  private:
    friend class Brain;
    struct Batch;
    std::shared_ptr<const Batch> batch_;
    std::size_t row_ = 0;
};

// Which memory predicted the class of one row, and why. Only learners with two memories and a router
// ("fearnet") give explanations. Explanation (fearnet/fearnet_options.hpp) defines the numbers.
struct BrainExplanation {
    std::string label;                     // the prediction
    Memory memory = Memory::consolidated;  // the memory that made it
    std::string recent_label;              // best class of the recent memory; "" if that memory is empty
    std::string consolidated_label;        // best class of the long-term memory; recent_label if it is empty
    double recent_probability = 0;
    double consolidated_probability = 0;
    double router = 0;
    double psi = 0;
};
// Prints one line without a newline.
std::ostream& operator<<(std::ostream& out, const BrainExplanation& explanation);

// Whether the examples of a class still look like those that were taught. A p-value says how well an example
// fits its class (Learner::class_p_values); those of new examples are uniform if nothing has changed.
struct ClassDrift {
    std::string since;       // time of the first example, UTC, ISO 8601
    std::int64_t rows = 0;   // examples
    double familiarity = 0;  // mean p-value; about 0.5 if nothing has changed; earlier rows count less
    double p_value = 1;      // probability that examples look as unfamiliar although nothing has changed
    bool changed = false;    // p_value is below 1 % divided by the number of classes and sources recorded
};

// How well rows fit the classes that they were predicted as; filled by Brain::predict, stored by
// Brain::track.
class FamiliarityTrack {
  public:
    // Rows that were added. Rows answered with unknown are not.
    std::size_t rows() const;

  private:
    friend class Brain;
    struct Class {
        std::int64_t examples = 0, rows = 0;
        double weight = 0, sum = 0;
    };
    std::map<ClassId, Class> classes_;
};

// One entry of a brain's history. Every change of the file adds one.
struct HistoryEntry {
    std::int64_t number = 0;             // 1, 2, ...
    std::string time;                    // UTC, ISO 8601
    std::string action;                  // "new", "learn", "sleep", "forget", "rename", "merge", "track"
    std::string detail;                  // for people; "learn" lists classes by their current names
    std::vector<ClassId> new_classes;    // "learn": classes taught for the first time
    std::vector<ClassId> known_classes;  // "learn": classes taught before; "rename", "merge": the classes
    std::int64_t examples = 0;  // "learn": rows taught; "sleep": since the last sleep; "track": recorded
    double seconds = 0;         // wall-clock time of the work, without writing the file
};

// What Brain::info returns.
struct BrainInfo {
    struct Class {
        std::string name;
        std::int64_t examples = 0;  // rows taught so far
        bool recent = false;        // has examples that wait for the next sleep
        bool consolidated = false;  // is known to the long-term memory
        std::size_t parts = 1;      // 1 + the number of classes merged into it
        // Examples that were taught when the class was known already, each before it was learned; none if
        // there are none, or if the learner estimates no class_p_values.
        std::optional<ClassDrift> taught_again;
        // Rows that were predicted to be of the class since it was last taught, recorded by track.
        std::optional<ClassDrift> predicted;
    };
    std::vector<Class> classes;                  // ascending by name
    std::string learner;                         // "fearnet-plus", ...
    std::size_t width = 0;                       // as Brain::width()
    FrontEnd front_end;                          // as Brain::front_end()
    MemoryUse memory;                            // of the learner, in bytes
    std::size_t file_bytes = 0;                  // 0 for a brain without a file
    std::int64_t sessions_since_sleep = 0;       // sessions with examples that wait for the next sleep
    std::optional<std::string> sleep_due;        // as Brain::sleep_due()
    std::vector<HistoryEntry> history;           // oldest first
    std::map<std::string, std::string> options;  // all options of the learner and the brain, name -> value
};

// What Brain::review returns: a report for the person who teaches the brain.
struct BrainReview {
    struct Confusion {
        std::string with;
        double share = 0;  // of new rows of the class that will be classified as `with`
    };
    // The numbers are estimates among all classes of the brain; none if they are not known.
    struct Class {
        std::string name;
        std::int64_t examples = 0;          // rows taught so far
        std::optional<double> accuracy;     // as Brain::expected_accuracy
        std::optional<double> error;        // standard error of the accuracy
        std::optional<double> with_half;    // the accuracy with half as many examples
        std::optional<double> with_twice;   // the accuracy with twice as many
        std::vector<Confusion> confusions;  // most frequent first, at most ClassReview::kMaxConfusions
        // Whether twice as many examples would raise the accuracy by at least kWorthwhile.
        bool more_would_help() const {
            return accuracy && with_twice && *with_twice - *accuracy >= kWorthwhile;
        }
        static constexpr double kWorthwhile = 0.02;
    };
    // Two classes that cannot be told apart: of their rows that get one of the two names, at least the share
    // kMaybeOne gets the wrong one, averaged over both classes. 0.5 is guessing.
    struct Pair {
        std::string first, second;  // ascending
        double confused = 0;        // the share
    };
    static constexpr double kMaybeOne = 0.35;
    std::string learner;
    std::vector<Class> classes;   // ascending by name
    std::vector<Pair> maybe_one;  // most confused first
    bool estimated = false;       // false: the learner estimates none of these numbers
};

// A classifier in a file: it is taught class after class, survives crashes and can be used by several
// programs.
//
// Durability: when learn, sleep, forget, rename, merge or track returns, the change is on disk. If one of
// them throws, the file is unchanged. If the process dies at any moment, the file holds the state before or
// after the change, never a mixture.
//
// Stored data: "fearnet" and "fearnet-plus" keep new examples, the recent memory, until sleep() consolidates
// them into the long-term memory and deletes them from the file. Learners that predict from stored rows
// (nearest-neighbor, icarl, geppnet, geppnet-stm) keep rows after sleep, too.
//
// Processes: any number of processes may open a brain, and reading never waits for training. One process at a
// time changes it; others that want to change it wait for the lock timeout and then throw Error. Functions
// that change a brain first read what other processes have written. Predictions use the state that was read
// last; refresh() reads a newer one.
//
// Rows are float32, one per example, all of the same width. The brain scales them to Euclidean length one,
// unless brain.unit_length is false; the caller need not. Rows of a single feature need
// brain.unit_length=false.
//
// Class names are 1 to 256 bytes of UTF-8 without control or bidirectional characters (name_problem in
// fearnet/error.hpp). A file with another name in it is refused.
//
// Errors: every function checks its input and throws Error; the brain is then unchanged and usable.
//
// Threads: const functions may be called from several threads at once. All others need exclusive access.
class Brain {
  public:
    // A brain in memory, without a file. It is lost with the object; copy_to saves it to a file.
    explicit Brain(const BrainOptions& options = {});
    // Opens an existing file. Throws Error if there is none, if it is not a brain, is damaged or has another
    // format version, and if its learner is not registered.
    explicit Brain(const std::filesystem::path& path, BrainAccess access = BrainAccess::write,
                   std::chrono::milliseconds lock_timeout = kLockTimeout);
    // Opens a file, or creates it with wanted.options if there is none. An existing brain keeps its own
    // options; throws Error if its learner is not the one that wanted.options names.
    Brain(const std::filesystem::path& path, const CreateIfMissing& wanted,
          std::chrono::milliseconds lock_timeout = kLockTimeout);
    // Creates a new file with wanted.options. Throws Error if there is something at `path`.
    Brain(const std::filesystem::path& path, const CreateNew& wanted);
    ~Brain();
    Brain(Brain&&) noexcept;
    Brain& operator=(Brain&&) noexcept;

    // Teaches one session: labels[i] is the class of row i. A session may bring new classes, more rows of
    // known classes, or both. The first session is the base session and takes longest. Throws Cancelled when
    // `progress` returns false.
    LearnOutcome learn(MatrixView x, const std::vector<std::string>& labels, const Progress& progress = {});
    // The same with one label for all rows.
    template <class Label>
    requires std::convertible_to<const Label&, std::string_view> LearnOutcome
    learn(MatrixView x, const Label& label, const Progress& progress = {}) {
        return learn(x, std::vector<std::string>(x.rows, std::string(std::string_view(label))), progress);
    }
    // The same for rows that `front_end` made. The first session records it. Throws Error if the brain has
    // learned rows of another front end, or of none.
    LearnOutcome learn(const FrontEnd& front_end, MatrixView x, const std::vector<std::string>& labels,
                       const Progress& progress = {});
    // The reason why sleep is due, as text for people; none if it is not due. Sleep is due when the recent
    // memory reaches due.sessions, due.examples or due.bytes, and when it holds several classes but nothing
    // is consolidated yet. Nothing happens by itself: the caller decides when to call sleep.
    std::optional<std::string> sleep_due() const;
    // Consolidates the recent examples into the long-term memory and deletes them. Returns false if there was
    // nothing to consolidate, or too few classes to begin with (training.base_classes of "fearnet"). Throws
    // Cancelled when `progress` returns false.
    bool sleep(const SleepEffort& effort = {}, const Progress& progress = {});
    // Removes a class with its examples and statistics, and its name from the history; trained networks keep
    // traces of it. Throws Error if there is no such class, if it is the only one, and if the learner cannot
    // forget ("fearnet" and "fearnet-plus" can). Throws Cancelled when `progress` returns false.
    void forget(const std::string& name, const Progress& progress = {});
    // Throws Error if there is no class `from`, or already a class `to`; use merge then.
    void rename(const std::string& from, const std::string& to);
    // Merges class `from` into class `into`: the learner keeps both, and the brain reports the sum of their
    // probabilities under the name `into`. This cannot be undone. Throws Error if one of them does not exist.
    void merge(const std::string& from, const std::string& into);

    // Stores what predict added to `track`, for BrainInfo::Class::predicted. One call is one transaction; its
    // rows of one class count as 20 independent rows at most, because rows of one source are often alike.
    // Classes that were taught again or forgotten since the prediction are left out. Does nothing if there
    // are no rows.
    void track(const FamiliarityTrack& track);

    // Predictions. Rows must have width() features; before the first session these functions throw Error.
    // Rows are processed in blocks of rows_at_once(), so the memory needed beside x and the result does not
    // grow with the number of rows. The answers of one call hold rows x classes floats.
    BrainAnswer predict(std::span<const float> row) const;
    std::vector<BrainAnswer> predict(MatrixView x) const;
    // The same, and adds to `track` how well the rows fit the predicted classes. Takes about twice as long.
    // Throws Error if the learner estimates no class_p_values.
    std::vector<BrainAnswer> predict(MatrixView x, FamiliarityTrack& track) const;
    // Only the names of the most probable classes, one per row.
    std::vector<std::string> labels(MatrixView x) const;
    // rows x class_names(): the probability of each class.
    Matrix probabilities(MatrixView x) const;
    // For each row the classes, most probable first, that contain its class with a probability of about
    // `confidence` (0.5 to 0.999), if it is of a taught class; an empty list for a row that fits no class.
    // Throws Error if the learner has no such sets; learners that estimate familiarity have them.
    std::vector<std::vector<std::string>> label_sets(MatrixView x, double confidence) const;
    // The rows of a session, before it is taught, whose labels are probably wrong; see
    // Learner::suspect_rows. Empty for learners that cannot tell. Does not change the brain.
    std::vector<SuspectLabel> suspect_labels(MatrixView x, const std::vector<std::string>& labels) const;
    // Groups of rows that are alike and unlike every taught class, largest first. The number of groups is
    // found, not given. Rows whose group fits a taught class are left out, although each alone may look
    // strange. Holds all rows of low familiarity in memory. Throws Error if the learner estimates no
    // familiarity or has no whitened rows; "fearnet-plus" has both.
    std::vector<DiscoveredGroup> discover(MatrixView x, const DiscoverOptions& options = {}) const;
    // The `count` rows, or all if there are fewer, whose labels would help the brain most, most helpful
    // first: rows that are typical of many others and unlike each other. `labeled` are rows that have labels
    // already, such as those of earlier rounds; rows like them are avoided. Throws Error if the learner has
    // no whitened rows; "fearnet-plus" has them.
    std::vector<std::size_t> suggest(MatrixView x, std::size_t count, MatrixView labeled = {}) const;
    // Which memory predicted each row, and why. None, or an empty list, unless the learner has two memories
    // and a router ("fearnet").
    std::optional<BrainExplanation> explain(std::span<const float> row) const;
    std::vector<BrainExplanation> explain(MatrixView x) const;
    // A good block size for callers that cannot hold all rows in memory: 1,024 rows, or fewer with many
    // classes or features.
    std::size_t rows_at_once() const;
    // Each name once, ascending.
    std::vector<std::string> class_names() const;
    // The name of a class of the learner; merged classes share a name. `id` must be one of
    // learner().classes().
    const std::string& name_of(ClassId id) const;
    // Features per row. 0 before the first session, unless the brain is a text brain or has a front end.
    std::size_t width() const;
    // What makes the rows of this brain; without a name if none is recorded.
    const FrontEnd& front_end() const;
    // True for a text brain, which was created with brain.features=text:ngrams.
    bool accepts_text() const;
    // Turns UTF-8 texts into rows for learn and predict. Throws Error unless this is a text brain.
    Matrix text_rows(const std::vector<std::string>& texts) const;
    BrainInfo info() const;
    // The share of new rows that will be classified correctly, by class name, as Learner::expected_accuracy
    // estimates it. Classes whose share is not known are left out; empty for most learners. For a merged
    // class, the mean over its parts by their examples, which is a little too low.
    std::map<std::string, double> expected_accuracy() const;
    // How well each class is known, what it is confused with, whether more examples would help, and which
    // classes might be one. Learner "fearnet-plus" estimates this; for others only the numbers of examples
    // are known. Does not change the brain.
    BrainReview review() const;
    const BrainSettings& settings() const;
    // The learner inside. The reference is valid until the next call of a function that is not const.
    const Learner& learner() const;
    // Empty for a brain without a file.
    const std::filesystem::path& path() const;

    // Counts the changes of the file up to the state that was read or written last: every learn, sleep,
    // forget, rename, merge and track adds one. Equal numbers of one file mean equal answers.
    std::int64_t changes() const;
    // Reads the file again if another process has changed it. Returns whether it had.
    bool refresh();

    // Makes a backup: a new file at `path` with the state of one moment, even while another process writes.
    // The file is verified before it appears. Throws Error if there is something at `path`.
    void copy_to(const std::filesystem::path& path) const;

    // Sets the lock timeout of all later calls; 0: do not wait. Throws Error if it is negative.
    void set_lock_timeout(std::chrono::milliseconds lock_timeout);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// The features of a text brain: hashed counts of character n-grams, n = 1 to 3, of the text in lower case
// (Latin, Greek and Cyrillic letters). The same text gives the same row on every machine. text_rows returns
// one row of text_width() features per text; throws Error for a text that is not UTF-8.
std::size_t text_width();
Matrix text_rows(const std::vector<std::string>& texts);

// Checks a brain file: the structure of the database, all checksums, and whether a learner can be restored
// that has the classes the file lists. Returns the problems found, one line each; empty if there are none.
// Throws Error if the file is not a brain.
std::vector<std::string> check_brain(const std::filesystem::path& path,
                                     std::chrono::milliseconds lock_timeout = kLockTimeout);

struct TaughtClass {
    std::string name;
    std::int64_t examples = 0;  // rows taught so far
};

// Creates a brain file with a copy of `learner`. classes[i] names learner.classes()[i]. The learner must have
// been taught rows as `settings` makes them: of length one unless settings.unit_length is false. Throws Error
// if the file exists, if a name is missing, invalid or used twice, and if the learner is not incremental.
//
// With `overwrite`, an existing brain is replaced in one transaction: processes that have it open see the old
// brain or the new one. The history stays, without the class names. A file that is not a brain is refused.
Brain adopt_learner(const std::filesystem::path& path, const Learner& learner,
                    const std::vector<TaughtClass>& classes, const BrainSettings& settings = {},
                    std::int64_t sessions_since_sleep = 0, bool overwrite = false);

}  // namespace fearnet
