// Class covariances: the shared covariance plus a few principal axes of each class's own rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/principal_axes.hpp"
#include "core/learners/plus/shared_covariance.hpp"

namespace fearnet {

// Classes whose axes are to be fitted, with a sample of their rows.
class AxisFit {
  public:
    // The rows of a class as features; `owned` keeps them, unless they outlive this.
    void add(std::size_t column, MatrixView features, Matrix owned, std::size_t sample);
    std::size_t rows() const { return samples_.rows(); }
    // Less the mean of their class, class by class; to be whitened before the fit.
    Matrix& samples() { return samples_; }

    struct Class {
        std::size_t column;
        MatrixView features;
        Matrix owned;
        std::vector<float> mean;
        std::size_t first, rows;  // of the samples
    };
    const std::vector<Class>& classes() const { return classes_; }
    // Whether a class has more rows than its sample.
    bool is_sampled(std::size_t k) const { return classes_[k].rows < classes_[k].features.rows; }
    MatrixView samples_of(const Class& c) const { return samples_.view().slice(c.first, c.rows); }

  private:
    std::vector<Class> classes_;
    Matrix samples_;
};

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
    static constexpr std::size_t kMostAxes = kAxes * kManyClasses;
    // The axes that a class may have.
    static std::size_t most_axes(std::size_t rank, std::size_t classes) {
        return std::min(rank, kMostAxes / classes);
    }

    // Fits the axes of these classes, at most one for three rows of the sample. New classes are the next
    // columns. The samples are in units of `covariance`.
    void learn(const AxisFit& fit, const SharedCovariance& covariance);
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
    // The terms that `correct` adds, as sums (axes x - offsets)^2 with k x d, 1 x k and classes x k
    // numbers.
    void formula(Matrix& directions, Matrix& offsets, Matrix& sums) const;

    std::size_t bytes() const;
    void save(State& state) const;
    // Throws Error unless the state has this many classes and features.
    static ClassCovariances load(const State& state, std::size_t classes, std::size_t width,
                                 std::size_t rank);

  private:
    // One axis: 8-bit quantized of its largest entry, which `scale` is 1/127 of.
    struct Axis {
        float scale = 0;
        float offset = 0;  // of the class's mean along the axis
        float own = 0;     // variance of the class's own rows
        float shared = 0;  // variance of the rows of all classes around their means
        float norm = 0;    // squared
    };
    struct Class {
        std::vector<Axis> axes;              // largest variance first
        std::vector<std::int8_t> quantized;  // axes x features
    };
    // A class with these axes, which are linear functions of its features.
    static Class quantized(const AxisFit::Class& of, MatrixView functions, double ridge);
    static void find_own(Class& c, MatrixView features);
    // Writes the class's axes as floats into rows of `out`, from `row` on.
    static void write_functions(const Class& c, Matrix& out, std::size_t row);
    // Coordinates of the rows along all axes, class by class.
    Matrix along(MatrixView features) const;
    AxisTerms terms(double strength) const;
    // The largest number of axes of a class.
    std::size_t full() const;
    std::size_t axes() const;
    Matrix functions(std::size_t first, std::size_t last, std::size_t width) const;  // of some classes
    std::size_t width() const;
    void trim(std::size_t most);

    std::size_t rank_ = 0, most_ = kMostAxes;
    float ridge_ = 0, strength_ = 0;
    std::vector<Class> classes_;  // by column
};

}  // namespace fearnet
