#include "core/brain/class_space.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"

namespace fearnet {
namespace {

using math::Op;

// Principal directions of rows around zero, one per row of the result, by decreasing variance; only those
// with any variance. `variances` are the means of the squares along them.
Matrix principal_directions(const Matrix& rows, std::size_t most, std::vector<double>* variances = nullptr) {
    const bool wide = rows.cols() > rows.rows();
    const std::size_t n = std::min(rows.rows(), rows.cols());
    Matrix gram(n, n);
    math::gemm(wide ? Op::none : Op::transpose, rows, wide ? Op::transpose : Op::none, rows, gram);
    std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(gram, std::min(most, n));
    const double least = pairs.empty() ? 0 : 1e-6 * pairs.front().value;
    while (!pairs.empty() && !(pairs.back().value > std::max(least, 1e-12))) pairs.pop_back();
    Matrix vectors(pairs.size(), n);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        // Of a wide matrix u is a vector among rows: rows^T u / sqrt(value) is the direction.
        const double scale = wide ? 1 / std::sqrt(pairs[k].value) : 1;
        for (std::size_t i = 0; i < n; ++i)
            vectors(k, i) = static_cast<float>(scale * static_cast<double>(pairs[k].vector[i]));
        if (variances) variances->push_back(pairs[k].value / static_cast<double>(rows.rows()));
    }
    if (!wide || pairs.empty()) return vectors;
    Matrix directions(pairs.size(), rows.cols());
    math::gemm(Op::none, vectors, Op::none, rows, directions);
    return directions;
}

Matrix projected(const Matrix& rows, const Matrix& directions) {
    Matrix result(rows.rows(), directions.rows());
    if (!result.empty()) math::gemm(Op::none, rows, Op::transpose, directions, result);
    return result;
}

Matrix selected(const Matrix& rows, const std::vector<std::size_t>& which) {
    Matrix result;
    gather_rows(rows, which, result);
    return result;
}

// The variance of the means of other classes along the leading principal directions of class means: each
// fifth of the classes is projected onto the directions of the others. The variances of the classes
// themselves are larger, because the directions are fitted to them.
std::vector<double> held_out_variances(const Matrix& means, std::size_t most) {
    constexpr std::size_t kMostClasses = 1000, kParts = 5;
    const std::size_t n = std::min(means.rows(), kMostClasses), parts = std::min(n, kParts);
    std::vector<double> sums(most), counts(most);
    for (std::size_t part = 0; part < parts && parts > 1; ++part) {
        std::vector<std::size_t> out, in;
        for (std::size_t i = 0; i < n; ++i) (i % parts == part ? out : in).push_back(i * means.rows() / n);
        const Matrix along = projected(selected(means, out), principal_directions(selected(means, in), most));
        for (std::size_t i = 0; i < along.rows(); ++i)
            for (std::size_t k = 0; k < along.cols(); ++k) {
                sums[k] += static_cast<double>(along(i, k)) * static_cast<double>(along(i, k));
                ++counts[k];
            }
    }
    std::vector<double> result;
    for (std::size_t k = 0; k < most && counts[k] > 0; ++k) result.push_back(sums[k] / counts[k]);
    return result;
}

// Rows less their parts along the directions, which are orthonormal.
void remove_directions(Matrix& rows, const Matrix& along, const Matrix& directions) {
    if (directions.rows() == 0) return;
    Matrix parts(rows.rows(), rows.cols());
    math::gemm(Op::none, along, Op::none, directions, parts);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] -= parts.data()[i];
}

void append_columns(Matrix& rows, const Matrix& more) {
    Matrix both(rows.rows(), rows.cols() + more.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        std::copy_n(rows.row(i), rows.cols(), both.row(i));
        std::copy_n(more.row(i), more.cols(), both.row(i) + rows.cols());
    }
    rows = std::move(both);
}

// The directions along which the rows vary more than n rows of variance 1 in d columns would: more than
// (1 + sqrt(d / n))^2, the largest eigenvalue of such noise (Marchenko and Pastur).
void add_directions_of_rows(ClassSpace& space, const Matrix& rows, const Matrix& means) {
    const std::size_t room =
        ClassSpace::kMostDirections - std::min(ClassSpace::kMostDirections, space.between.size());
    if (room == 0) return;
    const double noise =
        std::pow(1 + std::sqrt(static_cast<double>(rows.cols()) / static_cast<double>(rows.rows())), 2);
    std::vector<double> variances;
    Matrix directions = principal_directions(rows, room, &variances);
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < variances.size() && variances[k] > noise; ++k) {
        kept.push_back(k);
        space.between.push_back(variances[k] - 1);
    }
    if (kept.empty()) return;
    directions = selected(directions, kept);
    append_columns(space.rows, projected(rows, directions));
    append_columns(space.means, projected(means, directions));
}

}  // namespace

void require_whitened(const Matrix& whitened, const Learner& learner, const char* function) {
    if (whitened.rows() == 0)
        throw Error(std::string("Brain::") + function + ": the learner " + learner.name() +
                    " has no rows in units of the variation within classes; fearnet-plus has them");
}

ClassSpace class_space(const Learner& learner, MatrixView x, const char* function) {
    Matrix means = learner.whitened_means(), rows = learner.whitened(x);
    require_whitened(means, learner, function), require_whitened(rows, learner, function);
    ClassSpace space;
    space.between = held_out_variances(means, ClassSpace::kMostDirections);
    const Matrix directions = principal_directions(means, space.between.size());
    space.between.resize(directions.rows());
    space.rows = projected(rows, directions);
    space.means = projected(means, directions);
    remove_directions(rows, space.rows, directions);
    remove_directions(means, space.means, directions);
    add_directions_of_rows(space, rows, means);
    return space;
}

}  // namespace fearnet
