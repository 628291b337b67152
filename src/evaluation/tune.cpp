#include "fearnet/evaluation/tune.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "features/split.hpp"
#include "fearnet/base/rng.hpp"
#include "fearnet/stream/class_incremental_stream.hpp"

namespace fearnet {
namespace {

constexpr std::uint64_t kTrialStream = 0x747269616c;  // "trial"
constexpr std::size_t kMostCombinations = 1'000'000;

bool is_fixed(const TuneOptions& options, const SearchRange& range) {
    return std::any_of(options.learner.settings.begin(), options.learner.settings.end(),
                       [&](const auto& fixed) { return fixed.first == range.option; });
}

std::vector<SearchRange> ranges_of(const TuneOptions& options) {
    for (const SearchRange& r : options.search)
        if (is_fixed(options, r)) throw Error("tune: " + r.option + " is both fixed and searched; leave one out");
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
ClassScores no_offline_scores(const LearnerSpec&, const LabeledView& train, MatrixView test, const Progress&) {
    const std::set<ClassId> classes(train.labels.begin(), train.labels.end());
    return {{classes.begin(), classes.end()}, Matrix(test.rows, classes.size())};
}

}  // namespace

FeatureSet tuning_set(const FeatureSet& set, const TuneOptions& options) {
    const ClassIncrementalStream stream(set, {options.base_classes, options.seed});
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
    split_rows(base.examples.x, labels,
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
        if (combinations > kMostCombinations)
            throw Error("tune: more than " + std::to_string(kMostCombinations) +
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
    const std::vector<Settings> planned = tuning_trials(options);
    for (const Settings& settings : planned) make_learner(spec_of(options, settings));
    const FeatureSet inner = tuning_set(set, options);
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const auto same = [&](const Trial& t) { return t.settings == planned[i]; };
        if (const auto it = std::find_if(known.begin(), known.end(), same); it != known.end()) {
            trials.push_back(*it);
            continue;
        }
        RunOptions run;
        run.learner = spec_of(options, planned[i]);
        run.sleep_every = options.sleep_every;
        run.evaluate_every = options.evaluate_every;
        run.seed = options.seed;
        const std::string title = "trial " + std::to_string(i + 1) + "/" + std::to_string(planned.size());
        const auto say = [&](double done, const std::string& what, const Trial* finished) {
            const double fraction = (static_cast<double>(i) + done) / static_cast<double>(planned.size());
            return !callback || callback({fraction, title + (what.empty() ? "" : ", " + what), finished});
        };
        check_run_options(inner, run);
        // By sessions, since the run's own estimate counts on an offline model to be trained.
        double done = 0;
        const RunRecord record = run_protocol(
            inner, run,
            [&](const RunProgress& p) {
                if (p.finished_session != nullptr)
                    done = static_cast<double>(p.finished_session->session + 1) / static_cast<double>(p.sessions + 1);
                return say(done, p.what, nullptr);
            },
            {make_learner, no_offline_scores});
        if (!record.finished) break;
        trials.push_back({planned[i], mean_over_sessions(record)});
        if (!say(1, "", &trials.back())) break;
    }
    std::stable_sort(trials.begin(), trials.end(),
                     [](const Trial& a, const Trial& b) { return a.accuracy.all > b.accuracy.all; });
    return trials;
}

}  // namespace fearnet
