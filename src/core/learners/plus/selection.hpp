// How FearNetPlus chooses its settings: by the leave-one-out accuracy of every candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/shared_covariance.hpp"
#include "fearnet/plus_options.hpp"

namespace fearnet {

struct PlusSettings {
    double ridge = 1;  // of the shared covariance, as a multiple of its mean diagonal
    // Strength of the class covariances. 0: all classes share one covariance, and rows are classified by the
    // angle to the class means instead of the distance to them.
    double class_covariance = 0;
};

// The rows that are asked, and what their answers weigh in the mean-class accuracy.
struct AskedRows {
    // At most `most` rows or a quarter of all, whichever is more, evenly spread over each class; no row of a
    // class of one. Of more than kManyClasses classes, fewer: at most most * kManyClasses scores are computed.
    AskedRows(std::span<const std::int32_t> columns, std::span<const std::int64_t> counts,
              std::size_t most = kAskedRows);

    std::vector<std::size_t> rows;      // row numbers, class by class
    std::vector<std::int32_t> columns;  // their classes
    std::vector<double> weights;        // add up to one
};

// The features less the center, in units of the shared covariance.
Matrix whitened(const Matrix& features, const std::vector<float>& center, const SharedCovariance& covariance);

// Whether each asked row is answered correctly.
using Answers = std::vector<std::uint8_t>;
Answers answers(MatrixView scores, std::span<const std::int32_t> columns);
double accuracy(const Answers& answers, std::span<const double> weights);
// Whether `best` is more accurate than `other` by more than one standard error of the difference. A candidate
// that keeps more memory must be.
bool clearly_better(const Answers& best, const Answers& other, std::span<const double> weights);

struct Candidate {
    PlusSettings settings;
    Matrix scores;  // of the asked rows, each left out
    Answers answers;
    double accuracy = -1;
};
// The ridges at which the linear discriminant and class covariances are tried first.
struct FirstRidges {
    double linear = PlusSettings().ridge, covariances = linear;
};
// What candidates are compared with: the features of the asked rows, which are in the moments.
struct Comparison {
    const ClassMoments& moments;
    const Matrix& features;
    const AskedRows& asked;
    std::size_t rank;  // of class covariances
    // Whether class covariances are fitted to far fewer rows here than in the model, so that their accuracy
    // is too low: they are then chosen unless they are clearly worse, or the linear discriminant makes no
    // error.
    bool underrated = false;
};
// Called with the share of the work done, 0 to 1.
using PlusShare = std::function<void(double)>;
// The linear discriminant and class covariances of several strengths, each with ridges a factor apart: from
// its first one up, or else down, as long as its own accuracy rises. `first` then has the best ridges. Class
// covariances that are clearly worse than the linear discriminant with the first ridge, and not underrated,
// are not tried with others. Without a wrong answer no further ridge is tried. What the options set is not
// varied.
Candidate choose_settings(const Comparison& comparison, const PlusOptions& options, FirstRidges& first,
                          const PlusShare& share);

}  // namespace fearnet
