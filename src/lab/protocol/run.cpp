#include "fearnet/lab/run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "fearnet/data/frames.hpp"
#include "fearnet/fearnet_options.hpp"
#include "fearnet/registry.hpp"
#include "lab/open_world/open_world_test_set.hpp"
#include "lab/protocol/work_estimate.hpp"

namespace fearnet::lab {
namespace {

constexpr std::size_t kShown = 12;  // right answers that a record keeps, and wrong ones
constexpr std::uint64_t kShownStream = 0x5409;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best-scored class of every row among those `seen`.
std::vector<ClassId> best_seen(const ClassScores& offline, std::size_t rows, const std::vector<bool>& seen) {
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < offline.classes.size(); ++j)
        if (seen[static_cast<std::size_t>(index_of(offline.classes[j]))]) columns.push_back(j);
    std::vector<ClassId> best(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const float* row = offline.scores.row(i);
        const std::size_t j = *std::max_element(
            columns.begin(), columns.end(), [row](std::size_t a, std::size_t b) { return row[a] < row[b]; });
        best[i] = offline.classes[j];
    }
    return best;
}

std::size_t total(const MemoryUse& memory) {
    return std::accumulate(memory.begin(), memory.end(), std::size_t{0},
                           [](std::size_t sum, const auto& kind) { return sum + kind.second; });
}

// If the accuracy of the offline model is 0, the scores are NaN and the rest of the run is kept.
OmegaScores omega_if_defined(const std::vector<SessionAccuracy>& sessions,
                             const std::vector<SessionAccuracy>& offline) {
    const bool defined = std::all_of(offline.begin(), offline.end(),
                                     [](const SessionAccuracy& o) { return o.base > 0 && o.all > 0; });
    return defined ? omega(sessions, offline) : kUndefinedScores;
}

// Checks the options and returns them.
const RunOptions& checked(const RunOptions& options) {
    for (const LearnerInfo& l : learners())
        if (l.name == options.learner.learner && !l.incremental)
            throw Error("learner " + l.name +
                        " cannot learn incrementally; every run trains it as the reference");
    check_protocol(options.protocol);
    return options;
}

}  // namespace

// One run. Test rows are in the order in which their classes are taught: those of the classes seen so far are
// a prefix.
class ProtocolRun::Work {
  public:
    Work(const FeatureSet& set, const RunOptions& options, const RunHooks& hooks)
        : set_(set),
          options_(checked(options)),
          hooks_(hooks),
          stream_(set, {options.protocol.base_classes, options.seed, options.base_groups,
                        options.protocol.variant}),
          test_(stream_.test_rows(0, stream_.sessions() - 1)),
          estimate_(now()) {
        spec_ = options.learner;
        spec_.seed = options.seed;
        if (frames_are_unset(spec_)) set_frames(spec_, stream_.session(0).examples.x);
        learner_ = hooks_.make_learner(spec_);
        record_.dataset = set.name;
        record_.learner = spec_.learner;
        record_.preset = spec_.preset;
        record_.seed = options.seed;
        record_.classes = set.classes();
        record_.protocol = options.protocol;
        record_.protocol.base_classes = static_cast<std::int64_t>(stream_.base_classes());
        record_.options = learner_->options();
        if (options.protocol.open_world)
            open_world_ = std::make_unique<OpenWorldTestSet>(test_, options.far_data, options.seed);
        measure_work();
    }

    RunRecord run(const RunCallback& callback) {
        callback_ = callback;
        try {
            train_offline();
            for (std::size_t number = 0; number < stream_.sessions(); ++number) study(number);
        } catch (const Cancelled&) {
            // The record has the finished sessions.
        }
        summarize();
        return std::move(record_);
    }

  private:
    bool sleeps_after(std::size_t number) const {
        const auto every = static_cast<std::size_t>(options_.protocol.sleep_every);
        return number > 0 && every > 0 && number % every == 0;
    }

    bool evaluated_after(std::size_t number) const {
        return number % static_cast<std::size_t>(options_.protocol.evaluate_every) == 0 ||
               number + 1 == stream_.sessions();
    }

