// Running the paper's protocol: teach a learner the classes of a data set session by session, evaluate it,
// and record accuracies, Omega scores, memory and time.
//
//     RunOptions options;
//     options.learner.learner = "fearnet-plus";
//     const RunRecord record = run_protocol(load_feature_set("birds.npz"), options);
//     std::cout << record.omega.omega_all << '\n';
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/lab/omega.hpp"
#include "fearnet/lab/open_world.hpp"
#include "fearnet/lab/protocol.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct RunOptions {
    // Its seed is replaced by `seed`. If features.frames is not set, a run detects the frames in the rows of
    // the base session (fearnet/data/frames.hpp).
    LearnerSpec learner = {.learner = "fearnet", .preset = {}, .settings = {}};
    Protocol protocol;
    std::vector<BaseGroup> base_groups = {};  // see StreamOptions; empty: draw base classes from all
    std::uint64_t seed = 1;                   // of the class order and all random choices of the learner
    // With protocol.open_world: rows of another data set, which the learner should find unfamiliar. Wider
    // rows are cut, narrower rows padded with zeros. Empty: only noise. A run keeps a copy of some rows.
    MatrixView far_data = {};
};

// What was measured after one session.
struct SessionRecord {
    std::size_t session = 0;                // 0 is the base session
    std::string class_name;                 // the class taught; "" for the base session
    std::size_t classes_seen = 0;           // classes taught so far
    bool slept = false;                     // the learner slept before the evaluation
    SessionAccuracy accuracy;               // accuracy.recent is 0 for the base session
    std::optional<SessionAccuracy> oracle;  // with a perfect router, for learners that have a router
    SessionAccuracy offline;                // of the offline model, choosing among the classes seen so far
    std::size_t memory_bytes = 0;           // that the learner keeps
    double seconds = 0;                     // wall-clock time of learning and sleeping in this session
    std::optional<OpenWorldRecord> open_world = {};  // with Protocol::open_world
};

// How a class did in the last evaluated session.
struct ClassOutcome {
    std::string name;
    std::size_t session = 0;    // that taught it; 0 is the base session
    std::size_t test_rows = 0;  // of the class
    std::size_t right = 0;      // of them
    std::string confused_with = {};  // the most frequent wrong answer; empty: none
};

// The answer to one test row in the last evaluated session.
struct ShownAnswer {
    std::string input;  // as in FeatureSet::test_inputs
    bool is_file = false;
    std::string truth, answer;  // class names
};

struct RunRecord {
    std::string dataset;
    std::string learner;
    std::string preset;
    std::uint64_t seed = 0;
    std::size_t classes = 0;               // of the data set
    Protocol protocol;                     // base_classes is never 0
    std::vector<SessionRecord> sessions;   // the evaluated sessions; sessions[0] is the base session
    double offline_accuracy = 0;           // mean-class accuracy of the offline MLP on the whole test set
    OmegaScores omega = kUndefinedScores;  // as in the paper: relative to offline_accuracy
    // Relative to SessionRecord::offline of each session.
    OmegaScores omega_restricted = kUndefinedScores;
    std::optional<OmegaScores> omega_oracle;          // as `omega`, with a perfect router
    std::optional<OpenWorldSummary> open_world = {};  // with Protocol::open_world
    double final_accuracy = 0;                        // mean-class accuracy after the last evaluated session
    std::vector<ClassOutcome> class_outcomes = {};    // of the classes seen by then, in the order of learning
    std::vector<ShownAnswer> shown_answers = {};      // some right ones and some wrong ones, if inputs are known
    MemoryUse memory;                                 // that the learner keeps after that session
    std::map<std::string, double> seconds;  // wall-clock: "offline", "base", "learn", "sleep", "evaluate"
    std::map<std::string, std::string> options;  // of the learner
    bool finished = false;                       // false if the run was stopped
};

// The progress of a run.
struct RunProgress {
    double fraction = 0;                              // 0..1, estimated share of the total time
    std::string what;                                 // "session 12/50: learning willow_tree"
    std::size_t sessions = 0;                         // number of incremental sessions of the run
    const SessionRecord* finished_session = nullptr;  // set once for each evaluated session
};
// Return true to continue. Return false to stop: the run then returns the record of the sessions finished so
// far, with finished = false.
using RunCallback = std::function<bool(const RunProgress&)>;

// The scores of the offline model: scores(i, j) is that of row i and classes[j].
struct ClassScores {
    std::vector<ClassId> classes;
    Matrix scores;
};

// The functions with which a run makes its learners. Replace those of default_run_hooks() to evaluate a
// learner that is not registered, or to reuse the scores of an offline model.
struct RunHooks {
    std::function<std::unique_ptr<Learner>(const LearnerSpec&)> make_learner;
    // Trains the offline model on all of `train` and returns its scores for the rows of `test`.
    std::function<ClassScores(const LearnerSpec&, const LabeledView& train, MatrixView test, const Progress&)>
        offline_scores;
    bool offline_cached = false;  // true if offline_scores does not train, for the estimate of progress
};
// make_learner of the registry and the offline MLP. Calls register_learners().
RunHooks default_run_hooks();

// The options that decide the offline model of a run, name -> value. Runs with equal options, data and seed
// can share its scores. Throws Error for an unknown preset or a bad setting.
std::map<std::string, std::string> offline_options(const LearnerSpec& spec);

// Runs the paper's protocol (Sec. 4) with one seed. Trains the offline MLP on all classes as the reference,
// then teaches the base session and one class per session. The learner sleeps after every
// protocol.sleep_every-th session, before that session is evaluated. The Omega scores are means over the
// evaluated sessions without the base session.
//
// `set` must have passed check_feature_set. Throws Error for invalid options before any training. Omega
// scores are NaN if an accuracy of the offline MLP that they divide by is 0, and if no incremental session
// was evaluated. Stopping is not an error, see RunCallback.
RunRecord run_protocol(const FeatureSet& set, const RunOptions& options, const RunCallback& callback = {},
                       const RunHooks& hooks = default_run_hooks());

// run_protocol in two steps: the constructor checks the options and makes the learner, run does the work. A
// program can thus refuse bad options before it trains or writes anything. Not thread-safe.
class ProtocolRun {
  public:
    // `set` must outlive the object. Throws Error as run_protocol does.
    ProtocolRun(const FeatureSet& set, const RunOptions& options,
                const RunHooks& hooks = default_run_hooks());
    ProtocolRun(ProtocolRun&&) noexcept;
    ~ProtocolRun();
    // Call once.
    RunRecord run(const RunCallback& callback = {});

  private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace fearnet::lab
