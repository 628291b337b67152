#include "lab/baselines/nearest_neighbor.hpp"

#include <cmath>

namespace fearnet::lab {

void NearestNeighbor::append(MatrixView x, const std::vector<std::vector<std::size_t>>& by_class) {
    if (rows_.cols() != x.cols) rows_.resize(0, x.cols);
    std::size_t at = rows_.rows();
    rows_.resize_rows(at + x.rows);
    for (std::size_t c = 0; c < by_class.size(); ++c) {
        if (by_class[c].empty()) continue;
        classes_.push_back({c, at, at + by_class[c].size()});
        for (const std::size_t i : by_class[c]) {
            std::copy_n(x.row(i), x.cols, rows_.row(at++));
            norms_.push_back(math::squared_norm(x.row(i), x.cols));
        }
    }
}

void NearestNeighbor::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                            const Progress& progress) {
    // Nothing after the report can be cancelled, so the rows stored before are not copied for it.
    report(progress, {"learn", 1, 1}, "learn");
    append(x, rows_by_class(columns, classes));
}

Matrix NearestNeighbor::scores(MatrixView x) const {
    Matrix result(x.rows, class_count());
    math::nearest_squared_distances(x, rows_, norms_, classes_, result);
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = -result.data()[i];
    return result;
}

void NearestNeighbor::to_probabilities(std::span<float> scores) const {
    constexpr float kEpsilon = 1e-6f;
    double sum = 0;
    for (float& s : scores) sum += s = 1 / (kEpsilon + std::sqrt(-s));
    for (float& s : scores) s = static_cast<float>(s / sum);
}

MemoryUse NearestNeighbor::memory() const {
    return {
        {"examples", rows_.bytes() + norms_.size() * sizeof(float) + classes_.size() * sizeof(classes_[0])}};
}

void NearestNeighbor::save_model(State& state) const {
    std::vector<std::int64_t> groups;
    for (const math::RowGroup& g : classes_)
        for (const std::size_t v : {g.group, g.end - g.begin}) groups.push_back(static_cast<std::int64_t>(v));
    state.set("examples", rows_, ArrayKind::examples);
    state.set("example_classes", std::move(groups));
}

void NearestNeighbor::load_model(const State& state) {
    const std::vector<std::int64_t>& groups = state.integer("example_classes");
    const Matrix& rows = state.matrix("examples");
    std::vector<bool> met(class_count());
    classes_.clear();
    std::size_t at = 0;
    for (std::size_t k = 0; k + 1 < groups.size(); k += 2) {
        const auto column = static_cast<std::size_t>(groups[k]),
                   count = static_cast<std::size_t>(groups[k + 1]);
        if (column >= class_count() || count == 0 || count > rows.rows() - at)
            throw Error("State: 'example_classes' gives column " + std::to_string(groups[k]) + " of " +
                        std::to_string(class_count()) + " classes " + std::to_string(groups[k + 1]) +
                        " of the last " + std::to_string(rows.rows() - at) + " rows");
        classes_.push_back({column, at, at + count});
        met[column] = true;
        at += count;
    }
    if (rows.cols() != width() || at != rows.rows() || std::count(met.begin(), met.end(), false) != 0)
        throw Error("State: 'examples' has " + std::to_string(rows.rows()) + " rows of " +
                    std::to_string(rows.cols()) + " features but " + std::to_string(at) + " of " +
                    std::to_string(width()) + ", and some of every class, are needed");
    rows_ = rows;
    norms_.clear();
    for (std::size_t i = 0; i < rows_.rows(); ++i)
        norms_.push_back(math::squared_norm(rows_.row(i), width()));
}

}  // namespace fearnet::lab
