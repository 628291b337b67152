// Open-world answers: how well a learner tells rows of taught classes from other rows, how often its sets of
// classes contain the true class, and whether its probabilities are calibrated. The functions are pure;
// Protocol::open_world makes a run measure all of this after every evaluated session.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

// The scores that are compared as detectors of unknown rows. A higher score means a more familiar row. The
// first three come from the learner. The others are references that are computed from the training rows
// taught so far and are the same for every learner (src/lab/open_world/reference_detectors.hpp).
enum class Detector {
    familiarity,           // Learner::familiarity
    softmax,               // the largest of Learner::probabilities
    energy,                // log of the sum of exp(score / temperature) over the classes
    mahalanobis,           // distance to the nearest class mean, with the shared covariance
    relative_mahalanobis,  // the same, less the distance to the mean of all rows with their covariance
    whitened_cosine,       // largest cosine to a class mean, in units of the shared covariance
    linear,                // largest linear discriminant
    neighbors,             // distance to the k-th nearest training row
    isolation_forest,
};
constexpr std::size_t kDetectors = 9;

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// How well a detector separates the test rows of taught classes (known) from other rows. NaN: not measured.
struct Detection {
    double auroc = kNotMeasured;           // against test rows of classes not taught yet
    double fpr95 = kNotMeasured;           // their share accepted at the threshold that accepts 95 % of known
    double auroc_noise = kNotMeasured;     // against Gaussian noise
    double auroc_uniform = kNotMeasured;   // against uniform noise
    double auroc_far_data = kNotMeasured;  // against rows of another data set
};

// Shares of known test rows. NaN: not measured.
struct Coverage {
    double familiar_95 = kNotMeasured;  // familiarity of at least 5 %; nominal 95 %
    double familiar_99 = kNotMeasured;  // familiarity of at least 1 %; nominal 99 %
    double set_90 = kNotMeasured;       // true class in the set of confidence 90 %; nominal 90 %
    double set_size = kNotMeasured;     // mean number of classes in that set
    double set_empty = kNotMeasured;    // share of rows for which that set is empty
};

// One bin of a reliability diagram.
struct ReliabilityBin {
    double confidence = 0;  // mean of the largest probability; 0 in an empty bin
    double accuracy = 0;    // share of right answers; 0 in an empty bin
    double share = 0;       // of all rows

    bool operator==(const ReliabilityBin&) const = default;
};
constexpr std::size_t kReliabilityBins = 15;

// What was measured after one session.
struct OpenWorldRecord {
    std::array<Detection, kDetectors> detection;
    Coverage coverage;
    double calibration_error = kNotMeasured;  // expected calibration error of the probabilities
    std::vector<ReliabilityBin> reliability;  // the bins behind it

    Detection& of(Detector d) { return detection[static_cast<std::size_t>(d)]; }
    const Detection& of(Detector d) const { return detection[static_cast<std::size_t>(d)]; }
};

// A run: each number is the mean over the evaluated sessions that have it, `reliability` is that of the last
// session.
struct OpenWorldSummary : OpenWorldRecord {
    // Largest distance from the nominal value after any evaluated session: only familiar_95, familiar_99 and
    // set_90.
    Coverage deviation;
};
OpenWorldSummary summarize_open_world(std::span<const OpenWorldRecord> sessions);

// Area under the ROC curve: the probability that a known row scores higher than an unknown one, ties counted
// half. NaN if either is empty.
double auroc(std::span<const double> known, std::span<const double> unknown);
// The share of unknown rows that score at least as high as the highest threshold which accepts `recall` of
// the known rows. NaN if either is empty.
double false_positive_rate(std::span<const double> known, std::span<const double> unknown,
                           double recall = 0.95);

// Equal-width bins (a, b] of the confidences, which lie in 0..1. right[i] says whether answer i is right.
std::vector<ReliabilityBin> reliability_bins(std::span<const double> confidence,
                                             const std::vector<bool>& right,
                                             std::size_t bins = kReliabilityBins);
// Mean distance between confidence and accuracy of the bins, weighted by their shares (Guo et al.: On
// Calibration of Modern Neural Networks, ICML 2017). NaN if no bin has rows.
double calibration_error(std::span<const ReliabilityBin> bins);

// The share of values that are at least `threshold`. NaN if there are none.
double share_at_least(std::span<const double> values, double threshold);
// Fills set_90, set_size and set_empty from p-values, rows x classes: the set of a row has the classes with a
// value above 1 - 0.9. `truth` has the class of each row; a class that is not in `classes` is in no set.
void cover_by_sets(MatrixView p_values, std::span<const ClassId> classes, std::span<const ClassId> truth,
                   Coverage& coverage);

}  // namespace fearnet::lab
