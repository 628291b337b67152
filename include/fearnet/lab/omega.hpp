// The paper's three scores (Sec. 4, after Kemker et al. 2018) as pure functions.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

// Accuracies after one incremental session, all as mean-class accuracy in 0..1.
struct SessionAccuracy {
    double base = 0;    // alpha_base: the base-knowledge classes
    double recent = 0;  // alpha_new: the class taught last
    double all = 0;     // alpha_all: every class taught so far
};

struct OmegaScores {
    double omega_base = 0;
    double omega_new = 0;
    double omega_all = 0;
};
// Not defined: no session was tested, or there is nothing to divide by.
constexpr OmegaScores kNoScores{std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::quiet_NaN()};

// Means over the sessions after the base session; base and all are divided by `offline_accuracy`, new is not.
// Throws Error when there is no session or offline_accuracy is not above zero.
OmegaScores omega(std::span<const SessionAccuracy> sessions, double offline_accuracy);

// The same, each session's base and all divided by the offline accuracies of that session: offline[t] belongs
// to sessions[t]. Throws Error also when the sizes differ.
OmegaScores omega(std::span<const SessionAccuracy> sessions, std::span<const SessionAccuracy> offline);

// Mean over the classes present in `truth` of the share of that class's rows answered right. Throws Error
// when the sizes differ or there is no row.
double mean_class_accuracy(std::span<const ClassId> predicted, std::span<const ClassId> truth);

}  // namespace fearnet::lab