    // Counts the rows per session and estimates the work, in rows that pass through a network. The factors
    // matter only until the first seconds are measured.
    void measure_work() {
        std::vector<std::size_t> train_of(set_.classes()), test_of(set_.classes());
        for (const ClassId c : set_.train.labels) ++train_of[static_cast<std::size_t>(index_of(c))];
        for (const ClassId c : set_.test.labels) ++test_of[static_cast<std::size_t>(index_of(c))];
        std::size_t seen = 0;
        for (std::size_t number = 0; number < stream_.sessions(); ++number) {
            std::size_t rows = 0;
            for (const ClassId c : stream_.classes_of(number)) {
                rows += train_of[static_cast<std::size_t>(index_of(c))];
                seen += test_of[static_cast<std::size_t>(index_of(c))];
            }
            seen_rows_.push_back(seen);
            const double replayed = static_cast<double>(rows * (stream_.base_classes() + number));
            work_learn_.push_back(number == 0 ? 2.0 * static_cast<double>(rows) : 0.1 * replayed);
            work_sleep_.push_back(0.3 * replayed);
            estimate_.plan(number == 0 ? RunPhase::base : RunPhase::learn, work_learn_.back());
            if (sleeps_after(number)) estimate_.plan(RunPhase::sleep, work_sleep_.back());
            if (evaluated_after(number)) estimate_.plan(RunPhase::evaluate, work_evaluate(number));
        }
        estimate_.plan(RunPhase::offline, work_offline());
    }
    double work_offline() const { return hooks_.offline_cached ? 0 : static_cast<double>(set_.train.size()); }
    double work_evaluate(std::size_t number) const {
        // The reference detectors compare every test row with the new rows; most come in the base session.
        const double open_world = !options_.protocol.open_world ? 0 : number == 0 ? 1 : 0.2;
        return 0.02 * static_cast<double>(seen_rows_[number]) +
               open_world * static_cast<double>(test_.size());
    }

    // Returns false if the callback wants to stop.
    bool report(const std::string& what, const SessionRecord* finished = nullptr) {
        return !callback_ || callback_({estimate_.fraction(now()), what, stream_.sessions() - 1, finished});
    }
    void report_or_cancel(const std::string& what, const SessionRecord* finished = nullptr) {
        if (!report(what, finished)) throw Cancelled("run_protocol");
    }

    // Times `work(progress)` as one phase and passes its progress on; returns the seconds it took.
    template <class Work>
    double phase(RunPhase phase, double amount, const std::string& what, const Work& work) {
        report_or_cancel(what);
        estimate_.begin(phase, amount, now());
        work(Progress([&](const ProgressEvent& event) {
            estimate_.step(event.phase, event.done, event.total);
            return report(what);
        }));
        return estimate_.end(now());
    }

    void train_offline() {
        ClassScores scores;
        const bool shifted = options_.protocol.variant.shift != 0;
        // The offline model is tested on the unshifted test rows.
        const StreamOptions plain{options_.protocol.base_classes, options_.seed, options_.base_groups};
        const Examples unshifted =
            shifted ? ClassIncrementalStream(set_, plain).test_rows(0, stream_.sessions() - 1) : Examples{};
        const Examples& test = shifted ? unshifted : test_;
        phase(RunPhase::offline, work_offline(), "training the offline MLP", [&](const Progress& progress) {
            scores = hooks_.offline_scores(spec_, set_.train, test.x, progress);
        });
        std::vector<bool> seen(set_.classes(), false);
        for (std::size_t number = 0; number < stream_.sessions(); ++number) {
            for (const ClassId c : stream_.classes_of(number))
                seen[static_cast<std::size_t>(index_of(c))] = true;
            offline_.push_back(accuracy(best_seen(scores, seen_rows_[number], seen), number));
        }
        record_.offline_accuracy = offline_.back().all;
    }

