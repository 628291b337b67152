#include "lab/baselines/offline_mlp.hpp"

#include <algorithm>
#include <map>

#include "core/learners/fearnet/training.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet::lab {

struct OfflineMlp::Parts {
    FearNetOptions options;
    std::uint64_t seed = 1;
    nn::Network network;
    std::vector<ClassId> classes;  // ascending
};

OfflineMlp::OfflineMlp(const FearNetOptions& options, std::uint64_t seed)
    : parts_(std::make_unique<Parts>()) {
    parts_->options = options;
    parts_->seed = seed;
}
OfflineMlp::~OfflineMlp() = default;

void OfflineMlp::do_learn(const LabeledView& session, const Progress& progress) {
    Parts& p = *parts_;
    if (!p.classes.empty())
        throw Error("OfflineMlp::learn: taught already; an offline model takes all its data in one session");
    std::map<ClassId, std::int32_t> column;
    for (ClassId id : session.labels) column[id] = 0;
    std::vector<ClassId> classes;
    for (auto& [id, at] : column) {
        at = static_cast<std::int32_t>(classes.size());
        classes.push_back(id);
    }
    std::vector<std::int32_t> labels;
    for (ClassId id : session.labels) labels.push_back(column[id]);
    const Rng rng = Rng(p.seed).fork(100);
    Rng initial = rng.fork(1);
    nn::Network network(network_shape(p.options, session.x.cols, classes.size(), false),
                        static_cast<float>(p.options.network.bias), initial);
    TrainingPhase phase;
    phase.name = "offline";
    phase.batch = static_cast<std::size_t>(p.options.training.batch);
    phase.epochs = epochs_for(p.options.training.offline_epochs, p.options.training.min_steps, session.x.rows,
                              phase.batch);
    phase.decay = p.options.training.base_decay;
    phase.trainer = trainer_options(p.options, 0);
    train_on_rows(network, session.x, labels, phase, rng.fork(2), progress);
    p.network = std::move(network);
    p.classes = std::move(classes);
}

Matrix OfflineMlp::do_scores(MatrixView x) const {
    Matrix codes, scores;
    parts_->network.encode(x, codes);
    parts_->network.probabilities(codes, scores);
    return scores;
}

std::vector<ClassId> OfflineMlp::classes() const {
    return parts_->classes;
}
std::size_t OfflineMlp::width() const {
    return parts_->network.inputs();
}
MemoryUse OfflineMlp::memory() const {
    return {{"networks", parts_->network.bytes()}};
}
std::map<std::string, std::string> OfflineMlp::options() const {
    return options_as_text(parts_->options);
}

State OfflineMlp::save() const {
    State state;
    state.set("learner", name());
    save_options(parts_->options, state);
    state.set("seed", std::vector<std::int64_t>{static_cast<std::int64_t>(parts_->seed)});
    std::vector<std::int64_t> ids;
    for (ClassId id : parts_->classes) ids.push_back(index_of(id));
    state.set("classes", std::move(ids));
    if (!parts_->classes.empty()) parts_->network.save(state, "network");
    return state;
}

std::unique_ptr<OfflineMlp> OfflineMlp::load(const State& state) {
    const FearNetOptions options = load_options<FearNetOptions>(state);
    const auto& seed = state.integer("seed");
    if (seed.size() != 1)
        throw Error("State: 'seed' has " + std::to_string(seed.size()) + " numbers but 1 is needed");
    auto result = std::make_unique<OfflineMlp>(options, static_cast<std::uint64_t>(seed[0]));
    for (std::int64_t id : state.integer("classes"))
        result->parts_->classes.push_back(static_cast<ClassId>(id));
    if (result->parts_->classes.empty()) return result;
    result->parts_->network = nn::Network::load(state, "network");
    if (result->parts_->network.outputs() != result->parts_->classes.size())
        throw Error("State: the network has " + std::to_string(result->parts_->network.outputs()) +
                    " outputs but " + std::to_string(result->parts_->classes.size()) + " classes");
    return result;
}

}  // namespace fearnet::lab
