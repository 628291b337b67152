// A linear discriminant with shrunken class means, and its exact leave-one-out scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/plus/shared_covariance.hpp"

namespace fearnet {

// Products of rows with class means, and the squared norms of the means as each row sees them.
struct DiscriminantScores {
    Matrix products;             // rows x classes: x . z_c
    Matrix squared_norms;        // rows x classes: |z_c|^2
    double mean_norm = 0;        // mean |z| over the classes
    Matrix by_distance() const;  // x . z_c - |z_c|^2 / 2
    Matrix by_angle() const;     // x . z_c mean |z| / |z_c|
};

// What by_angle multiplies a product with. A mean that is close to the center counts as being a tenth of the
// average distance away: its angle is noise.
double angle_factor(double squared_norm, double mean_norm);

// Which of the rows that leave_one_out scores are in the moments; all of them by default.
struct TaughtRows {
    std::span<const std::uint8_t> taught = {};  // by row; 0: not in the moments; empty: all rows are
    bool in_covariance = true;                  // whether the taught rows are in W, too
};

// Let z_c be the class means in units of the shared covariance W, seen from their center, and G their Gram
// matrix z_c . z_k. A mean of n_c rows is off by a random vector whose expected squared norm is
// effective_dof / n_c. The means are shrunken to their best linear prediction
//     G (G + D)^-1 z,   D = diag(tau_c),   tau_c = kNoise effective_dof / n_c
// unless there are more classes than features, where this changes nothing, or no variance. Some noise is left
// in them. It lengthens the mean of a class of few rows and would keep rows away from that class, so its
// expected part of |z_c|^2 is subtracted wherever scores use |z_c|^2.
class LinearDiscriminant {
  public:
    // `also` are other differences of features, to whiten in the same pass over the factor.
    LinearDiscriminant(const ClassMoments& moments, const SharedCovariance& covariance,
                       Matrix* also = nullptr);

    // The scores of DiscriminantScores as functions of the features.
    LinearReadout by_distance() const { return readout(false); }
    LinearReadout by_angle() const { return readout(true); }
    // Scores of rows that are in the moments, each row as if it were not: as if W, with the same ridge and
    // divisor, the mean of its class, the center and D had been computed without the row. Every row's class
    // has at least two rows. `whitened` are the rows less center() in units of W.
    DiscriminantScores leave_one_out(MatrixView whitened, std::span<const std::int32_t> columns,
                                     const TaughtRows& taught_rows = {}) const;

    // The mean of the class means.
    const std::vector<float>& center() const { return center_; }
    const Matrix& means() const { return z_; }
    // Products of all shrunken means with those of some classes, classes x some.
    Matrix shrunken_products(std::span<const std::size_t> some) const;
    // Of the shrunken means, without the noise that is left in them.
    const std::vector<double>& squared_norms() const { return squared_norms_; }
    // With that noise.
    const std::vector<double>& noisy_squared_norms() const { return noisy_squared_norms_; }
    double mean_norm() const;
    // Of W; 0 with more classes than features, where the means are not shrunken.
    double effective_dof() const { return dof_; }

  private:
    bool shrunken() const { return !inverse_.empty(); }
    LinearReadout readout(bool angle) const;
    void products_with_residuals(MatrixView whitened, std::span<const std::int32_t> columns,
                                 const Matrix& products, Matrix& u) const;

    const SharedCovariance& covariance_;
    std::vector<double> counts_;
    double rows_ = 0, dof_ = 0;
    std::vector<float> center_;
    Matrix z_;  // classes x features
    std::vector<double> squared_norms_, noisy_squared_norms_;
    // Empty unless shrunken: D, G, (G + D)^-1 and (G + D)^-1 D (G + D)^-1.
    std::vector<double> tau_;
    Matrix gram_, inverse_, inner_;
};

}  // namespace fearnet
