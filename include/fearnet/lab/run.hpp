// One run of the protocol: stream in, record out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/lab/omega.hpp"
#include "fearnet/lab/protocol.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct RunOptions {
    LearnerSpec learner = {
        .learner = "fearnet", .preset = {}, .settings = {}};  // its seed is replaced by `seed`
    Protocol protocol;
    std::vector<BaseGroup> base_groups = {};  // where the base classes are drawn from; empty: from all
    std::uint64_t seed = 1;                   // class order and every random choice of the learner
};

// What was measured after one session. Session 0 is the base knowledge (`recent` is then not meaningful and
// zero).
struct SessionRecord {
    std::size_t session = 0;
    std::string class_name;  // the class taught; "" for the base session
    std::size_t classes_seen = 0;
    bool slept = false;
    SessionAccuracy accuracy;
    std::optional<SessionAccuracy> oracle;  // with a perfect router, for learners that have one
    SessionAccuracy offline;                // the offline model restricted to the classes seen so far
    std::size_t memory_bytes = 0;
    double seconds = 0;  // learn + sleep
};

struct RunRecord {
    std::string dataset;
    std::string learner;
    std::string preset;
    std::uint64_t seed = 0;
    std::size_t classes = 0;              // of the data set
    Protocol protocol;                    // its base_classes is never 0
    std::vector<SessionRecord> sessions;  // those that were evaluated; sessions[0] is the base session
    double offline_accuracy = 0;          // the offline MLP on the whole test set
    OmegaScores omega = kNoScores;        // against offline_accuracy (the paper's)
    OmegaScores omega_restricted =
        kNoScores;  // against the offline model restricted to the classes seen so far
    std::optional<OmegaScores> omega_oracle;
    double final_accuracy = 0;
    MemoryUse memory;
    std::map<std::string, double> seconds;  // by phase: offline, base, learn, sleep, evaluate
    std::map<std::string, std::string> options;
    bool finished = false;  // false when it was cancelled on the way
};

// What a running experiment says: overall progress in 0..1 (by time, as far as it can be told) and what it is
// doing.
struct RunProgress {
    double fraction = 0;
    std::string what;                                 // "session 12/50: learning willow_tree"
    std::size_t sessions = 0;                         // incremental sessions of the run
    const SessionRecord* finished_session = nullptr;  // set once per session
};
// Return false to stop: the record so far comes back with finished = false. A session that was under way is
// left out.
using RunCallback = std::function<bool(const RunProgress&)>;

// What the offline model thinks of each row: scores(i, j) belongs to row i and classes[j].
struct ClassScores {
    std::vector<ClassId> classes;
    Matrix scores;
};

// Where a run gets its learners from. The default is the library's own; tests put in theirs.
struct RunParts {
    std::function<std::unique_ptr<Learner>(const LearnerSpec&)> make_learner;
    // Trains the offline model on all of `train` and scores the rows of `test`.
    std::function<ClassScores(const LearnerSpec&, const LabeledView& train, MatrixView test, const Progress&)>
        offline_scores;
    bool offline_known = false;  // offline_scores only looks them up, in no time worth an estimate
};
// The library's own.
RunParts default_run_parts();

// The options, by name, that decide the offline model of a run besides its data and seed: two runs that agree
// in them can share its scores. Throws Error for an unknown preset or a bad setting.
std::map<std::string, std::string> offline_options(const LearnerSpec& spec);

// The paper's protocol for one seed (Sec. 4): the offline MLP, then the base session, then one class per
// session; sleeps after every `sleep_every`-th session, before that session is evaluated. Omega is over the
// evaluated sessions after the base session.
//
// `set` has passed check_feature_set. Throws Error for options that do not fit, before any training. Omega is
// NaN when the offline MLP answers nothing right in some session, so that there is nothing to divide by.
// Stopping is not an error: see RunCallback.
RunRecord run_protocol(const FeatureSet& set, const RunOptions& options, const RunCallback& callback = {},
                       const RunParts& parts = default_run_parts());

// run_protocol in two steps: the constructor makes the stream and the learner, so that options that do not
// fit are refused before anything is trained or written; `run` does the rest. Not thread-safe.
class ProtocolRun {
  public:
    // `set` must outlive it. Throws Error as run_protocol does.
    ProtocolRun(const FeatureSet& set, const RunOptions& options,
                const RunParts& parts = default_run_parts());
    ProtocolRun(ProtocolRun&&) noexcept;
    ~ProtocolRun();
    // Once.
    RunRecord run(const RunCallback& callback = {});

  private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace fearnet::lab
