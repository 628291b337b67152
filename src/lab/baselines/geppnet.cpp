#include "lab/baselines/geppnet.hpp"

#include <set>

namespace fearnet::lab {

void GeppNet::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                    const Progress& progress) {
    GeppNetModel model;
    if (first_session()) {
        model = GeppNetModel(settings(), {x, columns}, classes, session_rng(), progress);
    } else {
        const std::size_t present = std::set<std::int32_t>(columns.begin(), columns.end()).size();
        model = model_;
        model.train(settings(), {known_.x(), known_.columns()}, {x, columns}, classes,
                    present * static_cast<std::size_t>(settings().incremental.iterations), session_rng(),
                    progress);
    }
    known_.add(x, columns);
    model_ = std::move(model);
}

MemoryUse GeppNet::memory() const {
    if (width() == 0) return {};
    return {{"networks", model_.bytes()}, {"examples", known_.bytes()}};
}

void GeppNet::save_model(State& state) const {
    model_.save(state);
    known_.save(state, "known");
}

void GeppNet::load_model(const State& state) {
    model_ = GeppNetModel::load(state, settings(), width());
    if (model_.classes() != class_count())
        throw Error("State: the read-out has " + std::to_string(model_.classes()) +
                    " outputs but there are " + std::to_string(class_count()) + " classes");
    known_ = RowStore::load(state, "known", class_count(), width());
}

}  // namespace fearnet::lab
