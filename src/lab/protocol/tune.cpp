#include "fearnet/lab/tune.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

#include "data/table/split.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"
#include "lab/protocol/stopwatch.hpp"

namespace fearnet::lab {
namespace {

constexpr std::uint64_t kTrialStream = 0x747269616c;  // "trial"
constexpr std::size_t kMaxCombinations = 1'000'000;

bool is_fixed(const TuneOptions& options, const SearchRange& range) {
    return std::any_of(options.learner.settings.begin(), options.learner.settings.end(),
                       [&](const auto& fixed) { return fixed.first == range.option; });
}

std::vector<SearchRange> ranges_of(const TuneOptions& options) {
    for (const SearchRange& r : options.search)
        if (is_fixed(options, r))
            throw Error("tune: " + r.option + " is both fixed and searched; leave one out");
    std::vector<SearchRange> ranges =
        options.search.empty() ? search_space(options.learner.learner) : options.search;
    std::erase_if(ranges, [&](const SearchRange& r) { return is_fixed(options, r); });
    if (ranges.empty())
        throw Error("tune: learner " + options.learner.learner +
                    " has no ranges to search; name some with --search OPTION=A|B|C");
    return ranges;
}

LearnerSpec spec_of(const TuneOptions& options, const Settings& settings) {
    LearnerSpec spec = options.learner;
    spec.settings.insert(spec.settings.end(), settings.begin(), settings.end());
    return spec;
}

// Combination `number` of the ranges, the first range changing fastest.
Settings combination(const std::vector<SearchRange>& ranges, std::size_t number) {
    Settings settings;
    for (const SearchRange& r : ranges) {
        settings.emplace_back(r.option, r.values[number % r.values.size()]);
        number /= r.values.size();
    }
    return settings;
}

SessionAccuracy mean_over_sessions(const RunRecord& record) {
    SessionAccuracy sum;
    const double sessions = static_cast<double>(record.sessions.size() - 1);
    for (std::size_t i = 1; i < record.sessions.size(); ++i) {
        sum.base += record.sessions[i].accuracy.base / sessions;
        sum.recent += record.sessions[i].accuracy.recent / sessions;
        sum.all += record.sessions[i].accuracy.all / sessions;
    }
    return sum;
}

// No offline model is needed to rank trials.
ClassScores no_offline_scores(const LearnerSpec&, const LabeledView& train, MatrixView test,
                              const Progress&) {
    const std::set<ClassId> classes(train.labels.begin(), train.labels.end());
    return {{classes.begin(), classes.end()}, Matrix(test.rows, classes.size())};
}

// The trials of one search, by one or several threads.
class Search {
  public:
    Search(const FeatureSet& inner, const TuneOptions& options, const std::vector<Settings>& planned,
           const std::vector<Trial>& known, const TuneCallback& callback)
        : inner_(inner),
          options_(options),
          planned_(planned),
          callback_(callback),
          trials_(planned.size()),
          done_(planned.size()) {
        ProtocolRun(inner_, run_options({}));  // throws when it cannot be run
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            const auto it = std::find_if(known.begin(), known.end(),
                                         [&](const Trial& t) { return t.settings == planned_[i]; });
            if (it != known.end()) trials_[i] = *it, done_[i] = 1;
        }
    }

    std::vector<Trial> run() {
        if (options_.jobs == 1) {
            work();
        } else {
            std::vector<std::thread> workers;
            for (int i = 0; i < options_.jobs; ++i)
                workers.emplace_back([this] {
                    set_threads(1);
                    work();
                });
            for (std::thread& w : workers) w.join();
        }
        if (failure_) std::rethrow_exception(failure_);
        std::vector<Trial> finished;
        for (const std::optional<Trial>& t : trials_)
            if (t) finished.push_back(*t);
        std::stable_sort(finished.begin(), finished.end(),
                         [](const Trial& a, const Trial& b) { return a.accuracy.all > b.accuracy.all; });
        return finished;
    }

  private:
    RunOptions run_options(const Settings& settings) const {
        RunOptions run;
        run.learner = spec_of(options_, settings);
        run.protocol = options_.protocol;
        run.protocol.base_classes = 0;
        run.seed = options_.seed;
        return run;
    }

    // Runs trials until none is left or the search is stopped.
    void work() noexcept {
        try {
            for (std::size_t i = take(); i < planned_.size() && !stopped_; i = take())
                if (!trials_[i]) run_trial(i);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stopped_ = true;
        }
    }
    std::size_t take() { return next_++; }

