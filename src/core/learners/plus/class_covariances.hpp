// Class covariances: the shared covariance plus a few principal axes of each class's own rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/plus/shared_covariance.hpp"

namespace fearnet {

// A class has axes g_i: linear functions of the features, of unit variance under the shared covariance W,
// along which its own rows have the variances u_i. It is modeled as a Gaussian with the covariance W (I +
// strength sum_i u_i g_i g_i^T W), which adds to its score
//     1/2 sum_i k_i (g_i . (x - m_c))^2 / s_i,   k_i = strength u_i / (s_i + strength u_i)
// where s_i is the variance of g_i under the present W. The determinants are left out.
class ClassCovariances {
  public:
    ClassCovariances() = default;
    // `rank`: the maximum number of axes of a class; `most`: of all classes together.
    explicit ClassCovariances(std::size_t rank, std::size_t most = kMostAxes) : rank_(rank), most_(most) {}
    static constexpr std::size_t kMostAxes = 8192;

    // Fits the axes of a class to its rows (as features), at most one axis for three rows. A new class is the
    // next column. Of many rows a sample is used.
    void learn(std::size_t column, MatrixView features, const SharedCovariance& metric) {
        learn(column, features, &metric);
    }
    // Adds a class without axes, or removes the axes of a class.
    void leave_out(std::size_t column);
    // Adds more rows of a class that had `before` rows to the variances along its axes.
    void meet(std::size_t column, MatrixView features, std::int64_t before);
    // Moves the axes, which were fitted to the `now` last rows of a class that had `before`, to the mean of
    // all its rows.
    void center(std::size_t column, const float* mean, std::int64_t before, std::int64_t now);
    // Removes the last axes of every class until all fit into this many bytes.
    void fit_into(std::size_t bytes);
    void drop(std::size_t column) { classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(column)); }
    // Computes the variances of the axes under a scatter that has changed. Both triangles must be filled.
    void set_shared(const ClassMoments& moments);
    void set_ridge(double ridge) { ridge_ = static_cast<float>(ridge); }
    void set_strength(double strength) { strength_ = static_cast<float>(strength); }

    // Adds the terms of the class covariances to the scores. A class with fewer axes than the others receives
    // the average contribution of the axes it lacks.
    void correct(MatrixView features, Matrix& scores) const;
    // The same for several strengths: one matrix of scores each.
    std::vector<Matrix> corrected(MatrixView features, const Matrix& scores,
                                  std::span<const double> strengths) const;

    // The terms that `correct` adds, as sums (directions x - offsets)^2 with k x d, 1 x k and classes x k
    // numbers.
    void formula(Matrix& directions, Matrix& offsets, Matrix& sums) const;

    // What class covariances of each strength would add to the scores of these rows, which are in units of
    // the shared covariance: found without the row itself, by cross-validation within every class.
    static std::vector<Matrix> held_out_terms(MatrixView whitened, std::span<const std::int32_t> columns,
                                              std::size_t classes, std::size_t rank,
                                              std::span<const double> strengths);

    std::size_t bytes() const;
    void save(State& state) const;
    // Throws Error unless the state has this many classes and features.
    static ClassCovariances load(const State& state, std::size_t classes, std::size_t width,
                                 std::size_t rank);

  private:
    // Without a metric the features are in units of the shared covariance already.
    void learn(std::size_t column, MatrixView features, const SharedCovariance* metric);
    // One direction: 8-bit quantized of its largest entry, which `scale` is 1/127 of.
    struct Direction {
        float scale = 0;
        float offset = 0;  // of the class's mean along the axis
        float own = 0;     // variance of the class's own rows
        float shared = 0;  // variance of the rows of all classes around their means
        float norm = 0;    // squared
    };
    struct Class {
        std::vector<Direction> directions;   // largest variance first
        std::vector<std::int8_t> quantized;  // directions x features
    };
    static void find_own(Class& c, MatrixView features);
    // Writes the class's axes as floats; returns where they end.
    static float* append_functions(const Class& c, float* out);
    // Coordinates of the rows along all directions, class by class.
    Matrix along(MatrixView features) const;
    // Half of k_i / s_i of every direction.
    std::vector<float> factors(double strength) const;
    // The largest number of directions of a class.
    std::size_t full() const;
    // Makes the scores' corrections from them.
    void add_corrections(const Matrix& along, double strength, Matrix& scores) const;
    std::size_t directions() const;
    Matrix functions(std::size_t first, std::size_t last, std::size_t width) const;  // of some classes
    std::size_t width() const;
    void trim(std::size_t most);

    std::size_t rank_ = 0, most_ = kMostAxes;
    float ridge_ = 0, strength_ = 0;
    std::vector<Class> classes_;  // by column
};

}  // namespace fearnet
