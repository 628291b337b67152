// The three Omega scores of the paper (Sec. 4, after Kemker et al. 2018). Pure functions.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

// Mean-class test accuracies after one session, in 0..1.
struct SessionAccuracy {
    double base = 0;    // alpha_base: on the base classes
    double recent = 0;  // alpha_new: on the class taught last
    double all = 0;     // alpha_all: on all classes taught so far
};

// 1 means as accurate as the offline model, which was trained on all classes at once.
struct OmegaScores {
    double omega_base = 0;  // mean of alpha_base / offline accuracy
    double omega_new = 0;   // mean of alpha_new; not divided
    double omega_all = 0;   // mean of alpha_all / offline accuracy
};
// Undefined scores (NaN): no incremental session was evaluated, or an offline accuracy is 0.
constexpr OmegaScores kUndefinedScores{std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::quiet_NaN(),
                                       std::numeric_limits<double>::quiet_NaN()};

// The paper's scores: one offline accuracy for all sessions. `sessions` excludes the base session. Throws
// Error if there is no session or offline_accuracy is not above 0.
OmegaScores omega(std::span<const SessionAccuracy> sessions, double offline_accuracy);

// Scores with an offline accuracy per session: base and all of sessions[t] are divided by those of
// offline[t]. Throws Error also if the sizes differ.
OmegaScores omega(std::span<const SessionAccuracy> sessions, std::span<const SessionAccuracy> offline);

// The accuracy on the rows of each class, averaged over the classes in `truth`. Throws Error if the sizes
// differ or there is no row.
double mean_class_accuracy(std::span<const ClassId> predicted, std::span<const ClassId> truth);

}  // namespace fearnet::lab
