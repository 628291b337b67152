#include "lab/outliers/elliptic_envelope.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/math/chi_squared.hpp"
#include "core/math/gemm.hpp"
#include "lab/outliers/minimum_covariance.hpp"

namespace fearnet::lab {
namespace {

// The estimate from half of the rows wastes data and is too small. Scaled so that the median distance is a
// Gaussian's, it tells which rows to trust: those within 97.5 % of a Gaussian.
std::vector<std::size_t> trusted_rows(const Rows& rows, const Scatter& compact) {
    const Eigen::VectorXd distances = squared_distances(rows, compact);
    const double freedom = static_cast<double>(rows.cols());
    const double scale =
        quantile({distances.begin(), distances.end()}, 0.5) / math::chi_squared_quantile(0.5, freedom);
    const double limit = scale * math::chi_squared_quantile(0.975, freedom);
    std::vector<std::size_t> trusted;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
        if (distances(i) <= limit) trusted.push_back(static_cast<std::size_t>(i));
    return trusted;
}

// Distances by 5-fold cross-validation: of each fifth of the rows to the estimate from the others.
std::vector<double> left_out_distances(const Rows& rows, const std::vector<std::size_t>& trusted,
                                       double shrinkage) {
    constexpr std::size_t kParts = 5;
    const std::size_t n = static_cast<std::size_t>(rows.rows());
    std::vector<double> result;
    for (std::size_t part = 0; part < std::min(kParts, n); ++part) {
        std::vector<std::size_t> others;
        for (const std::size_t i : trusted)
            if (i % kParts != part) others.push_back(i);
        if (others.empty()) continue;
        const Rows own = rows(Eigen::seqN(part, (n - part + kParts - 1) / kParts, kParts), Eigen::all);
        const Eigen::VectorXd distances = squared_distances(own, scatter_of(rows, others, shrinkage));
        result.insert(result.end(), distances.begin(), distances.end());
    }
    return result;
}

}  // namespace

EllipticEnvelope EllipticEnvelope::fit(MatrixView rows, const EllipticEnvelopeOptions& options, Rng rng,
                                       const Progress& progress) {
    Rows data(static_cast<Eigen::Index>(rows.rows), static_cast<Eigen::Index>(rows.cols));
    for (std::size_t i = 0; i < rows.rows; ++i)
        std::copy_n(rows.row(i), rows.cols, data.row(static_cast<Eigen::Index>(i)).data());
    const auto compact = most_compact_rows(data, options.shrinkage, rng, progress);
    const auto trusted = trusted_rows(data, scatter_of(data, compact, options.shrinkage));
    const Scatter scatter = scatter_of(data, trusted, options.shrinkage);

    EllipticEnvelope result;
    const Eigen::Index d = data.cols();
    const Eigen::MatrixXd inverse =
        scatter.factor.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(d, d));
    result.mean_ = Matrix(1, rows.cols);
    result.whitening_ = Matrix(rows.cols, rows.cols);
    for (std::size_t i = 0; i < rows.cols; ++i) {
        result.mean_(0, i) = static_cast<float>(scatter.mean(static_cast<Eigen::Index>(i)));
        for (std::size_t j = 0; j < rows.cols; ++j)
            result.whitening_(i, j) =
                static_cast<float>(inverse(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)));
    }
    // Few rows are all near an estimate fitted on them; a threshold from these distances would reject every
    // new row.
    constexpr std::size_t kRowsPerColumn = 5;
    std::vector<double> distances;
    if (rows.rows < kRowsPerColumn * rows.cols)
        distances = left_out_distances(data, trusted, options.shrinkage);
    if (distances.empty()) distances = result.squared_distances(rows);
    result.threshold_ = float_above(quantile(std::move(distances), 1 - options.contamination));
    return result;
}

std::vector<double> EllipticEnvelope::squared_distances(MatrixView rows) const {
    Matrix centered(rows), whitened(rows.rows, rows.cols);
    parallel_range(rows.rows, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < rows.cols; ++j) centered(i, j) -= mean_(0, j);
    });
    math::gemm(math::Op::none, centered, math::Op::none, whitening_, whitened);
    std::vector<double> result(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i)
        result[i] = std::inner_product(whitened.row(i), whitened.row(i) + rows.cols, whitened.row(i), 0.0);
    return result;
}

std::vector<double> EllipticEnvelope::decision(MatrixView rows) const {
    std::vector<double> result = squared_distances(rows);
    for (double& v : result) v = static_cast<double>(threshold_) - v;
    return result;
}

void EllipticEnvelope::save(State& state, const std::string& prefix) const {
    state.set(prefix + ".mean", mean_, ArrayKind::networks);
    state.set(prefix + ".whitening", whitening_, ArrayKind::networks);
    state.set(prefix + ".threshold", static_cast<double>(threshold_));
}

EllipticEnvelope EllipticEnvelope::load(const State& state, const std::string& prefix) {
    EllipticEnvelope result;
    result.mean_ = state.matrix(prefix + ".mean");
    result.mean_ = state.matrix(prefix + ".mean", 1, result.mean_.cols());
    result.whitening_ = state.matrix(prefix + ".whitening", result.width(), result.width());
    result.threshold_ = static_cast<float>(state.number(prefix + ".threshold"));
    return result;
}

}  // namespace fearnet::lab
