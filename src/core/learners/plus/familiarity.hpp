// How familiar a row looks, and how well it fits each class, as p-values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/kit/score_sketch.hpp"
#include "core/learners/plus/linear_discriminant.hpp"

namespace fearnet {

// Two scores tell rows of taught classes from others. y is a row in units of the shared covariance W, seen
// from the center, and z_k are the shrunken class means.
//
// The evidence for class k is twice the logarithm of a likelihood ratio, the class against a Gaussian with
// the covariance of the class means around the center added to W (the relative Mahalanobis distance):
//     r_k = 2 (y . z_k - |z_k|^2 / 2 + class covariance term) - sum_i (b_i . (y . z))^2
// Its terms |y|^2 cancel, so that r_k follows from the scores of the discriminant.
//
// Rows that are unlike anything, whichever classes they resemble, are far: their distance from the center is
// large in units of the covariance within classes, or they vary too little along its kFarAxes principal axes,
// as noise does. Along all other directions the covariance is taken as its mean there. Both are computed from
// the given features, also if the classifier uses random ones.
//
// All become p-values by sketches of what taught rows had, each as if it had not been taught.
class Familiarity {
  public:
    // Classes whose means make up the background, and the rank of their covariance.
    static constexpr std::size_t kBackgroundClasses = 1024, kBackgroundRank = 32;
    static constexpr std::size_t kFarAxes = 16;
    // Share of the rows turned away that may be so only because they are far.
    static constexpr double kFarShare = 0.1;

    // Leave-one-out scores of rows of the model; see LinearDiscriminant::leave_one_out.
    struct LeftOut {
        const DiscriminantScores& scores;
        const Matrix* covariance_terms;  // or null
        MatrixView given;                // the given features
        std::span<const std::int32_t> columns;
        std::span<const double> weights;
    };

    // Fits what follows from the model; sketches of known classes stay. `by_angle`: how the read-out's scores
    // were made. `variance`: of new rows along the class means, in units of W.
    void refit(const LinearDiscriminant& discriminant, bool by_angle, double variance);
    // Fits the principal axes to moments of the given features, whose scatter has both triangles.
    void fit_axes(const ClassMoments& moments);
    // Adds the scores of rows of classes. `replaced`: what the sketches of these classes held is forgotten; the
    // sketches of all classes keep the rows with which a class came first.
    void add(const LeftOut& rows, bool replaced);
    // Removes the sketch of a class; refit must follow. Its part in the sketches of all classes stays.
    void drop(std::size_t column);

    // Whether there are sketches to compare with.
    bool ready() const { return !near_.empty(); }
    // Turns the linear scores of the read-out into the background's part of the evidence, by row.
    std::vector<float> background(const Matrix& linear_scores) const;
    // By row; `scores` are those of the classifier.
    std::vector<double> p_values(const Matrix& scores, std::span<const float> background,
                                 MatrixView given) const;
    // rows x classes.
    Matrix class_p_values(const Matrix& scores, std::span<const float> background) const;

    std::size_t bytes() const { return norms_.empty() ? 0 : bytes(norms_.size(), axes_.cols()); }
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
    double best_standardized(double evidence) const;
    void find_center();
    // By row, both higher for familiar rows.
    struct Far {
        std::vector<double> nearness, variation;  // minus log distance, log variation along the axes
    };
    Far far(MatrixView given) const;
    std::vector<float> background_of_products(const Matrix& products) const;

    bool by_angle_ = false;
    std::vector<float> norms_;  // |z_k|^2
    // Mean and standard deviation of the evidence for class k over its own rows, if these had the covariance
    // W.
    std::vector<float> peaks_, deviations_;
    double mean_norm_ = 1, mean_peak_ = 0, mean_deviation_ = 1;
    Matrix background_;  // rank x some classes: b_i
    std::vector<std::int64_t> background_classes_;
    Matrix axes_;                   // principal axes of W, of length one, and the center as the last row
    std::vector<float> along_;      // weights of the squares along the axes, then of all other directions
    std::vector<float> at_center_;  // products of the rows of axes_ with the center

    // Of all classes: best evidence, evidence of the own class, and the numbers of Far.
    ScoreSketch near_, own_, distance_, variation_;
    std::vector<ScoreSketch> classes_;  // evidence of the own class; empty for a class that was not asked
    std::vector<float> rows_;           // in the sketch of each class
    double sketched_ = 0;               // classes in the common sketches
};

}  // namespace fearnet
