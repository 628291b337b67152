#include "fearnet/learners/fearnet.hpp"

#include <algorithm>
#include <set>

#include "learners/fearnet/amygdala.hpp"
#include "learners/fearnet/answers.hpp"
#include "learners/fearnet/consolidation.hpp"
#include "learners/fearnet/hippocampus.hpp"
#include "learners/fearnet/prefrontal_cortex.hpp"
#include "learners/saved_options.hpp"

namespace fearnet {

struct FearNet::Parts {
    FearNetOptions options;
    std::uint64_t seed = 1;
    std::uint64_t sessions = 0;  // learned so far: every session and sleep draws from a stream of its own
    std::uint64_t sleeps = 0;
    Hippocampus hippocampus;
    PrefrontalCortex prefrontal_cortex;
    Amygdala amygdala;

    enum Stream : std::uint64_t { kBase = 1, kRouter = 2, kSleep = 3 };
    Rng rng(Stream stream, std::uint64_t number) const { return Rng(seed).fork(stream).fork(number); }
    Memories memories() const { return {hippocampus, prefrontal_cortex, amygdala, options.hippocampus}; }
};

namespace {

// A softmax over too few classes learns nothing.
bool is_base(const LabeledView& examples, const FearNetOptions& options) {
    const std::set<ClassId> classes(examples.labels.begin(), examples.labels.end());
    return classes.size() >= static_cast<std::size_t>(options.training.base_classes);
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
    if (classes().empty() && is_base(session, p.options)) {
        p.prefrontal_cortex.fit(session, p.options, p.rng(Parts::kBase, 0), progress);
        ++p.sessions;
        return;
    }
    // On copies, so that a cancelled call leaves no trace.
    Hippocampus stored = p.hippocampus;
    stored.store(session);
    Amygdala router;
    if (p.prefrontal_cortex.empty())
        report(progress, {"store", 1, 1, 0}, "learn");
    else
        router.fit(stored, p.prefrontal_cortex, p.options, p.rng(Parts::kRouter, p.sessions), progress);
    p.hippocampus = std::move(stored);
    p.amygdala = std::move(router);
    ++p.sessions;
}

void FearNet::do_sleep(const SleepEffort&, const Progress& progress) {
    Parts& p = *parts_;
    if (p.hippocampus.empty()) return;
    if (p.prefrontal_cortex.empty()) {
        const LabeledRows stored = p.hippocampus.examples();
        if (!is_base(stored, p.options)) return;
        p.prefrontal_cortex.fit(stored, p.options, p.rng(Parts::kBase, 0), progress);
    } else {
        p.prefrontal_cortex = consolidate(p.prefrontal_cortex, p.hippocampus, p.options,
                                          p.rng(Parts::kSleep, p.sleeps), progress);
    }
    p.hippocampus.clear();
    p.amygdala.clear();
    ++p.sleeps;
}

std::vector<Explanation> FearNet::do_explain(MatrixView x) const {
    return explain_rows(parts_->memories(), x);
}

Matrix FearNet::do_probabilities(MatrixView x) const {
    return mixed_probabilities(parts_->memories(), classes(), x);
}

std::optional<std::vector<ClassId>> FearNet::do_predict_with_oracle(MatrixView x,
                                                                    std::span<const ClassId> truth) const {
    const std::vector<Explanation> explained = do_explain(x);
    std::vector<ClassId> result;
    for (std::size_t i = 0; i < x.rows; ++i)
        result.push_back(parts_->hippocampus.holds(truth[i]) ? explained[i].recent_label
                                                             : explained[i].consolidated_label);
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
            {"statistics", p.prefrontal_cortex.statistics_bytes()},
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
    if (!p.hippocampus.empty() && !p.prefrontal_cortex.empty() && !p.amygdala.trained())
        throw Error("State: recent examples but no trained router");
    return result;
}

}  // namespace fearnet
