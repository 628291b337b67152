// How FearNetPlus chooses its settings: by the leave-one-out accuracy of every candidate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/plus_options.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

struct PlusSettings {
    double ridge = 1;  // of the shared covariance, as a multiple of its mean diagonal
    // Strength of the class covariances. 0: all classes share one covariance, and rows are classified by the
    // angle to the class means instead of the distance to them.
    double class_covariance = 0;
};

// The rows that are asked, and what their answers weigh in the mean-class accuracy.
struct AskedRows {
    // At most kMostRows rows and kMostScores scores, evenly spread over each class; no row of a class of one.
    AskedRows(std::span<const std::int32_t> columns, std::span<const std::int64_t> counts);
    static constexpr std::size_t kMostRows = 8192, kMostScores = 8'000'000;

    std::vector<std::size_t> rows;      // row numbers, class by class
    std::vector<std::int32_t> columns;  // their classes
    std::vector<double> weights;        // add up to one
};

// Whether each asked row is answered correctly.
using Answers = std::vector<std::uint8_t>;
Answers answers(MatrixView scores, std::span<const std::int32_t> columns);
double accuracy(const Answers& answers, std::span<const double> weights);
// Whether `best` is more accurate than `other` by more than one standard error of the difference.
bool clearly_better(const Answers& best, const Answers& other, std::span<const double> weights);

struct Candidate {
    PlusSettings settings;
    Answers answers;
    double accuracy = 0;
};
// Of the candidates that are not clearly worse than the most accurate one, those that keep the least memory,
// and of these the most accurate. A linear discriminant keeps less than class covariances.
const Candidate& choose(const std::vector<Candidate>& candidates, std::span<const double> weights);

}  // namespace fearnet
