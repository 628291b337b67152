#include "fearnet/scoring_learner.hpp"

namespace fearnet {

std::vector<std::int32_t> ClassColumns::add(std::span<const ClassId> labels) {
    std::vector<std::int32_t> columns;
    columns.reserve(labels.size());
    for (const ClassId id : labels) {
        const auto [it, fresh] = column_.try_emplace(id, static_cast<std::int32_t>(ids_.size()));
        if (fresh) ids_.push_back(id);
        columns.push_back(it->second);
    }
    return columns;
}

void ClassColumns::remove(ClassId id) {
    ids_.erase(ids_.begin() + column_.at(id));
    column_.clear();
    for (std::size_t c = 0; c < ids_.size(); ++c) column_[ids_[c]] = static_cast<std::int32_t>(c);
}

std::vector<ClassId> ClassColumns::ascending() const {
    std::vector<ClassId> ids;
    for (const auto& [id, column] : column_) ids.push_back(id);
    return ids;
}

void ClassColumns::save(State& state) const {
    std::vector<std::int64_t> ids;
    for (const ClassId id : ids_) ids.push_back(index_of(id));
    state.set("classes", std::move(ids));
}

ClassColumns ClassColumns::load(const State& state) {
    ClassColumns columns;
    for (const std::int64_t id : state.integer("classes")) {
        const auto known = static_cast<ClassId>(id);
        if (id < 0 || index_of(known) != id || columns.column_.contains(known))
            throw Error("State: class " + std::to_string(id) + " is not a class id or stands there twice");
        columns.add(std::span(&known, 1));
    }
    return columns;
}

}  // namespace fearnet
