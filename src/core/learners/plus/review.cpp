#include "core/learners/plus/review.hpp"

#include <algorithm>
#include <cmath>

#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/expected_accuracy.hpp"
#include "fearnet/learner.hpp"

namespace fearnet {
namespace {

// Pseudo-rows are confused with a spread of at most this many times the shared covariance's. A class that
// cannot be told from another one has a far larger spread, with which it would be confused with all classes.
constexpr float kMostConfusionSpread = 2;
// The least share of the mean squared norm of the class means that counts as signal.
constexpr double kLeastSignal = 0.1;

// The standard error of a share of this many answers, with one right and one wrong answer added.
double standard_error(double share, double answers) {
    const double p = (share * answers + 1) / (answers + 2);
    return std::sqrt(p * (1 - p) / answers);
}

// Factors of the scores of the classes at their own means with `times` as many examples. In units of the
// shared covariance, the squared norm of a class mean of n rows is that of the true mean plus effective_dof /
// n, and the score by the angle is a product with the class mean scaled to a common length. A true mean is
// taken to have the average norm: that of a single class is too uncertain.
std::vector<float> factors_with_more(const Matrix& means, const std::vector<std::int64_t>& counts, double dof,
                                     double times) {
    double norm = 0, noise = 0;
    for (std::size_t i = 0; i < means.size(); ++i)
        norm += static_cast<double>(means.data()[i]) * static_cast<double>(means.data()[i]);
    for (const std::int64_t n : counts) noise += dof / static_cast<double>(n);
    const double truth =
        std::max({norm - noise, kLeastSignal * norm, 1e-30}) / static_cast<double>(means.rows());
    std::vector<float> factors;
    for (const std::int64_t n : counts) {
        const double mine = dof / static_cast<double>(n);
        factors.push_back(static_cast<float>(std::sqrt((truth + mine) / (truth + mine / times))));
    }
    return factors;
}

}  // namespace

std::vector<PlusClassReview> review_classes(const PlusModel& model, const PlusRows& recent) {
    const std::vector<double> accuracies = model.expected_accuracy(recent);
    const ClassMoments moments = model.moments();
    const std::size_t classes = moments.classes();
    const SharedCovariance covariance(moments, model.settings().ridge);
    const LinearDiscriminant discriminant(moments, covariance);
    const LinearReadout readout = discriminant.by_angle();
    PseudoRows pseudo(readout, moments, covariance);

    std::vector<PlusClassReview> result(classes);
    std::vector<float> spreads(classes);
    pseudo.fit(accuracies, spreads);
    for (float& s : spreads) s = std::min(s, kMostConfusionSpread);
    std::vector<std::vector<std::pair<std::size_t, double>>> confusions =
        pseudo.confusions(spreads, ClassReview::kMaxConfusions);
    const double asked = static_cast<double>(kAskedRows) / static_cast<double>(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        PlusClassReview& r = result[c];
        r.accuracy = accuracies[c];
        if (r.accuracy < 0) continue;
        r.error = standard_error(r.accuracy,
                                 std::max(1.0, std::min(static_cast<double>(moments.counts[c]), asked)));
        // Of the errors that are expected.
        for (const auto& [with, share] : confusions[c])
            r.confusions.emplace_back(with, share * (1 - r.accuracy));
    }
    const double dof = covariance.effective_dof();
    std::vector<float> at(classes);
    pseudo.fit(accuracies, at);
    const std::vector<double> now = pseudo.accuracies(at);
    for (const double times : {0.5, 2.0}) {
        pseudo.set_own_factors(factors_with_more(discriminant.means(), moments.counts, dof, times));
        const std::vector<double> then = pseudo.accuracies(at);
        for (std::size_t c = 0; c < classes; ++c)
            if (accuracies[c] >= 0)
                (times < 1 ? result[c].with_half : result[c].with_twice) =
                    std::clamp(accuracies[c] + then[c] - now[c], 0.0, 1.0);
    }
    return result;
}

}  // namespace fearnet
