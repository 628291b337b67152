#include "core/learners/kit/readout_familiarity.hpp"

#include <algorithm>
#include <cmath>

#include "core/math/distances.hpp"

namespace fearnet {
namespace {

// Minus the logarithm of a squared distance.
double nearness_of(double squared_distance) {
    return -std::log(std::max(1e-30, squared_distance));
}

}  // namespace

void ReadoutFamiliarity::fit_evidence(const LinearReadout& readout, const Matrix& means) {
    evidence_ = {};
    if (means.rows() < 2 || !(variance_ > 0)) return;
    evidence_ =
        with_covariance_ ? Evidence(readout, means, 1, variance_) : Evidence(readout, means, variance_, 1);
}

// The axes are fitted again when the rows have doubled.
void ReadoutFamiliarity::learn(const Session& session, MatrixView solved, double variance) {
    const auto rows = static_cast<double>(session.moments.rows());
    variance_ = variance;
    const bool refit = !session.columns.empty() && rows >= 2 * axes_rows_;
    if (refit) far_ = FarRows(session.moments), axes_rows_ = rows;
    add(session, solved, rows, refit);
}

void ReadoutFamiliarity::learn(const Session& session) {
    const double fresh =
        variance_along_means(session.means, session.residuals, session.columns, session.moments.counts);
    if (fresh > 0) {
        const auto rows = static_cast<double>(session.columns.size());
        variance_ += (fresh - variance_) * rows / (asked_ + rows);
        asked_ += rows;
    }
    Matrix solved(session.residuals);
    for (std::size_t i = 0; variance_ > 0 && i < solved.size(); ++i)
        solved.data()[i] /= static_cast<float>(variance_);
    add(session, solved, 0, false);
}

void ReadoutFamiliarity::add(const Session& s, MatrixView solved, double in_covariance, bool in_axes) {
    fit_evidence(s.readout, s.means);
    Evidence::OfRows evidence;
    if (!evidence_.empty() && !s.columns.empty())
        evidence = evidence_.left_out(s.readout, s.means,
                                      {s.x, s.residuals, solved, s.columns, s.moments.counts, in_covariance});
    best_.add(evidence.best, evidence.own_as_best, s.columns, s.means.rows());
    std::vector<std::vector<double>> far;
    if (with_covariance_) {
        far = in_axes ? FarRows::left_out(s.moments, s.x, s.columns) : far_(s.x);
    } else {
        // The mean of a row's own class, without the row, is r / (n - 1) farther away.
        const Matrix products = s.readout.scores(s.x);
        far.resize(1);
        for (std::size_t i = 0; i < s.x.rows; ++i) {
            const auto c = static_cast<std::size_t>(s.columns[i]);
            const double k = 1 / static_cast<double>(s.moments.counts[c] - 1),
                         squared = static_cast<double>(math::squared_norm(s.x.row(i), s.x.cols));
            double own = 0, most = -1e300;
            for (std::size_t j = 0; j < s.x.cols; ++j) {
                const double off = static_cast<double>(s.x(i, j)) - static_cast<double>(s.means(c, j)) +
                                   k * static_cast<double>(s.residuals(i, j));
                own += off * off;
            }
            for (std::size_t j = 0; j < products.cols(); ++j)
                if (j != c) most = std::max(most, static_cast<double>(products(i, j)));
            far[0].push_back(nearness_of(std::min(own, squared - 2 * most)));
        }
    }
    sketches_.add({std::move(evidence.own), std::move(far)}, s.columns, s.means.rows(),
                  [&](const LeftOutSketches&, std::size_t i) { return best_.p_value(evidence.best[i]); });
}

void ReadoutFamiliarity::drop(std::size_t column, const LinearReadout& readout, const Matrix& means) {
    sketches_.drop(column);
    best_.follow(means.rows());
    fit_evidence(readout, means);
}

std::vector<double> ReadoutFamiliarity::nearness(const Matrix& scores, MatrixView x) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < x.rows; ++i) {
        const float most = *std::max_element(scores.row(i), scores.row(i) + scores.cols());
        result.push_back(nearness_of(static_cast<double>(math::squared_norm(x.row(i), x.cols)) -
                                     2 * static_cast<double>(most)));
    }
    return result;
}

std::vector<double> ReadoutFamiliarity::familiarity(const Matrix& scores, MatrixView x) const {
    if (!ready()) return {};
    const std::vector<double> best = evidence_.empty() ? std::vector<double>() : evidence_.best(scores);
    const std::vector<std::vector<double>> far =
        with_covariance_ ? far_(x) : std::vector<std::vector<double>>{nearness(scores, x)};
    std::vector<double> result, of_row(far.size());
    for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t k = 0; k < far.size(); ++k) of_row[k] = far[k][i];
        result.push_back(sketches_.familiarity(best.empty() ? 1 : best_.p_value(best[i]), of_row));
    }
    return result;
}

Matrix ReadoutFamiliarity::class_p_values(const Matrix& scores) const {
    if (!ready()) return {};
    Matrix result(scores.rows(), scores.cols());
    const Matrix evidence = evidence_.empty() ? result : evidence_.of_classes(scores);
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t k = 0; k < result.cols(); ++k)
            result(i, k) =
                static_cast<float>(sketches_.class_p_value(k, static_cast<double>(evidence(i, k))));
    return result;
}

void ReadoutFamiliarity::save(State& state) const {
    if (!ready()) return;
    sketches_.save(state);
    best_.save(state);
    if (with_covariance_) far_.save(state);
    state.set("open.variance", std::vector<double>{variance_, asked_, axes_rows_});
}

void ReadoutFamiliarity::load(const State& state, const LinearReadout& readout, const Matrix& means) {
    sketches_ = LeftOutSketches::load(state, means.rows(), with_covariance_ ? FarRows::kWays : 1);
    if (!ready()) return;
    if (sketches_.classes_with_scores() > 0) best_ = BestScores::load(state);
    if (with_covariance_) far_ = FarRows::load(state, means.cols());
    const std::vector<double>& numbers = state.list<double>("open.variance", 3);
    for (const double v : numbers)
        if (!(v >= 0) || !(v <= 1e300))
            throw Error("State: 'open.variance' has " + std::to_string(v) + "; it must be from 0 to 1e300");
    variance_ = numbers[0], asked_ = numbers[1], axes_rows_ = numbers[2];
    fit_evidence(readout, means);
}

}  // namespace fearnet
