#include "learners/fearnet_plus/class_shapes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/gemm.hpp"
#include "math/solve.hpp"

namespace fearnet {
namespace {

// A class never counts for all: its own covariance may have no variance in some direction.
constexpr double kMostWeight = 0.99;
// Only this many of the likeliest classes are looked at closely.
constexpr std::size_t kShortlist = 32;
// Directions in which the means differ by less than this share of a deviation tell nothing.
constexpr double kLeastSeparation = 1e-3;
// And below this share of the largest they are rounding.
constexpr double kRounding = 1e-5;

// In place: L^-1 v and L^-T v of a lower triangle.
void solve_lower(const Matrix& l, float* v) {
    for (std::size_t i = 0; i < l.rows(); ++i) {
        double sum = static_cast<double>(v[i]);
        for (std::size_t j = 0; j < i; ++j) sum -= static_cast<double>(l(i, j)) * static_cast<double>(v[j]);
        v[i] = static_cast<float>(sum / static_cast<double>(l(i, i)));
    }
}
void solve_upper(const Matrix& l, float* v) {
    for (std::size_t i = l.rows(); i-- > 0;) {
        double sum = static_cast<double>(v[i]);
        for (std::size_t j = i + 1; j < l.rows(); ++j)
            sum -= static_cast<double>(l(j, i)) * static_cast<double>(v[j]);
        v[i] = static_cast<float>(sum / static_cast<double>(l(i, i)));
    }
}

// k of k (k + 1) / 2 numbers.
std::size_t directions_of(std::size_t packed) {
    std::size_t k = 0;
    while (math::packed_size(k) < packed) ++k;
    return k;
}

std::vector<float> mean_row(const Matrix& m) {
    std::vector<double> sum(m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) sum[j] += static_cast<double>(m(i, j));
    std::vector<float> mean;
    for (const double s : sum) mean.push_back(static_cast<float>(s / static_cast<double>(m.rows())));
    return mean;
}

// scatter += weight d d^T, as far as the scatter goes: the first directions come first in it.
void add_outer(std::vector<float>& scatter, std::span<const float> d, float weight) {
    std::size_t at = 0;
    for (std::size_t i = 0; at < scatter.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) scatter[at++] += weight * d[i] * d[j];
}

}  // namespace

void ClassShapes::extend(MatrixView differences, MatrixView solved, std::size_t max_rank, MatrixView means) {
    const std::size_t r = differences.rows, width = differences.cols, k = rank();
    if (k >= max_rank) return;
    // What is left of each direction beside the basis. Lengths are those of the shared covariance, so that
    // products of directions are products with differences; along the basis it is factor . factor^T.
    Matrix left(solved), gram(r, r), along(r, k);
    math::gemm(math::Op::none, differences, math::Op::transpose, solved, gram);
    if (k > 0) {
        math::gemm(math::Op::none, differences, math::Op::transpose, basis_, along);
        for (std::size_t i = 0; i < r; ++i) solve_lower(factor_, along.row(i));
        Matrix less(r, r);
        math::gemm(math::Op::none, along, math::Op::transpose, along, less);
        for (std::size_t i = 0; i < gram.size(); ++i) gram.data()[i] -= less.data()[i];
        for (std::size_t i = 0; i < r; ++i) solve_upper(factor_, along.row(i));
        for (std::size_t i = 0; i < along.size(); ++i) along.data()[i] = -along.data()[i];
        math::gemm(math::Op::none, along, math::Op::none, basis_, left, true);
    }
    const std::vector<math::Eigenpair> found = math::largest_eigenvectors(gram, max_rank - k);
    for (const auto& [value, vector] : found) {
        if (!(value > std::max(kLeastSeparation * kLeastSeparation, kRounding * found[0].value))) break;
        if (basis_.cols() != width) basis_ = Matrix(0, width);
        basis_.resize_rows(rank() + 1);
        float* row = basis_.row(rank() - 1);
        const auto scale = static_cast<float>(1 / std::sqrt(value));
        for (std::size_t c = 0; c < r; ++c)
            for (std::size_t j = 0; j < width; ++j) row[j] += scale * vector[c] * left(c, j);
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        std::vector<float>& mean = classes_[c].mean;
        for (std::size_t i = mean.size(); i < rank(); ++i)
            mean.push_back(std::inner_product(means.row(c), means.row(c) + width, basis_.row(i), 0.0f));
    }
}

void ClassShapes::set_shared(const Matrix& mean, const Matrix& shrunk) {
    factor_ = math::cholesky(shrunk);
    shared_ = mean;
}

void ClassShapes::add(std::size_t column, MatrixView features) {
    if (column >= classes_.size()) classes_.resize(column + 1);
    Class& c = classes_[column];
    if (c.count == 0) {
        c.mean.assign(rank(), 0);
        c.scatter.assign(math::packed_size(rank()), 0);
    }
    Matrix u(features.rows, rank());
    if (rank() > 0) math::gemm(math::Op::none, features, math::Op::transpose, basis_, u);
    const std::vector<float> mean = mean_row(u);
    std::vector<float> d(rank());
    for (std::size_t i = 0; i < u.rows(); ++i) {
        for (std::size_t j = 0; j < rank(); ++j) d[j] = u(i, j) - mean[j];
        add_outer(c.scatter, d, 1);
    }
    const double before = static_cast<double>(c.count), now = static_cast<double>(features.rows);
    const double share = now / (before + now);
    for (std::size_t j = 0; j < rank(); ++j) d[j] = mean[j] - c.mean[j];
    add_outer(c.scatter, d, static_cast<float>(before * share));
    for (std::size_t j = 0; j < rank(); ++j) c.mean[j] += static_cast<float>(share) * d[j];
    c.count += static_cast<std::int64_t>(features.rows);
    refresh(c);
}

void ClassShapes::reset(std::size_t column) {
    if (column < classes_.size()) classes_[column] = {};
}

void ClassShapes::refresh() {
    for (Class& c : classes_) refresh(c);
}

void ClassShapes::refresh(Class& c) const {
    c.form.clear();
    c.offset = 0;
    const std::size_t own = directions_of(c.scatter.size());
    if (own == 0 || c.count < 2 || !std::isfinite(prior_)) return;
    const auto n = static_cast<double>(c.count);
    std::vector<float> excess;
    for (std::size_t i = 0; i < own; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            excess.push_back(c.scatter[excess.size()] / static_cast<float>(n - 1) - shared_(i, j));
    // The first rows and columns of a lower factor are the factor of those of the matrix.
    const MatrixView factor(factor_.data(), own, own, factor_.cols());
    math::ExcessForm made = math::excess_form(factor, excess, std::min(kMostWeight, n / (n + prior_)));
    c.form = std::move(made.form);
    c.offset = static_cast<float>(0.5 * made.log_determinant);
}

void ClassShapes::correct(MatrixView features, Matrix& scores) const {
    if (rank() == 0 || !std::isfinite(prior_)) return;
    Matrix u(features.rows, rank());
    math::gemm(math::Op::none, features, math::Op::transpose, basis_, u);
    const std::size_t listed = std::min(kShortlist, classes_.size());
    std::vector<std::size_t> order(classes_.size());
    std::vector<float> d(rank()), corrections(listed);
    for (std::size_t i = 0; i < features.rows; ++i) {
        float* row = scores.row(i);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto score = [row](std::size_t c) {
            return std::isnan(row[c]) ? -std::numeric_limits<float>::infinity() : row[c];
        };
        std::nth_element(
            order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed) - 1, order.end(),
            [&](std::size_t a, std::size_t b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
        float least = 0;
        for (std::size_t k = 0; k < listed; ++k) {
            const Class& c = classes_[order[k]];
            corrections[k] = -c.offset;
            if (!c.form.empty()) {
                const std::size_t own = directions_of(c.form.size());
                for (std::size_t j = 0; j < own; ++j) d[j] = u(i, j) - c.mean[j];
                corrections[k] -= 0.5f * math::quadratic(c.form.data(), d.data(), own);
            }
            least = k == 0 ? corrections[k] : std::min(least, corrections[k]);
        }
        for (std::size_t k = 0; k < order.size(); ++k) row[order[k]] += k < listed ? corrections[k] : least;
    }
}

std::size_t ClassShapes::bytes() const {
    std::size_t sum = basis_.bytes() + shared_.bytes() + factor_.bytes();
    for (const Class& c : classes_)
        sum += (c.mean.size() + c.scatter.size() + c.form.size() + 1) * sizeof(float);
    return sum;
}

void ClassShapes::save(State& state) const {
    state.set("shapes.basis", basis_);
    state.set("shapes.shared", shared_);
    state.set("shapes.factor", factor_);
    Matrix means(classes_.size(), rank()), scatters(classes_.size(), math::packed_size(rank()));
    std::vector<std::int64_t> counts, sizes;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        counts.push_back(classes_[c].count);
        sizes.push_back(static_cast<std::int64_t>(classes_[c].scatter.size()));
        std::copy(classes_[c].mean.begin(), classes_[c].mean.end(), means.row(c));
        std::copy(classes_[c].scatter.begin(), classes_[c].scatter.end(), scatters.row(c));
    }
    state.set("shapes.means", std::move(means));
    state.set("shapes.scatters", std::move(scatters));
    state.set("shapes.counts", std::move(counts));
    state.set("shapes.sizes", std::move(sizes));
    state.set("shapes.prior", std::vector<std::int64_t>{std::bit_cast<std::int64_t>(prior_)});
}

ClassShapes ClassShapes::load(const State& state, std::size_t classes, std::size_t width) {
    ClassShapes shapes;
    const std::size_t k = state.matrix("shapes.basis").rows();
    if (k > 0) {
        shapes.basis_ = state.matrix("shapes.basis", k, width);
        shapes.shared_ = state.matrix("shapes.shared", k, k);
        shapes.factor_ = state.matrix("shapes.factor", k, k);
    }
    for (std::size_t i = 0; i < k; ++i)
        if (!(shapes.factor_(i, i) > 0))
            throw Error("State: 'shapes.factor' has a diagonal that is not positive");
    constexpr std::int64_t kMostRows = std::int64_t{1} << 53;
    const auto &counts = state.integer("shapes.counts"), &sizes = state.integer("shapes.sizes");
    const auto& prior = state.integer("shapes.prior");
    if (counts.size() != classes || sizes.size() != classes || prior.size() != 1)
        throw Error("State: 'shapes.counts' has " + std::to_string(counts.size()) +
                    " numbers but there are " + std::to_string(classes) + " classes");
    shapes.prior_ = std::bit_cast<double>(prior[0]);
    if (!(shapes.prior_ > 0)) throw Error("State: 'shapes.prior' must be a positive number, as its 64 bits");
    const Matrix& means = state.matrix("shapes.means", classes, k);
    const Matrix& scatters = state.matrix("shapes.scatters", classes, math::packed_size(k));
    for (std::size_t c = 0; c < classes; ++c) {
        const bool fits = sizes[c] >= 0 && sizes[c] <= static_cast<std::int64_t>(scatters.cols());
        const std::size_t size = fits ? static_cast<std::size_t>(sizes[c]) : 0;
        if (!fits || counts[c] < 1 || counts[c] > kMostRows || math::packed_size(directions_of(size)) != size)
            throw Error("State: 'shapes.counts' and 'shapes.sizes' have " + std::to_string(counts[c]) +
                        " rows and " + std::to_string(sizes[c]) + " numbers for " + std::to_string(k) +
                        " directions");
        Class one;
        one.count = counts[c];
        one.mean.assign(means.row(c), means.row(c) + k);
        one.scatter.assign(scatters.row(c), scatters.row(c) + sizes[c]);
        shapes.refresh(one);
        shapes.classes_.push_back(std::move(one));
    }
    return shapes;
}

}  // namespace fearnet
