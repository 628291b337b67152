#include "lab/open_world/reference_detectors.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/gram.hpp"
#include "core/math/solve.hpp"
#include "lab/outliers/isolation_forest.hpp"

namespace fearnet::lab {
namespace {

constexpr std::size_t kRowsAtOnce = 512;  // of a product

// The means of the classes and of all rows, and the Cholesky factors of the covariance within classes and of
// all rows.
struct Gaussians {
    Matrix center;                    // 1 x d: mean of all rows
    Matrix class_means;               // classes x d, relative to the center, whitened by `within`
    std::vector<double> class_norms;  // squared lengths of these
    math::CholeskyFactor within, total;
};

Matrix center_of(const ClassMoments& moments) {
    std::vector<double> sum(moments.width());
    for (std::size_t c = 0; c < moments.classes(); ++c)
        for (std::size_t j = 0; j < sum.size(); ++j)
            sum[j] += static_cast<double>(moments.counts[c]) * static_cast<double>(moments.means(c, j));
    Matrix center(1, sum.size());
    for (std::size_t j = 0; j < sum.size(); ++j)
        center(0, j) = static_cast<float>(sum[j] / static_cast<double>(moments.rows()));
    return center;
}

// The lower triangle of scatter / rows with the ridge on its diagonal.
math::CholeskyFactor factor_of(Matrix scatter, std::int64_t rows) {
    const std::size_t d = scatter.rows();
    const float scale = 1 / static_cast<float>(rows);
    double trace = 0;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j <= i; ++j) scatter(i, j) *= scale;
        trace += static_cast<double>(scatter(i, i));
    }
    // Rows without any variance: distances are then as they are.
    const double mean = trace > 0 ? trace / static_cast<double>(d) : 1;
    for (std::size_t i = 0; i < d; ++i)
        scatter(i, i) += static_cast<float>(ReferenceDetectors::kRidge * mean);
    return math::CholeskyFactor(std::move(scatter));
}

Gaussians fit(const ClassMoments& moments) {
    Matrix center = center_of(moments);
    Matrix means = moments.means;
    for (std::size_t c = 0; c < means.rows(); ++c)
        for (std::size_t j = 0; j < means.cols(); ++j) means(c, j) -= center(0, j);
    Matrix weighted = means;
    for (std::size_t c = 0; c < means.rows(); ++c)
        for (std::size_t j = 0; j < means.cols(); ++j)
            weighted(c, j) *= std::sqrt(static_cast<float>(moments.counts[c]));
    Matrix total = moments.scatter;
    math::add_gram(weighted, total);

    Gaussians g{std::move(center),
                std::move(means),
                {},
                factor_of(moments.scatter, moments.rows()),
                factor_of(std::move(total), moments.rows())};
    g.within.whiten(g.class_means);
    for (std::size_t c = 0; c < g.class_means.rows(); ++c)
        g.class_norms.push_back(math::squared_norm(g.class_means.row(c), g.class_means.cols()));
    return g;
}

Matrix relative_to(const Matrix& center, MatrixView rows) {
    Matrix moved(rows);
    for (std::size_t i = 0; i < moved.rows(); ++i)
        for (std::size_t j = 0; j < moved.cols(); ++j) moved(i, j) -= center(0, j);
    return moved;
}

}  // namespace

ReferenceDetectors::ReferenceDetectors(MatrixView questions, std::uint64_t seed)
    : questions_(questions), nearest_(questions.rows, kNeighbors), rng_(seed) {
    for (std::size_t i = 0; i < questions.rows; ++i) {
        question_norms_.push_back(math::squared_norm(questions.row(i), questions.cols));
        std::fill_n(nearest_.row(i), kNeighbors, std::numeric_limits<float>::infinity());
    }
}

void ReferenceDetectors::learn(const LabeledView& session, const Progress& progress) {
    std::vector<std::int32_t> columns;
    for (const ClassId c : session.labels) {
        const auto next = static_cast<std::int32_t>(column_of_.size());
        columns.push_back(column_of_.emplace(c, next).first->second);
    }
    moments_.add(session.x, columns, column_of_.size(), true);
    sample_rows(session.x);
    update_neighbors(session.x, progress);
    learned_ += session.x.rows;
}