    void study(std::size_t number) {
        const std::string title =
            number == 0 ? "base session"
                        : "session " + std::to_string(number) + "/" + std::to_string(stream_.sessions() - 1);
        SessionRecord record;
        record.session = number;
        record.classes_seen = stream_.base_classes() + number;
        if (number > 0)
            record.class_name = set_.names[static_cast<std::size_t>(index_of(stream_.classes_of(number)[0]))];
        {
            const StudySession session = stream_.session(number);
            const std::string what =
                title + ": learning " +
                (number == 0 ? std::to_string(session.classes.size()) + " classes" : record.class_name);
            record.seconds += phase(number == 0 ? RunPhase::base : RunPhase::learn, work_learn_[number], what,
                                    [&](const Progress& p) { learner_->learn(session.examples, p); });
        }
        if (sleeps_after(number)) {
            record.slept = true;
            record.seconds += phase(RunPhase::sleep, work_sleep_[number], title + ": sleeping",
                                    [&](const Progress& p) { learner_->sleep(p); });
        }
        if (!evaluated_after(number)) return;
        phase(RunPhase::evaluate, work_evaluate(number), title + ": evaluating",
              [&](const Progress& p) { evaluate(number, record, p); });
        record_.sessions.push_back(std::move(record));
        report_or_cancel(title, &record_.sessions.back());
    }

    void evaluate(std::size_t number, SessionRecord& record, const Progress& progress) {
        const MatrixView rows = test_.x.view().slice(0, seen_rows_[number]);
        if (const MemoryRouting* routing = learner_->routing()) {  // evaluates both memories only once
            const std::vector<Explanation> explained = routing->explain(rows);
            std::vector<ClassId> answers;
            for (const Explanation& e : explained) answers.push_back(e.label);
            record.accuracy = accuracy(answers, number);
            note_outcomes(answers, number);
            record.oracle =
                accuracy(routing->oracle_answers(explained, truth(0, seen_rows_[number])), number);
        } else {
            const std::vector<ClassId> answers = learner_->predict(rows);
            record.accuracy = accuracy(answers, number);
            note_outcomes(answers, number);
        }
        record.offline = offline_[number];
        record_.memory = learner_->memory();
        record.memory_bytes = total(record_.memory);
        if (open_world_) record.open_world = measure_open_world(number, progress);
    }

    const std::string& name_of_class(ClassId id) const {
        return set_.names[static_cast<std::size_t>(index_of(id))];
    }

