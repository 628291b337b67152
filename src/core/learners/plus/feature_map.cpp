#include "core/learners/plus/feature_map.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/learners/kit/power_transform.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/math/gemm.hpp"
#include "core/math/gram.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPortion = 1024;
// Of the mean variance, so that a covariance of few rows can be factored.
constexpr double kRidge = 1e-3;
// At least so many to each thread.
constexpr std::size_t kRows = 64;

// Sums over rows that come in portions.
class Spread {
  public:
    explicit Spread(std::size_t width) : sum_(width), squares_(width) {}
    void add(const Matrix& rows) {
        for (std::size_t i = 0; i < rows.rows(); ++i)
            for (std::size_t j = 0; j < rows.cols(); ++j) {
                const auto v = static_cast<double>(rows(i, j));
                sum_[j] += v, squares_[j] += v * v;
            }
        rows_ += static_cast<double>(rows.rows());
    }
    Centering centering() const {
        Centering result;
        result.center = Matrix(1, sum_.size());
        double deviation = 0;
        for (std::size_t j = 0; j < sum_.size(); ++j) {
            const double mean = sum_[j] / rows_;
            result.center(0, j) = static_cast<float>(mean);
            deviation += std::sqrt(std::max(0.0, squares_[j] / rows_ - mean * mean)) /
                         static_cast<double>(sum_.size());
        }
        if (deviation > 1e-12) result.scale = static_cast<float>(1 / deviation);
        return result;
    }

  private:
    std::vector<double> sum_, squares_;
    double rows_ = 0;
};

template <class Function>
Centering centering_of(MatrixView rows, std::size_t width, const Function& features) {
    Spread spread(width);
    for (std::size_t first = 0; first < rows.rows; first += kPortion)
        spread.add(features(rows.slice(first, std::min(kPortion, rows.rows - first))));
    return spread.centering();
}

// Its lower triangle.
template <class Function>
Matrix covariance_of(MatrixView rows, std::size_t width, const Function& features) {
    Matrix covariance(width, width);
    const auto count = static_cast<float>(rows.rows * (rows.cols / width));
    for (std::size_t first = 0; first < rows.rows; first += kPortion) {
        Matrix some = features(rows.slice(first, std::min(kPortion, rows.rows - first)));
        for (std::size_t i = 0; i < some.size(); ++i) some.data()[i] /= std::sqrt(count);
        math::add_gram(some, covariance);
    }
    return covariance;
}

// Every piece of every row as a row.
Matrix pieces_of(MatrixView x, std::size_t frames) {
    Matrix pieces(x.rows * frames, x.cols / frames);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, pieces.row(i * frames));
    return pieces;
}

// Draws of a standard normal become weights whose sums over rows with this covariance have a spread of one.
Matrix like_the_rows(Matrix normal, Matrix covariance) {
    const std::size_t width = covariance.rows();
    double variance = 0, squares = 0;
    for (std::size_t i = 0; i < width; ++i) {
        variance += static_cast<double>(covariance(i, i));
        for (std::size_t j = 0; j <= i; ++j) {
            const auto v = static_cast<double>(covariance(i, j));
            squares += (j < i ? 2 : 1) * v * v;
        }
    }
    if (!std::isfinite(squares))
        throw Error(
            "fearnet-plus::learn: the rows are so large that their variance is no number; scale the rows");
    double spread = std::sqrt(variance);
    if (width >= kManyFeatures && variance > 0) {
        Matrix drawn(normal.rows(), width);
        for (std::size_t j = 0; j < width; ++j)
            covariance(j, j) += static_cast<float>(kRidge * variance / static_cast<double>(width));
        const Matrix lower = math::CholeskyFactor(std::move(covariance)).lower();
        math::gemm(math::Op::none, normal, math::Op::transpose, lower, drawn);
        normal = std::move(drawn);
        spread = std::sqrt(squares);
    }
    // Rows that are all equal say nothing of how others will vary.
    const auto scale = static_cast<float>(1 / (spread > 0 ? spread : std::sqrt(static_cast<double>(width))));
    for (std::size_t i = 0; i < normal.size(); ++i) normal.data()[i] *= scale;
    return normal;
}

}  // namespace

void Centering::apply(Matrix& x) const {
    for (std::size_t i = 0; i < x.rows(); ++i) {
        float* row = x.row(i);
        for (std::size_t j = 0; j < x.cols(); ++j) row[j] = (row[j] - center(0, j)) * scale;
    }
}

void Centering::save(State& state, const std::string& prefix) const {
    state.set(prefix + ".center", center, ArrayKind::statistics);
    state.set(prefix + ".scale", static_cast<double>(scale));
}

Centering Centering::load(const State& state, const std::string& prefix, std::size_t width) {
    Centering result;
    result.center = state.finite(prefix + ".center", 1, width);
    result.scale = static_cast<float>(state.number(prefix + ".scale"));
    if (!(result.scale > 0) || !std::isfinite(result.scale))
        throw Error("State: '" + prefix + ".scale' must be a positive number");
    return result;
}

