#include "core/learners/fearnet/hippocampus.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/math/distances.hpp"

namespace fearnet {

void Hippocampus::store(const LabeledView& examples) {
    std::map<ClassId, std::vector<std::size_t>> by_class;
    for (std::size_t i = 0; i < examples.labels.size(); ++i) by_class[examples.labels[i]].push_back(i);
    for (const auto& [id, rows] : by_class) {
        auto it = std::lower_bound(classes_.begin(), classes_.end(), id,
                                   [](const ClassExamples& c, ClassId i) { return c.id < i; });
        if (it == classes_.end() || it->id != id) {
            it = classes_.insert(it, ClassExamples{id, {}, {}});
            it->rows.resize(0, examples.x.cols);
        }
        const std::size_t old = it->rows.rows();
        it->rows.resize_rows(old + rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            std::copy_n(examples.x.row(rows[k]), examples.x.cols, it->rows.row(old + k));
            it->norms.push_back(math::squared_norm(it->rows.row(old + k), examples.x.cols));
        }
    }
}

void Hippocampus::remove(ClassId id) {
    std::erase_if(classes_, [id](const ClassExamples& c) { return c.id == id; });
}

std::size_t Hippocampus::size() const {
    std::size_t n = 0;
    for (const ClassExamples& c : classes_) n += c.rows.rows();
    return n;
}

bool Hippocampus::holds(ClassId id) const {
    return std::any_of(classes_.begin(), classes_.end(), [id](const ClassExamples& c) { return c.id == id; });
}

LabeledRows Hippocampus::examples() const {
    LabeledRows all;
    all.x.resize(size(), width());
    for (const ClassExamples& c : classes_) {
        std::copy_n(c.rows.data(), c.rows.size(), all.x.row(all.labels.size()));
        all.labels.insert(all.labels.end(), c.rows.rows(), c.id);
    }
    return all;
}

Matrix Hippocampus::distances(MatrixView x) const {
    Matrix result(x.rows, classes_.size());
    std::vector<float> nearest(x.rows);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        math::nearest_squared_distances(x, classes_[c].rows, classes_[c].norms, nearest);
        for (std::size_t i = 0; i < x.rows; ++i) result(i, c) = std::sqrt(nearest[i]);
    }
    return result;
}

void Hippocampus::to_probabilities(Matrix& distances, const HippocampusOptions& options) {
    for (std::size_t i = 0; i < distances.rows(); ++i) {
        float* row = distances.row(i);
        // (eps + d)^-p relative to that of the nearest class, which does not overflow for a large p.
        double nearest = row[0];
        for (std::size_t c = 1; c < distances.cols(); ++c)
            nearest = std::min(nearest, static_cast<double>(row[c]));
        double sum = 0;
        for (std::size_t c = 0; c < distances.cols(); ++c) {
            const double ratio =
                (options.epsilon + nearest) / (options.epsilon + static_cast<double>(row[c]));
            const double beta = options.sharpness == 1 ? ratio : std::pow(ratio, options.sharpness);
            row[c] = static_cast<float>(beta);
            sum += beta;
        }
        for (std::size_t c = 0; c < distances.cols(); ++c) row[c] = static_cast<float>(row[c] / sum);
    }
}

std::size_t Hippocampus::bytes() const {
    std::size_t sum = 0;
    for (const ClassExamples& c : classes_) sum += c.rows.bytes() + c.norms.size() * sizeof(float);
    return sum;
}

void Hippocampus::save(State& state) const {
    std::vector<std::int64_t> ids;
    for (const ClassExamples& c : classes_) {
        state.set("hippocampus.examples." + std::to_string(index_of(c.id)), c.rows, ArrayKind::examples);
        ids.push_back(index_of(c.id));
    }
    state.set("hippocampus.classes", std::move(ids));
}

void Hippocampus::load(const State& state, std::size_t width) {
    classes_.clear();
    const auto& ids = state.integer("hippocampus.classes");
    for (std::int64_t id : ids) {
        const Matrix& rows = state.matrix("hippocampus.examples." + std::to_string(id));
        if (width == 0) width = rows.cols();
        if (rows.empty() || rows.cols() != width)
            throw Error("State: the examples of class " + std::to_string(id) + " are " +
                        std::to_string(rows.cols()) + " wide but the learner's rows are " +
                        std::to_string(width));
        const std::vector<ClassId> labels(rows.rows(), static_cast<ClassId>(id));
        store({rows, labels});
    }
}

}  // namespace fearnet
