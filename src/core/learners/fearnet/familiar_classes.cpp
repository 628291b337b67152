#include "core/learners/fearnet/familiar_classes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "core/base/gather_rows.hpp"

namespace fearnet {
namespace {

// Each class has an array of its own, so that a brain rewrites only those of the classes that are taught.
std::string mean_key(std::int64_t id) {
    return "familiar.mean." + std::to_string(id);
}

}  // namespace

FamiliarClasses FamiliarClasses::with(const LabeledView& session, const std::vector<ClassId>& known) const {
    if (known.size() != classes_.size()) return {};
    FamiliarClasses next = *this;
    std::map<ClassId, std::int32_t> column_of;
    for (const ClassId id : classes_) column_of.emplace(id, static_cast<std::int32_t>(column_of.size()));
    std::vector<std::int32_t> columns;
    for (const ClassId id : session.labels) {
        const auto [it, fresh] = column_of.emplace(id, static_cast<std::int32_t>(column_of.size()));
        if (fresh) next.classes_.push_back(id);
        columns.push_back(it->second);
    }
    ClassMoments moments;
    moments.counts = counts_, moments.means = means_.weights;
    moments.add(session.x, columns, next.classes_.size(), false);
    next.means_ = nearest_mean_readout(moments, false);
    next.counts_ = moments.counts;
    const LeftOutSample sample(columns, moments.counts);
    Matrix asked(0, session.x.cols);
    gather_rows(session.x, sample.rows, asked);
    Matrix residuals = asked;
    for (std::size_t i = 0; i < residuals.rows(); ++i) {
        const float* mean = moments.means.row(static_cast<std::size_t>(sample.columns[i]));
        for (std::size_t j = 0; j < residuals.cols(); ++j) residuals(i, j) -= mean[j];
    }
    next.open_.learn({next.means_, moments.means, moments, asked, residuals, sample.columns});
    return next;
}

FamiliarClasses FamiliarClasses::without(ClassId id) const {
    const auto it = std::find(classes_.begin(), classes_.end(), id);
    if (it == classes_.end()) return *this;
    if (classes_.size() == 1) return {};
    FamiliarClasses next = *this;
    const auto column = it - classes_.begin();
    next.classes_.erase(next.classes_.begin() + column);
    next.counts_.erase(next.counts_.begin() + column);
    next.means_.weights = without_row(means_.weights, static_cast<std::size_t>(column));
    next.means_.bias.erase(next.means_.bias.begin() + column);
    next.open_.drop(static_cast<std::size_t>(column), next.means_, next.means_.weights);
    return next;
}

std::vector<double> FamiliarClasses::familiarity(MatrixView x) const {
    if (!ready()) return {};
    return open_.familiarity(means_.scores(x), x);
}

Matrix FamiliarClasses::class_p_values(MatrixView x) const {
    if (!ready()) return {};
    const Matrix by_column = open_.class_p_values(means_.scores(x));
    std::vector<std::size_t> order(classes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return classes_[a] < classes_[b]; });
    Matrix result(by_column.rows(), by_column.cols());
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t k = 0; k < order.size(); ++k) result(i, k) = by_column(i, order[k]);
    return result;
}

std::size_t FamiliarClasses::bytes() const {
    return means_.bytes() + counts_.size() * sizeof(counts_[0]) + open_.bytes();
}

void FamiliarClasses::save(State& state) const {
    if (classes_.empty()) return;
    std::vector<std::int64_t> ids;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        ids.push_back(index_of(classes_[c]));
        state.set(mean_key(ids.back()), Matrix(means_.weights.view().slice(c, 1)), ArrayKind::statistics);
    }
    state.set("familiar.classes", std::move(ids));
    state.set("familiar.counts", counts_);
    open_.save(state);
}

FamiliarClasses FamiliarClasses::load(const State& state, const std::vector<ClassId>& classes,
                                      std::size_t width) {
    FamiliarClasses result;
    const auto first = state.arrays.lower_bound("familiar.");
    if (first == state.arrays.end() || !first->first.starts_with("familiar.")) return result;
    for (const std::int64_t id : state.integer("familiar.classes"))
        result.classes_.push_back(static_cast<ClassId>(id));
    std::vector<ClassId> ascending = result.classes_;
    std::sort(ascending.begin(), ascending.end());
    if (ascending != classes)
        throw Error("State: 'familiar.classes' names " + std::to_string(ascending.size()) +
                    " classes, which are not the " + std::to_string(classes.size()) + " of the learner");
    ClassMoments moments;
    moments.counts = result.counts_ = state.integer("familiar.counts");
    if (result.counts_.size() != classes.size() ||
        std::any_of(result.counts_.begin(), result.counts_.end(),
                    [](std::int64_t n) { return n < 1 || n > (std::int64_t{1} << 40); }))
        throw Error("State: 'familiar.counts' has " + std::to_string(result.counts_.size()) +
                    " numbers but " + std::to_string(classes.size()) + ", all positive, are needed");
    moments.means = Matrix(classes.size(), width);
    for (std::size_t c = 0; c < classes.size(); ++c)
        std::copy_n(state.finite(mean_key(index_of(result.classes_[c])), 1, width).data(), width,
                    moments.means.row(c));
    result.means_ = nearest_mean_readout(moments, false);
    result.open_.load(state, result.means_, result.means_.weights);
    return result;
}

}  // namespace fearnet
