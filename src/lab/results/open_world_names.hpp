// The columns of open-world answers. A column of detection is a measure and a detector: "auroc_" + "softmax".
#pragma once

#include <array>

#include "lab/results/columns.hpp"

namespace fearnet::lab {

struct DetectorName {
    const char* name;  // end of the column
    const char* title;
    const char* meaning;
    bool of_learner;  // false: the same for every learner
};
// In the order of enum Detector.
inline constexpr std::array<DetectorName, kDetectors> kDetectorNames{{
    {"familiarity", "familiarity", "the learner's familiarity", true},
    {"softmax", "largest softmax", "the learner's largest probability", true},
    {"energy", "energy", "the log of the sum of exp(score / temperature) of the learner", true},
    {"mahalanobis", "Mahalanobis", "the Mahalanobis distance to the nearest class mean", false},
    {"relative_mahalanobis", "relative Mahalanobis",
     "the Mahalanobis distance to the nearest class mean less that to the mean of all rows", false},
    {"whitened_cosine", "whitened cosine", "the largest cosine to a class mean of whitened rows", false},
    {"linear", "linear score", "the largest linear discriminant", false},
    {"neighbors", "nearest neighbors", "the distance to the 10th nearest training row", false},
    {"isolation_forest", "isolation forest", "an isolation forest", false},
}};

struct DetectionMeasure {
    const char* prefix;  // beginning of the column
    const char* title;
    const char* meaning;
    double Detection::*field;
    Unit unit;
    Better better;
};
inline constexpr DetectionMeasure kDetectionMeasures[] = {
    {"auroc_", "AUROC", "AUROC against classes not taught yet, by ", &Detection::auroc, Unit::score,
     Better::higher},
    {"fpr95_", "FPR95",
     "share of rows of classes not taught yet that are accepted if 95 % of the rows of taught classes are, "
     "by ",
     &Detection::fpr95, Unit::accuracy, Better::lower},
    {"auroc_noise_", "AUROC, noise", "AUROC against Gaussian noise, by ", &Detection::auroc_noise,
     Unit::score, Better::higher},
    {"auroc_uniform_", "AUROC, uniform", "AUROC against uniform noise, by ", &Detection::auroc_uniform,
     Unit::score, Better::higher},
    {"auroc_far_data_", "AUROC, far data", "AUROC against rows of another data set, by ",
     &Detection::auroc_far_data, Unit::score, Better::higher},
};

}  // namespace fearnet::lab