FeatureMap::FeatureMap(MatrixView rows, bool root) : FeatureMap(rows, root, 1) {}

FeatureMap::FeatureMap(MatrixView rows, bool root, std::size_t frames) : root_(root), frames_(frames) {
    given_ = centering_of(rows, rows.cols / frames, [&](MatrixView some) {
        Matrix pieces = pieces_of(some, frames_);
        if (root_) power_transform(pieces, 0.5);
        return pieces;
    });
}

FeatureMap FeatureMap::random(MatrixView rows, std::size_t count, Rng rng, std::size_t frames) {
    FeatureMap map(rows, false, frames);
    Matrix normal(count, map.piece());
    rng.fill_normal({normal.data(), normal.size()});
    map.weights_ =
        like_the_rows(std::move(normal),
                      covariance_of(rows, map.piece(), [&](MatrixView some) { return map.given(some); }));
    map.bias_ = Matrix(1, count);
    rng.fill_normal({map.bias_.data(), map.bias_.size()});
    for (std::size_t i = 0; i < map.bias_.size(); ++i) map.bias_.data()[i] *= kBias;
    map.made_.center = Matrix(1, count);
    map.made_ = centering_of(rows, count, map);
    return map;
}

Matrix FeatureMap::given(MatrixView x) const {
    Matrix pieces;
    pieces.resize(x.rows * frames_, piece());
    const float *center = given_.center.data(), scale = given_.scale;
    parallel_range(pieces.rows(), kRows, math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           const float* in = x.row(i / frames_) + i % frames_ * piece();
                           float* out = pieces.row(i);
                           if (root_)
                               for (std::size_t j = 0; j < pieces.cols(); ++j)
                                   out[j] = (signed_root(in[j]) - center[j]) * scale;
                           else
                               for (std::size_t j = 0; j < pieces.cols(); ++j)
                                   out[j] = (in[j] - center[j]) * scale;
                       }
                   }));
    return pieces;
}

// Adds the mean of the random features over the pieces.
void FeatureMap::add_random(MatrixView x, MutableMatrixView sums) const {
    const Matrix pieces = given(x);
    Matrix made(pieces.rows(), weights_.rows());
    math::gemm(math::Op::none, pieces, math::Op::transpose, weights_, made);
    const float share = 1 / static_cast<float>(frames_);
    const float* bias = bias_.data();
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const float* row = made.row(i);
        float* sum = sums.row(i / frames_);
        for (std::size_t j = 0; j < made.cols(); ++j) sum[j] += share * std::max(0.0f, row[j] + bias[j]);
    }
}

Matrix FeatureMap::without_random(MatrixView x) const {
    const Matrix pieces = given(x);
    Matrix rows(x.rows, inputs());
    std::copy_n(pieces.data(), pieces.size(), rows.data());
    return rows;
}

Matrix FeatureMap::operator()(MatrixView x) const {
    if (!is_random()) return given(x);
    Matrix made(x.rows, weights_.rows());
    const std::size_t at_once = std::max<std::size_t>(1, kPortion / frames_);
    for (std::size_t first = 0; first < x.rows; first += at_once) {
        const std::size_t n = std::min(at_once, x.rows - first);
        add_random(x.slice(first, n), {made.row(first), n, made.cols(), made.cols()});
    }
    made_.apply(made);
    return made;
}

Matrix FeatureMap::weights() const {
    Matrix result = weights_;
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] *= given_.scale;
    return result;
}

std::size_t FeatureMap::bytes(std::size_t piece, std::size_t outputs, bool random) {
    return sizeof(float) * (piece + (random ? outputs * (piece + 2) : 0));
}

void FeatureMap::save(State& state) const {
    state.set("map.root", std::vector<std::int64_t>{root_});
    given_.save(state, "map");
    if (!is_random()) return;
    made_.save(state, "map.random");
    state.set("map.random.weights", weights_, ArrayKind::networks);
    state.set("map.random.bias", bias_, ArrayKind::networks);
}

FeatureMap FeatureMap::load(const State& state, std::size_t width) {
    FeatureMap map;
    map.root_ = state.integer("map.root") == std::vector<std::int64_t>{1};
    if (!state.has("map.random.bias")) {
        map.given_ = Centering::load(state, "map", width);
        return map;
    }
    const std::size_t piece = state.matrix("map.center").cols(),
                      count = state.matrix("map.random.bias").cols();
    if (count == 0) throw Error("State: 'map.random.bias' is empty");
    if (piece == 0 || width % piece != 0)
        throw Error("State: rows of " + std::to_string(width) + " features have no pieces of " +
                    std::to_string(piece) + ", which 'map.center' has");
    map.frames_ = width / piece;
    map.given_ = Centering::load(state, "map", piece);
    map.bias_ = state.finite("map.random.bias", 1, count);
    map.weights_ = state.finite("map.random.weights", count, piece);
    map.made_ = Centering::load(state, "map.random", count);
    return map;
}

}  // namespace fearnet