    void run_trial(std::size_t i) {
        const RunOptions options = run_options(planned_[i]);
        // Progress by sessions, since the estimate of the run includes the training of the offline model.
        double done = 0;
        RunRecord record;
        const double seconds = seconds_of([&] {
            record = run_protocol(inner_, options,
                                  [&](const RunProgress& p) {
                                      if (p.finished_session != nullptr)
                                          done = static_cast<double>(p.finished_session->session + 1) /
                                                 static_cast<double>(p.sessions + 1);
                                      return report(i, done, p.what, nullptr);
                                  },
                                  {make_learner, no_offline_scores});
        });
        if (!record.finished) return;
        const Trial trial{planned_[i], mean_over_sessions(record), seconds};
        report(i, 1, "", &trial);
    }

    // A finished trial is recorded even if the search is stopped.
    bool report(std::size_t i, double done, const std::string& what, const Trial* finished) {
        const std::lock_guard lock(mutex_);
        done_[i] = done;
        if (finished != nullptr) trials_[i] = *finished;
        if (stopped_ && finished == nullptr) return false;
        if (!callback_) return true;
        const double fraction =
            std::accumulate(done_.begin(), done_.end(), 0.0) / static_cast<double>(planned_.size());
        const std::string title = "trial " + std::to_string(i + 1) + "/" + std::to_string(planned_.size());
        const bool more = callback_({fraction, title + (what.empty() ? "" : ", " + what), finished});
        if (!more) stopped_ = true;
        return more;
    }

    const FeatureSet& inner_;
    const TuneOptions& options_;
    const std::vector<Settings>& planned_;
    const TuneCallback& callback_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> stopped_ = false;
    std::mutex mutex_;  // of everything below
    std::vector<std::optional<Trial>> trials_;
    std::vector<double> done_;
    std::exception_ptr failure_;
};

}  // namespace

FeatureSet tuning_set(const FeatureSet& set, const TuneOptions& options) {
    const ClassIncrementalStream stream(set, {options.protocol.base_classes, options.seed});
    if (stream.base_classes() < 2)
        throw Error("tune: " + std::to_string(stream.base_classes()) +
                    " base class, but at least 2 are needed to make a stream of them");
    FeatureSet inner;
    inner.name = set.name + ", base classes";
    std::vector<ClassId> renamed(set.classes(), ClassId{-1});
    for (const ClassId id : stream.classes_of(0)) {
        renamed[static_cast<std::size_t>(index_of(id))] = static_cast<ClassId>(inner.names.size());
        inner.names.push_back(set.names[static_cast<std::size_t>(index_of(id))]);
    }
    const StudySession base = stream.session(0);
    std::vector<ClassId> labels;
    for (const ClassId id : base.examples.labels)
        labels.push_back(renamed[static_cast<std::size_t>(index_of(id))]);
    split_rows(Matrix(base.examples.x), labels,
               hold_out(labels, inner.names, options.held_out, options.seed, "tune " + set.name), inner);
    return inner;
}

std::vector<Settings> tuning_trials(const TuneOptions& options) {
    if (options.trials < 1)
        throw Error("tune: " + std::to_string(options.trials) + " trials, but at least 1 is needed");
    const std::vector<SearchRange> ranges = ranges_of(options);
    std::size_t combinations = 1;
    for (const SearchRange& r : ranges) {
        if (r.values.empty()) throw Error("tune: no values for " + r.option);
        combinations *= r.values.size();
        if (combinations > kMaxCombinations)
            throw Error("tune: more than " + std::to_string(kMaxCombinations) +
                        " combinations to choose from; search fewer options or values");
    }
    std::vector<std::size_t> numbers(combinations);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    Rng(options.seed).fork(kTrialStream).shuffle(std::span<std::size_t>(numbers));
    numbers.resize(std::min(combinations, static_cast<std::size_t>(options.trials)));
    std::vector<Settings> trials{Settings{}};
    for (const std::size_t n : numbers) trials.push_back(combination(ranges, n));
    return trials;
}

std::vector<Trial> tune(const FeatureSet& set, const TuneOptions& options, const std::vector<Trial>& known,
                        const TuneCallback& callback) {
    if (options.jobs < 1)
        throw Error("tune: " + std::to_string(options.jobs) + " jobs, but at least 1 is needed");
    const std::vector<Settings> planned = tuning_trials(options);
    for (const Settings& settings : planned) make_learner(spec_of(options, settings));
    const FeatureSet inner = tuning_set(set, options);
    Search search(inner, options, planned, known, callback);
    return search.run();
}

}  // namespace fearnet::lab
