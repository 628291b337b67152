#include "learners/fearnet_plus/shared_metric.hpp"

namespace fearnet {

SharedMetric::Solved SharedMetric::solved(const ClassMoments& moments, double shrinkage) {
    const std::size_t d = moments.width();
    const auto n = static_cast<double>(moments.rows());
    double diagonal = 0;
    for (std::size_t j = 0; j < d; ++j) diagonal += static_cast<double>(moments.scatter(j, j));
    diagonal /= n * static_cast<double>(d);
    for (;; shrinkage *= 3) {
        const double ridge = diagonal > 0 ? shrinkage * diagonal : 1;
        Matrix w(d, d);
        for (std::size_t i = 0; i < w.size(); ++i)
            w.data()[i] = moments.scatter.data()[i] / static_cast<float>(n);
        for (std::size_t j = 0; j < d; ++j) w(j, j) += static_cast<float>(ridge);
        try {
            return {math::CholeskyFactor(std::move(w)), ridge};
        } catch (const Error&) {
            if (shrinkage > 1)
                throw Error("fearnet-plus: the shared covariance of " + std::to_string(d) +
                            " features cannot be inverted even with shrinkage " + std::to_string(shrinkage) +
                            "; are the rows scaled?");
        }
    }
}

SharedMetric::SharedMetric(const ClassMoments& moments, double shrinkage)
    : SharedMetric(solved(moments, shrinkage)) {}

LinearReadout SharedMetric::readout(const ClassMoments& moments) const {
    LinearReadout readout;
    readout.weights = moments.means;
    factor_.solve(readout.weights);
    readout.bias = distance_bias(readout.weights, moments.means);
    return readout;
}

}  // namespace fearnet
