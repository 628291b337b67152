// How familiar a row looks, and how well it fits each class, as p-values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/kit/far_rows.hpp"
#include "core/learners/kit/left_out_sketches.hpp"
#include "core/learners/plus/linear_discriminant.hpp"

namespace fearnet {

// The evidence for class k is the relative Mahalanobis distance, as in kit/evidence.hpp, from the scores of
// the discriminant. y is a row in units of the shared covariance W, seen from the center, and z_k are the
// shrunken class means:
//     r_k = 2 (y . z_k - |z_k|^2 / 2 + class covariance term) - sum_i (b_i . (y . z))^2
// Rows that are unlike anything, whichever classes they resemble, are found by FarRows in the given features,
// also if the classifier uses random ones.
class Familiarity {
  public:
    // Classes whose means make up the background, and the rank of their covariance.
    static constexpr std::size_t kBackgroundClasses = 1024, kBackgroundRank = 32;

    // Leave-one-out scores of rows of the model; see LinearDiscriminant::leave_one_out.
    struct LeftOut {
        const DiscriminantScores& scores;
        const Matrix* covariance_terms;  // or null
        const Matrix& probabilities;     // that follow from both
        MatrixView given;                // the given features
        const ClassMoments* far;         // those of fit_far_rows, if they have these rows; else null
        std::span<const std::int32_t> columns;
    };

    // Fits what follows from the model; sketches of known classes stay. `by_angle`: how the read-out's scores
    // were made. `variance`: of new rows along the class means, in units of W.
    void refit(const LinearDiscriminant& discriminant, bool by_angle, double variance);
    // Finds far rows by these moments of the given features.
    void fit_far_rows(const ClassMoments& moments) { far_rows_ = FarRows(moments); }
    // Adds the scores of rows of classes.
    void add(const LeftOut& rows);
    // Removes the sketch of a class; refit must follow. Its part in the sketches of all classes stays.
    void drop(std::size_t column) { sketches_.drop(column); }

    // Whether there are sketches to compare with, and of how many classes they have the evidence of rows.
    bool ready() const { return sketches_.ready(); }
    std::size_t classes_with_evidence() const { return sketches_.classes_with_scores(); }
    // Turns the linear scores of the read-out into the background's part of the evidence, by row.
    std::vector<float> background(const Matrix& linear_scores) const;
    // By row; scores and probabilities are those of the classifier.
    std::vector<double> p_values(const Matrix& scores, const Matrix& probabilities,
                                 std::span<const float> background, MatrixView given) const;
    // rows x classes.
    Matrix class_p_values(const Matrix& scores, std::span<const float> background) const;

    std::size_t bytes() const { return norms_.empty() ? 0 : bytes(norms_.size(), far_rows_.width()); }
    // At most, of this many classes and given features.
    static std::size_t bytes(std::size_t classes, std::size_t width);
    void save(State& state) const;
    // Without sketches if the state has none.
    static Familiarity load(const State& state, std::size_t classes, std::size_t width);

  private:
    // r_k of a row from its score and the background's part.
    double evidence(std::size_t k, double score, double background) const;
    double product(std::size_t k, double linear_score) const;  // y . z_k
    double standardized(std::size_t k, double evidence) const;
    std::vector<float> background_of_products(const Matrix& products) const;

    bool by_angle_ = false;
    std::vector<float> norms_;  // |z_k|^2
    // Mean and standard deviation of the evidence for class k over its own rows, if these had the covariance
    // W.
    std::vector<float> peaks_, deviations_;
    double mean_norm_ = 1;
    Matrix background_;  // rank x some classes: b_i
    std::vector<std::int64_t> background_classes_;
    FarRows far_rows_;
    LeftOutSketches sketches_{FarRows::kWays};
};

}  // namespace fearnet