void ReferenceDetectors::sample_rows(MatrixView rows) {
    const std::size_t d = rows.cols;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        std::size_t to = learned_ + i;
        if (to < kForestRows) {
            if (sample_.cols() != d) sample_ = Matrix(0, d);
            sample_.resize_rows(to + 1);
        } else {
            to = rng_.below(to + 1);  // reservoir sampling
        }
        if (to < kForestRows) std::copy_n(rows.row(i), d, sample_.row(to));
    }
}

void ReferenceDetectors::update_neighbors(MatrixView rows, const Progress& progress) {
    for (std::size_t first = 0; first < rows.rows; first += kRowsAtOnce) {
        const MatrixView block = rows.slice(first, std::min(kRowsAtOnce, rows.rows - first));
        std::vector<float> norms;
        for (std::size_t j = 0; j < block.rows; ++j)
            norms.push_back(math::squared_norm(block.row(j), block.cols));
        parallel_range(questions_.rows, kRowsAtOnce / 2, [&](std::size_t begin, std::size_t end) {
            Matrix products(end - begin, block.rows);
            math::gemm(math::Op::none, questions_.slice(begin, end - begin), math::Op::transpose, block,
                       products);
            for (std::size_t i = begin; i < end; ++i) {
                float* heap = nearest_.row(i);  // the largest first
                for (std::size_t j = 0; j < block.rows; ++j) {
                    const float squared =
                        std::max(0.0f, question_norms_[i] + norms[j] - 2 * products(i - begin, j));
                    if (squared >= heap[0]) continue;
                    std::pop_heap(heap, heap + kNeighbors);
                    heap[kNeighbors - 1] = squared;
                    std::push_heap(heap, heap + kNeighbors);
                }
            }
        });
        report(progress, {"neighbors", first + block.rows, rows.rows}, "ReferenceDetectors::learn");
    }
}

void ReferenceDetectors::gaussian_scores(ReferenceScores& s) const {
    const Gaussians g = fit(moments_);
    for (auto* scores : {&s.mahalanobis, &s.relative_mahalanobis, &s.whitened_cosine, &s.linear})
        scores->resize(questions_.rows);
    parallel_range(questions_.rows, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
        const Matrix moved = relative_to(g.center, questions_.slice(begin, end - begin));
        Matrix within = moved, total = moved, products(moved.rows(), g.class_means.rows());
        g.within.whiten(within);
        g.total.whiten(total);
        math::gemm(math::Op::none, within, math::Op::transpose, g.class_means, products);
        for (std::size_t i = begin; i < end; ++i) {
            const double norm = math::squared_norm(within.row(i - begin), within.cols());
            double nearest = std::numeric_limits<double>::infinity(), cosine = -1, linear = -nearest;
            for (std::size_t c = 0; c < g.class_norms.size(); ++c) {
                const double product = products(i - begin, c), of_class = g.class_norms[c];
                nearest = std::min(nearest, norm + of_class - 2 * product);
                linear = std::max(linear, product - of_class / 2);
                if (norm > 0 && of_class > 0) cosine = std::max(cosine, product / std::sqrt(norm * of_class));
            }
            s.mahalanobis[i] = -nearest;
            s.relative_mahalanobis[i] = math::squared_norm(total.row(i - begin), total.cols()) - nearest;
            s.whitened_cosine[i] = cosine;
            s.linear[i] = linear;
        }
    });
}

ReferenceScores ReferenceDetectors::scores(const Progress& progress) const {
    assert(learned_ > 0);
    ReferenceScores s;
    gaussian_scores(s);
    report(progress, {"detectors", 1, 2}, "ReferenceDetectors::scores");
    for (std::size_t i = 0; i < questions_.rows; ++i) {
        double farthest = 0;
        for (std::size_t k = 0; k < kNeighbors; ++k)
            if (std::isfinite(nearest_(i, k)))
                farthest = std::max(farthest, static_cast<double>(nearest_(i, k)));
        s.neighbors.push_back(-farthest);
    }
    s.isolation_forest = IsolationForest::fit(sample_, {}, rng_.fork(1), progress).scores(questions_);
    for (double& score : s.isolation_forest) score = -score;
    return s;
}

}  // namespace fearnet::lab