    // Keeps what each class was answered, and some of the answers.
    void note_outcomes(const std::vector<ClassId>& answers, std::size_t number) {
        record_.class_outcomes.clear();
        record_.shown_answers.clear();
        std::vector<std::vector<std::size_t>> rows_of(set_.classes());  // of the unsorted test rows
        for (std::size_t i = 0; i < set_.test.size(); ++i)
            rows_of[static_cast<std::size_t>(index_of(set_.test.labels[i]))].push_back(i);
        std::vector<ShownAnswer> right, wrong;
        std::size_t row = 0;
        for (std::size_t session = 0; session <= number; ++session)
            for (const ClassId c : stream_.classes_of(session)) {
                ClassOutcome outcome{name_of_class(c), session};
                std::map<ClassId, std::size_t> mistakes;
                for (const std::size_t i : rows_of[static_cast<std::size_t>(index_of(c))]) {
                    const ClassId answer = answers[row++];
                    ++outcome.test_rows;
                    outcome.right += answer == c ? 1 : 0;
                    if (answer != c) ++mistakes[answer];
                    if (i < set_.test_inputs.size())
                        (answer == c ? right : wrong)
                            .push_back({set_.test_inputs[i], set_.inputs_are_files, outcome.name,
                                        name_of_class(answer)});
                }
                const auto most =
                    std::max_element(mistakes.begin(), mistakes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
                if (most != mistakes.end()) outcome.confused_with = name_of_class(most->first);
                record_.class_outcomes.push_back(std::move(outcome));
            }
        Rng rng = Rng(options_.seed).fork(kShownStream);
        for (std::vector<ShownAnswer>* list : {&right, &wrong}) {
            rng.shuffle(std::span<ShownAnswer>(*list));
            list->resize(std::min(list->size(), kShown));
            record_.shown_answers.insert(record_.shown_answers.end(), list->begin(), list->end());
        }
    }

    // The reference detectors learn the sessions since the last evaluation only now, so that their time
    // counts as evaluation.
    OpenWorldRecord measure_open_world(std::size_t number, const Progress& progress) {
        for (; open_world_sessions_ <= number; ++open_world_sessions_)
            open_world_->learn(stream_.session(open_world_sessions_).examples, progress);
        return open_world_->measure(*learner_, seen_rows_[number], progress);
    }

    std::span<const ClassId> truth(std::size_t first, std::size_t end) const {
        return std::span<const ClassId>(test_.labels).subspan(first, end - first);
    }

    // `predicted` covers every row seen by the end of session `number`.
    SessionAccuracy accuracy(const std::vector<ClassId>& predicted, std::size_t number) const {
        const auto within = [&](std::size_t first, std::size_t end) {
            return mean_class_accuracy(std::span<const ClassId>(predicted).subspan(first, end - first),
                                       truth(first, end));
        };
        const std::size_t end = seen_rows_[number];
        return {within(0, seen_rows_[0]), number == 0 ? 0 : within(seen_rows_[number - 1], end),
                within(0, end)};
    }

    void summarize() {
        record_.finished =
            !record_.sessions.empty() && record_.sessions.back().session + 1 == stream_.sessions();
        for (std::size_t p = 0; p < kRunPhases; ++p) {
            const auto phase = static_cast<RunPhase>(p);
            record_.seconds[name_of(phase)] = estimate_.seconds(phase);
        }
        if (record_.sessions.empty()) return;
        record_.final_accuracy = record_.sessions.back().accuracy.all;
        if (open_world_) {
            std::vector<OpenWorldRecord> measured;
            for (const SessionRecord& s : record_.sessions) measured.push_back(*s.open_world);
            record_.open_world = summarize_open_world(measured);
        }
        if (record_.sessions.size() < 2) return;
        std::vector<SessionAccuracy> learned, oracle, offline;
        for (std::size_t i = 1; i < record_.sessions.size(); ++i) {
            learned.push_back(record_.sessions[i].accuracy);
            offline.push_back(record_.sessions[i].offline);
            if (record_.sessions[i].oracle) oracle.push_back(*record_.sessions[i].oracle);
        }
        const std::vector<SessionAccuracy> constant(
            learned.size(), {record_.offline_accuracy, record_.offline_accuracy, record_.offline_accuracy});
        record_.omega = omega_if_defined(learned, constant);
        record_.omega_restricted = omega_if_defined(learned, offline);
        if (oracle.size() == learned.size()) record_.omega_oracle = omega_if_defined(oracle, constant);
    }

    const FeatureSet& set_;
    const RunOptions options_;
    const RunHooks hooks_;
    RunCallback callback_;
    const ClassIncrementalStream stream_;
    const Examples test_;
    WorkEstimate estimate_;
    LearnerSpec spec_;
    std::unique_ptr<Learner> learner_;
    RunRecord record_;
    std::vector<std::size_t> seen_rows_;  // by session: test rows of the classes taught by then
    std::vector<double> work_learn_;      // by session
    std::vector<double> work_sleep_;
    std::unique_ptr<OpenWorldTestSet> open_world_;  // null unless the protocol asks for it
    std::size_t open_world_sessions_ = 0;           // that its reference detectors have learned
    std::vector<SessionAccuracy> offline_;          // by session, restricted to the classes taught by then
};

ProtocolRun::ProtocolRun(const FeatureSet& set, const RunOptions& options, const RunHooks& hooks)
    : work_(std::make_unique<Work>(set, options, hooks)) {}
ProtocolRun::ProtocolRun(ProtocolRun&&) noexcept = default;
ProtocolRun::~ProtocolRun() = default;

RunRecord ProtocolRun::run(const RunCallback& callback) {
    return work_->run(callback);
}

RunRecord run_protocol(const FeatureSet& set, const RunOptions& options, const RunCallback& callback,
                       const RunHooks& hooks) {
    return ProtocolRun(set, options, hooks).run(callback);
}

}  // namespace fearnet::lab
