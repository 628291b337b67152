#include "lab/outliers/minimum_covariance.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace fearnet::lab {
namespace {

constexpr std::size_t kStarts = 30;     // random starts per set of rows
constexpr std::size_t kFirstSteps = 2;  // concentration steps of each, before the best go on
constexpr std::size_t kKept = 10;       // how many go on
constexpr std::size_t kMaxSteps = 30;   // until the determinant stops falling
constexpr std::size_t kSmall = 600;     // more rows than this are searched in parts first
constexpr std::size_t kPart = 300;      // rows in a part
constexpr std::size_t kParts = 5;       // at most
constexpr std::size_t kKeptAtLast = 2;  // candidates that are run to the end on many rows

using Chosen = std::vector<std::size_t>;

struct Candidate {
    Scatter scatter;
    Chosen chosen;
};

Rows rows_at(const Rows& rows, const Chosen& chosen) {
    Rows result(static_cast<Eigen::Index>(chosen.size()), rows.cols());
    for (std::size_t i = 0; i < chosen.size(); ++i)
        result.row(static_cast<Eigen::Index>(i)) = rows.row(static_cast<Eigen::Index>(chosen[i]));
    return result;
}

// (n + d + 1) / 2 rows give the estimate its largest breakdown point.
std::size_t support_of(const Rows& rows) {
    const std::size_t n = static_cast<std::size_t>(rows.rows()), d = static_cast<std::size_t>(rows.cols());
    return std::min(n, (n + d + 1) / 2);
}

// The rows nearest under `scatter`; ties go to the earlier row.
Chosen nearest(const Rows& rows, const Scatter& scatter, std::size_t count) {
    const Eigen::VectorXd distance = squared_distances(rows, scatter);
    Chosen order(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(order.begin(), end - 1, order.end(), [&](std::size_t a, std::size_t b) {
        const double da = distance(static_cast<Eigen::Index>(a)), db = distance(static_cast<Eigen::Index>(b));
        return da != db ? da < db : a < b;
    });
    order.resize(count);
    std::sort(order.begin(), order.end());
    return order;
}

// C-steps: each chooses the rows nearest to the last estimate, and never raises the determinant.
Candidate concentrate(const Rows& rows, Scatter scatter, std::size_t steps, double shrinkage) {
    Candidate best{std::move(scatter), {}};
    for (std::size_t step = 0; step < steps; ++step) {
        Chosen chosen = nearest(rows, best.scatter, support_of(rows));
        if (chosen == best.chosen) break;
        best.chosen = std::move(chosen);
        best.scatter = scatter_of(rows, best.chosen, shrinkage);
    }
    return best;
}

void keep_best(std::vector<Candidate>& candidates, std::size_t count) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.scatter.log_determinant < b.scatter.log_determinant;
    });
    if (candidates.size() > count) candidates.resize(count);
}

// From a random half, as scikit-learn does. The smallest start that has a covariance, d + 1 rows, is often
// singular here: codes are many and near dependent.
Scatter random_start(const Rows& rows, double shrinkage, Rng& rng) {
    Chosen order(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng.shuffle<std::size_t>(order);
    order.resize(support_of(rows));
    std::sort(order.begin(), order.end());
    return scatter_of(rows, order, shrinkage);
}

std::vector<Candidate> search(const Rows& rows, double shrinkage, Rng& rng, const Progress& progress,
                              std::size_t done, std::size_t total) {
    std::vector<Candidate> candidates;
    for (std::size_t start = 0; start < kStarts; ++start) {
        candidates.push_back(concentrate(rows, random_start(rows, shrinkage, rng), kFirstSteps, shrinkage));
        report(progress, {"router", done + start + 1, total, 0}, "learn");
    }
    keep_best(candidates, kKept);
    return candidates;
}

}  // namespace

Scatter scatter_of(const Rows& rows, const Chosen& chosen, double shrinkage) {
    Scatter result;
    Rows centered = rows_at(rows, chosen);
    result.mean = centered.colwise().mean();
    centered.rowwise() -= result.mean;
    const Eigen::Index d = rows.cols();
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(centered.transpose(),
                                                          1.0 / static_cast<double>(chosen.size()));
    if (shrinkage > 0) {
        // Rows that are all the same have no scale of their own; any will do.
        const double trace = covariance.trace();
        const double size = trace > 1e-20 ? trace / static_cast<double>(d) : 1e-10;
        covariance *= 1 - shrinkage;
        covariance.diagonal().array() += shrinkage * size;
    }
    const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance.selfadjointView<Eigen::Lower>());
    result.factor = cholesky.matrixL();
    const Eigen::ArrayXd pivots = result.factor.diagonal().array();
    // Rounding lets a singular matrix pass with pivots that are noise.
    if (cholesky.info() != Eigen::Success || !(pivots.minCoeff() > 1e-7 * pivots.maxCoeff()))
        throw Error("FearNet::learn: the elliptic envelope's covariance of " + std::to_string(chosen.size()) +
                    " rows in " + std::to_string(d) +
                    " dimensions is singular; set amygdala.shrinkage above 0 (now " +
                    std::to_string(shrinkage) + ")");
    result.log_determinant = 2 * pivots.log().sum();
    return result;
}

Eigen::VectorXd squared_distances(const Rows& rows, const Scatter& scatter) {
    Eigen::MatrixXd centered = (rows.rowwise() - scatter.mean).transpose();
    scatter.factor.triangularView<Eigen::Lower>().solveInPlace(centered);
    return centered.colwise().squaredNorm().transpose();
}

std::vector<std::size_t> most_compact_rows(const Rows& rows, double shrinkage, Rng rng,
                                           const Progress& progress) {
    const std::size_t n = static_cast<std::size_t>(rows.rows());
    Chosen all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (support_of(rows) == n) return all;
    const std::size_t parts = n <= kSmall ? 1 : std::min(kParts, n / kPart), total = parts * kStarts;
    std::vector<Candidate> candidates;
    if (n <= kSmall) {
        candidates = search(rows, shrinkage, rng, progress, 0, total);
    } else {
        // Parts of a sample, then the sample itself, then all rows: each narrows what the next has to try.
        rng.shuffle<std::size_t>(all);
        Chosen sample(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(parts * kPart));
        for (std::size_t p = 0; p < parts; ++p) {
            const auto first = sample.begin() + static_cast<std::ptrdiff_t>(p * kPart);
            const Rows part = rows_at(rows, Chosen(first, first + static_cast<std::ptrdiff_t>(kPart)));
            for (Candidate& c : search(part, shrinkage, rng, progress, p * kStarts, total))
                candidates.push_back(std::move(c));
        }
        const Rows merged = rows_at(rows, sample);
        for (Candidate& c : candidates) c = concentrate(merged, std::move(c.scatter), kFirstSteps, shrinkage);
        keep_best(candidates, kKeptAtLast);
    }
    for (Candidate& c : candidates) {
        c = concentrate(rows, std::move(c.scatter), kMaxSteps, shrinkage);
        report(progress, {"router", total, total, 0}, "learn");
    }
    keep_best(candidates, 1);
    return candidates.front().chosen;
}

}  // namespace fearnet::lab
