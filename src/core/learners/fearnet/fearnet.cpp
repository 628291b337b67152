#include "core/learners/fearnet/fearnet.hpp"

#include <algorithm>
#include <set>

#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/answers.hpp"
#include "core/learners/fearnet/consolidation.hpp"
#include "core/learners/fearnet/familiar_classes.hpp"
#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/memory_budget.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet {

struct FearNet::Parts {
    FearNetOptions options;
    std::uint64_t seed = 1;
    std::uint64_t sessions = 0;  // number of sessions and sleeps so far: each has its own random stream
    std::uint64_t sleeps = 0;
    Hippocampus hippocampus;
    PrefrontalCortex prefrontal_cortex;
    Amygdala amygdala;
    FamiliarClasses familiar;

    enum Stream : std::uint64_t { kBase = 1, kRouter = 2, kSleep = 3, kForget = 4 };
    Rng rng(Stream stream, std::uint64_t number) const { return Rng(seed).fork(stream).fork(number); }
    // The base phase needs at least training.base_classes classes.
    bool enough_for_base(std::size_t classes) const {
        return classes >= static_cast<std::size_t>(options.training.base_classes);
    }
    bool can_sleep() const {
        return !hippocampus.empty() &&
               (!prefrontal_cortex.empty() || enough_for_base(hippocampus.contents().size()));
    }
    // memory.budget is for what predicts: the familiar classes are kept only while they fit beside it.
    void keep_within_budget() {
        const auto budget = static_cast<std::size_t>(options.memory.budget);
        const std::size_t others = prefrontal_cortex.bytes() + hippocampus.bytes() + amygdala.bytes();
        if (budget > 0 && others + familiar.bytes() > budget) familiar.clear();
    }
    TwoMemories memories() const { return {hippocampus, prefrontal_cortex, amygdala, options.hippocampus}; }
};

namespace {

// The options with sleep.epochs replaced by `epochs`, unless that is 0.
FearNetOptions with_epochs(FearNetOptions options, std::int64_t epochs) {
    if (epochs == 0) return options;
    options.sleep.epochs = options.training.base_epochs = epochs;
    options.sleep.min_steps = options.training.min_steps = 0;
    return options;
}

// The prediction of the memory that holds the true class; if both hold it, a correct one if there is one.
ClassId best_answer(const Explanation& e, bool recent, bool consolidated, ClassId truth) {
    if (!recent) return e.consolidated_label;
    return consolidated && e.consolidated_label == truth ? truth : e.recent_label;
}

}  // namespace

FearNet::FearNet(const FearNetOptions& options, std::uint64_t seed) : parts_(std::make_unique<Parts>()) {
    parts_->options = options;
    parts_->seed = seed;
}
FearNet::~FearNet() = default;
FearNet::FearNet(FearNet&&) noexcept = default;
FearNet& FearNet::operator=(FearNet&&) noexcept = default;

void FearNet::do_learn(const LabeledView& session, const Progress& progress) {
    Parts& p = *parts_;
    const std::set<ClassId> taught(session.labels.begin(), session.labels.end());
    FamiliarClasses familiar = p.familiar.with(session, classes());
    if (classes().empty() && p.enough_for_base(taught.size())) {
        p.prefrontal_cortex.fit(session, p.options, p.rng(Parts::kBase, 0), progress);
        p.familiar = std::move(familiar);
        p.keep_within_budget();
        ++p.sessions;
        return;
    }
    // Works on copies, so that a cancelled call changes nothing.
    Hippocampus stored = p.hippocampus;
    stored.store(session);
    const std::size_t kept = p.prefrontal_cortex.bytes() + stored.bytes();
    Amygdala router;
    if (p.prefrontal_cortex.empty()) {
        require_within_budget(kept, p.options, p.can_sleep());
        report(progress, {"store", 1, 1, 0}, "learn");
    } else {
        if (Amygdala::needed(stored, p.prefrontal_cortex))
            require_within_budget(kept + expected_router_bytes(p.options, width()), p.options, p.can_sleep());
        router.fit(stored, p.prefrontal_cortex, p.options, p.rng(Parts::kRouter, p.sessions), progress);
        require_within_budget(kept + router.bytes(), p.options, p.can_sleep());
    }
    p.hippocampus = std::move(stored);
    p.amygdala = std::move(router);
    p.familiar = std::move(familiar);
    p.keep_within_budget();
    ++p.sessions;
}

void FearNet::do_sleep(const SleepEffort& effort, const Progress& progress) {
    Parts& p = *parts_;
    if (!p.can_sleep()) return;
    const TimeLimit limit(effort.seconds);
    const FearNetOptions options = with_epochs(p.options, effort.epochs);
    if (p.prefrontal_cortex.empty())
        p.prefrontal_cortex.fit(p.hippocampus.examples(), options, p.rng(Parts::kBase, 0), progress, limit);
    else
        p.prefrontal_cortex = consolidate(p.prefrontal_cortex, p.hippocampus, options,
                                          p.rng(Parts::kSleep, p.sleeps), progress, limit);
    p.hippocampus.clear();
    p.amygdala.clear();
    p.keep_within_budget();
    ++p.sleeps;
}

