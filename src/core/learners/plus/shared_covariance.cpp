#include "core/learners/plus/shared_covariance.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

// A pivot below this share of the ridge says that rounding has eaten the rest of it.
constexpr double kSoundPivot = 0.5;

}  // namespace

SharedCovariance::Solved SharedCovariance::solved(Matrix scatter, std::int64_t rows, double shrinkage,
                                                  const std::function<Matrix()>& again) {
    const std::size_t d = scatter.rows();
    double diagonal = 0;
    for (std::size_t j = 0; j < d; ++j) diagonal += static_cast<double>(scatter(j, j));
    diagonal /= static_cast<double>(rows) * static_cast<double>(d);
    const auto share = static_cast<float>(1 / static_cast<double>(rows));
    for (;; shrinkage *= 3, scatter = again()) {
        const double ridge = diagonal > 0 ? shrinkage * diagonal : 1;
        parallel_range(d, 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (std::size_t j = 0; j <= i; ++j) scatter(i, j) *= share;
                scatter(i, i) += static_cast<float>(ridge);
            }
        });
        try {
            math::CholeskyFactor factor(std::move(scatter));
            if (factor.least_pivot() > kSoundPivot * ridge || shrinkage > 1)
                return {std::move(factor), ridge};
        } catch (const Error&) {
            if (shrinkage > 1)
                throw Error("fearnet-plus: the shared covariance of " + std::to_string(d) +
                            " features cannot be inverted even with shrinkage " + std::to_string(shrinkage) +
                            "; are the rows scaled?");
        }
    }
}

SharedCovariance::SharedCovariance(const ClassMoments& moments, double shrinkage)
    : SharedCovariance(Matrix(moments.scatter), moments.rows(), shrinkage, [&] { return moments.scatter; }) {}

SharedCovariance::SharedCovariance(Matrix scatter, std::int64_t rows, double shrinkage,
                                   const std::function<Matrix()>& again)
    : SharedCovariance(solved(std::move(scatter), rows, shrinkage, again)) {}

// trace((W - ridge I) W^-1), with the trace of W^-1 as the mean of z W^-1 z over vectors z of random signs.
double SharedCovariance::whiten_with_dof(Matrix& rows) const {
    const std::size_t d = factor_.size(), probes = std::min(d, kProbes), before = rows.rows();
    rows.resize_rows(before + probes);
    Rng rng(1);
    for (std::size_t i = 0; i < probes; ++i)
        for (std::size_t j = 0; j < d; ++j)
            rows(before + i, j) = d > kProbes ? (rng.next() >> 63 ? 1.0f : -1.0f) : (i == j ? 1.0f : 0.0f);
    factor_.whiten(rows);
    double squares = 0;
    for (std::size_t i = before; i < rows.rows(); ++i)
        for (std::size_t j = 0; j < d; ++j)
            squares += static_cast<double>(rows(i, j)) * static_cast<double>(rows(i, j));
    rows.resize_rows(before);
    const double trace = d > kProbes ? squares / static_cast<double>(probes) : squares;
    return std::clamp(static_cast<double>(d) - ridge_ * trace, 0.0, static_cast<double>(d));
}

void SharedCovariance::color(Matrix& rows) const {
    Matrix colored(rows.rows(), rows.cols());
    math::gemm(math::Op::none, rows, math::Op::transpose, factor_.lower(), colored);
    rows = std::move(colored);
}

}  // namespace fearnet
