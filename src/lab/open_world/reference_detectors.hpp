// Detectors of unknown rows from the literature, as references for Learner::familiarity. They are fitted to
// the training rows of a stream, keep whatever they need, and do not depend on the learner.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/learners/kit/class_moments.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::lab {

// One score per question; higher means more familiar. Enum Detector in fearnet/lab/open_world.hpp defines
// each.
struct ReferenceScores {
    std::vector<double> mahalanobis;           // Lee et al., NeurIPS 2018
    std::vector<double> relative_mahalanobis;  // Ren et al., arXiv:2106.09022
    std::vector<double> whitened_cosine;
    std::vector<double> linear;
    std::vector<double> neighbors;         // Sun et al., ICML 2022, with squared distances
    std::vector<double> isolation_forest;  // Liu, Ting, Zhou, ICDM 2008
};

// The rows to score, the questions, are fixed at the start: their nearest neighbors are then updated with the
// rows of each session instead of being searched again. Not thread-safe.
class ReferenceDetectors {
  public:
    // `questions` must outlive the object.
    ReferenceDetectors(MatrixView questions, std::uint64_t seed);

    // Adds training rows. When `progress` returns false, throws Cancelled; the object is then unusable.
    void learn(const LabeledView& session, const Progress& progress = {});
    // The scores of all questions by the rows learned so far, of which there must be at least one.
    ReferenceScores scores(const Progress& progress = {}) const;

    // The neighbor whose distance counts; with fewer rows, the farthest.
    static constexpr std::size_t kNeighbors = 10;
    // Ridge of the covariances, as a multiple of their mean diagonal.
    static constexpr double kRidge = 0.1;
    // Rows from which the isolation forest is grown, a uniform sample of all.
    static constexpr std::size_t kForestRows = 8192;

  private:
    void update_neighbors(MatrixView rows, const Progress& progress);
    void sample_rows(MatrixView rows);
    void gaussian_scores(ReferenceScores& scores) const;

    MatrixView questions_;
    std::vector<float> question_norms_;  // squared lengths
    Matrix nearest_;                     // questions x kNeighbors: the smallest squared distances, as heaps
    std::size_t learned_ = 0;            // rows
    std::map<ClassId, std::int32_t> column_of_;  // row of the class in moments_.means
    ClassMoments moments_;
    Matrix sample_;  // at most kForestRows rows
    Rng rng_;
};

}  // namespace fearnet::lab