void FearNet::do_forget(ClassId id, const Progress& progress) {
    Parts& p = *parts_;
    Hippocampus recent = p.hippocampus;
    recent.remove(id);
    PrefrontalCortex consolidated = p.prefrontal_cortex.without(id);
    FamiliarClasses familiar = p.familiar.without(id);
    Amygdala router;  // retrained: the old router was trained on the class
    if (recent.empty() || consolidated.empty())
        report(progress, {"forget", 1, 1, 0}, "forget");
    else
        router.fit(recent, consolidated, p.options, p.rng(Parts::kForget, p.sessions), progress);
    p.hippocampus = std::move(recent);
    p.prefrontal_cortex = std::move(consolidated);
    p.amygdala = std::move(router);
    p.familiar = std::move(familiar);
    p.keep_within_budget();
}

std::vector<Explanation> FearNet::explain(MatrixView x) const {
    check_question(x, "explain");
    std::vector<Explanation> result;
    result.reserve(x.rows);
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce)
        for (const Explanation& e :
             explain_rows(parts_->memories(), x.slice(first, std::min(kRowsAtOnce, x.rows - first))))
            result.push_back(e);
    return result;
}

Matrix FearNet::do_scores(MatrixView x) const {
    return mixed_probabilities(parts_->memories(), classes(), x);
}

std::vector<double> FearNet::do_familiarity(MatrixView x) const {
    return parts_->familiar.familiarity(x);
}

Matrix FearNet::do_class_p_values(MatrixView x) const {
    return parts_->familiar.class_p_values(x);
}

std::vector<ClassId> FearNet::oracle_answers(std::span<const Explanation> explained,
                                             std::span<const ClassId> truth) const {
    if (explained.size() != truth.size())
        throw Error("fearnet::oracle_answers: " + std::to_string(explained.size()) + " explanations but " +
                    std::to_string(truth.size()) + " labels");
    std::vector<ClassId> result;
    for (std::size_t i = 0; i < truth.size(); ++i)
        result.push_back(best_answer(explained[i], parts_->hippocampus.holds(truth[i]),
                                     parts_->prefrontal_cortex.holds(truth[i]), truth[i]));
    return result;
}

std::vector<ClassId> FearNet::recent_classes() const {
    std::vector<ClassId> ids;
    for (const Hippocampus::ClassExamples& c : parts_->hippocampus.contents()) ids.push_back(c.id);
    return ids;
}

std::vector<ClassId> FearNet::consolidated_classes() const {
    std::vector<ClassId> ids = parts_->prefrontal_cortex.classes();
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<ClassId> FearNet::classes() const {
    std::set<ClassId> ids(parts_->prefrontal_cortex.classes().begin(),
                          parts_->prefrontal_cortex.classes().end());
    for (ClassId id : recent_classes()) ids.insert(id);
    return {ids.begin(), ids.end()};
}

std::size_t FearNet::width() const {
    const Parts& p = *parts_;
    return p.prefrontal_cortex.empty() ? p.hippocampus.width() : p.prefrontal_cortex.network().inputs();
}

MemoryUse FearNet::memory() const {
    const Parts& p = *parts_;
    return {{"networks", p.prefrontal_cortex.network_bytes() + p.amygdala.bytes()},
            {"statistics", p.prefrontal_cortex.statistics_bytes() + p.familiar.bytes()},
            {"examples", p.hippocampus.bytes()}};
}

std::map<std::string, std::string> FearNet::options() const {
    return options_as_text(parts_->options);
}

State FearNet::save() const {
    const Parts& p = *parts_;
    State state;
    state.set("learner", name());
    save_options(p.options, state);
    state.set("seed", std::vector<std::int64_t>{static_cast<std::int64_t>(p.seed),
                                                static_cast<std::int64_t>(p.sessions),
                                                static_cast<std::int64_t>(p.sleeps)});
    p.prefrontal_cortex.save(state);
    p.hippocampus.save(state);
    p.amygdala.save(state);
    p.familiar.save(state);
    return state;
}

std::unique_ptr<FearNet> FearNet::load(const State& state) {
    const FearNetOptions options = load_options<FearNetOptions>(state);
    const auto& seed = state.integer("seed");
    if (seed.size() != 3)
        throw Error("State: 'seed' has " + std::to_string(seed.size()) + " numbers but 3 are needed");
    auto result = std::make_unique<FearNet>(options, static_cast<std::uint64_t>(seed[0]));
    Parts& p = *result->parts_;
    p.sessions = static_cast<std::uint64_t>(seed[1]);
    p.sleeps = static_cast<std::uint64_t>(seed[2]);
    p.prefrontal_cortex = PrefrontalCortex::load(state);
    p.hippocampus.load(state, result->width());
    p.amygdala = Amygdala::load(state, p.prefrontal_cortex, options);
    if (!p.amygdala.trained() && Amygdala::needed(p.hippocampus, p.prefrontal_cortex))
        throw Error("State: recent examples but no trained router");
    p.familiar = FamiliarClasses::load(state, result->classes(), result->width());
    return result;
}

}  // namespace fearnet
