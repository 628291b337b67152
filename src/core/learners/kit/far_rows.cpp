#include "core/learners/kit/far_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/gram.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet {
namespace {

// An axis must be backed by this many rows.
constexpr std::size_t kRowsPerAxis = 8;
constexpr std::size_t kPerThread = 64;

float weight_of(double variance) {
    return static_cast<float>(std::clamp(1 / variance, 1e-30, 1e30));
}

// Squared distance from the center, and its part along the axes. |x - c|^2 is |x|^2 - 2 x . c + |c|^2, so
// that no row is copied.
struct Parts {
    float distance, inside;
};
Parts parts(float squared, const float* products, const std::vector<float>& along,
            const std::vector<float>& at_center) {
    const std::size_t axes = along.size() - 1;
    float rest = squared - 2 * products[axes] + at_center[axes], inside = 0;
    for (std::size_t a = 0; a < axes; ++a) {
        const float off = products[a] - at_center[a];
        rest -= off * off;
        inside += along[a] * off * off;
    }
    return {inside + along[axes] * std::max(0.0f, rest), inside};
}

// Calls use(row, parts) for every row.
template <class Use>
void for_each_row(MatrixView x, const Matrix& axes, const std::vector<float>& along,
                  const std::vector<float>& at_center, const Use& use) {
    Matrix products(x.rows, axes.rows());
    math::gemm(math::Op::none, x, math::Op::transpose, axes, products);
    const auto squares = math::vectorized([](const float* row, std::size_t n) {
        float sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += row[j] * row[j];
        return sum;
    });
    parallel_range(x.rows, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            use(i, parts(squares(x.row(i), x.cols), products.row(i), along, at_center));
    });
}

}  // namespace

// The ridge is the mean diagonal. Far from the axes the variance is its mean there, so that the distance is
// exact on average.
FarRows::FarRows(const ClassMoments& moments) {
    const std::size_t d = moments.width(), classes = moments.classes(),
                      rows = static_cast<std::size_t>(moments.rows()),
                      most = std::min({kAxes, d, rows / kRowsPerAxis});
    std::vector<math::Eigenpair> pairs;
    if (most > 0) {
        Matrix scatter = moments.scatter;
        math::mirror_lower(scatter);
        pairs = math::leading_eigenvectors(scatter, most);
    }
    axes_ = Matrix(pairs.size() + 1, d);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j)
            axes_(pairs.size(), j) += moments.means(c, j) / static_cast<float>(classes);
    double rest = 0;
    for (std::size_t j = 0; j < d; ++j) rest += static_cast<double>(moments.scatter(j, j));
    const double n = static_cast<double>(rows), ridge = rest > 0 ? rest / n / static_cast<double>(d) : 1;
    double within_axes = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        std::copy(pairs[i].vector.begin(), pairs[i].vector.end(), axes_.row(i));
        rest -= pairs[i].value;
        along_.push_back(weight_of(pairs[i].value / n + ridge));
        within_axes += pairs[i].value / n * static_cast<double>(along_.back());
    }
    rest = std::max(0.0, rest) / n;
    const double others = static_cast<double>(std::max<std::size_t>(1, d - pairs.size()));
    along_.push_back(weight_of(rest / others + ridge));
    find_center();
    // Of rows of the classes: the part within them and that of their means.
    std::vector<Parts> between(classes);
    for_each_row(moments.means, axes_, along_, at_center_, [&](std::size_t i, Parts p) { between[i] = p; });
    expected_distance_ = within_axes + rest * static_cast<double>(along_.back());
    expected_variation_ = within_axes;
    for (const Parts& p : between) {
        expected_distance_ += static_cast<double>(p.distance) / static_cast<double>(classes);
        expected_variation_ += static_cast<double>(p.inside) / static_cast<double>(classes);
    }
    if (!(expected_distance_ > 0)) expected_distance_ = 1;
    if (!(expected_variation_ > 0)) expected_variation_ = 1;
}

void FarRows::find_center() {
    const float* center = axes_.row(axes_.rows() - 1);
    at_center_.assign(axes_.rows(), 0);
    for (std::size_t i = 0; i < axes_.rows(); ++i)
        for (std::size_t j = 0; j < axes_.cols(); ++j) at_center_[i] += axes_(i, j) * center[j];
}

std::vector<std::vector<double>> FarRows::operator()(MatrixView x) const {
    constexpr double kLeast = 1e-30;
    std::vector<std::vector<double>> result(kWays, std::vector<double>(x.rows));
    for_each_row(x, axes_, along_, at_center_, [&](std::size_t i, Parts p) {
        result[0][i] = -std::log(std::max(kLeast, static_cast<double>(p.distance) / expected_distance_));
        result[1][i] = std::log(std::max(kLeast, static_cast<double>(p.inside) / expected_variation_));
    });
    return result;
}

std::vector<std::vector<double>> FarRows::left_out(const ClassMoments& moments, MatrixView x,
                                                   std::span<const std::int32_t> columns) {
    constexpr std::size_t kFolds = 5, kManyRows = 64 * kAxes;
    if (static_cast<std::size_t>(moments.rows()) > kManyRows) return FarRows(moments)(x);
    std::vector<std::vector<std::size_t>> folds(kFolds);
    std::vector<std::size_t> met(moments.classes());
    for (std::size_t i = 0; i < x.rows; ++i)
        folds[met[static_cast<std::size_t>(columns[i])]++ % kFolds].push_back(i);
    std::vector<std::vector<double>> result(kWays, std::vector<double>(x.rows));
    for (const std::vector<std::size_t>& fold : folds) {
        if (fold.empty()) continue;
        Matrix rows;
        gather_rows(x, fold, rows);
        std::vector<std::int32_t> classes;
        for (const std::size_t i : fold) classes.push_back(columns[i]);
        ClassMoments others = moments;
        others.remove(rows, classes);
        const std::vector<std::vector<double>> scores = FarRows(others)(rows);
        for (std::size_t k = 0; k < kWays; ++k)
            for (std::size_t i = 0; i < fold.size(); ++i) result[k][fold[i]] = scores[k][i];
    }
    return result;
}

void FarRows::save(State& state) const {
    if (empty()) return;
    Matrix along(1, along_.size());
    std::copy(along_.begin(), along_.end(), along.data());
    state.set("open.axes", axes_, ArrayKind::statistics);
    state.set("open.along", std::move(along), ArrayKind::statistics);
    state.set("open.expected", std::vector<double>{expected_distance_, expected_variation_});
}

FarRows FarRows::load(const State& state, std::size_t width) {
    FarRows result;
    const std::size_t axes = state.matrix("open.axes").rows();
    if (axes == 0 || axes > kAxes + 1)
        throw Error("State: 'open.axes' has " + std::to_string(axes) + " rows; from 1 to " +
                    std::to_string(kAxes + 1) + " are restored");
    result.axes_ = state.finite("open.axes", axes, width);
    const Matrix& along = state.finite("open.along", 1, axes);
    result.along_.assign(along.data(), along.data() + axes);
    const std::vector<double>& expected = state.list<double>("open.expected", 2);
    result.expected_distance_ = expected[0], result.expected_variation_ = expected[1];
    if (std::any_of(result.along_.begin(), result.along_.end(), [](float v) { return !(v > 0); }) ||
        std::any_of(expected.begin(), expected.end(), [](double v) { return !(v > 0) || !(v < 1e30); }))
        throw Error("State: 'open.along' and 'open.expected' must be positive");
    result.find_center();
    return result;
}

}  // namespace fearnet
