// How each class spreads: the few directions in which its own rows vary most, beside what all classes share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/plus/shared_covariance.hpp"

namespace fearnet {

// A class c with directions g_i (functions of the features, of length one in units of the shared covariance
// W), along which its rows vary by u_i, is taken as Gaussian with the covariance W (I + strength sum_i u_i
// g_i g_i^T W). Beside its distance in units of W a row is then likelier by
//     1/2 sum_i k_i (g_i . (x - m_c))^2 / s_i,   k_i = strength u_i / (s_i + strength u_i)
// where s_i is g_i's length in units of W as it is now. The determinants are left out.
class ClassCovariances {
  public:
    ClassCovariances() = default;
    // At most so many directions of a class, and together.
    explicit ClassCovariances(std::size_t rank, std::size_t most = kMostAxes) : rank_(rank), most_(most) {}
    static constexpr std::size_t kMostAxes = 8192;

    // Finds the directions of a class in its rows (as features), of which it needs three each; a new class is
    // the next column. Looks at some of the rows when there are many.
    void learn(std::size_t column, MatrixView features, const SharedCovariance& metric) {
        learn(column, features, &metric);
    }
    // A class without directions: as above, but none are looked for.
    void leave_out(std::size_t column);
    // More rows of a class that had `before`: counted into the variances along the directions it has.
    void meet(std::size_t column, MatrixView features, std::int64_t before);
    // The directions were found in the `now` last rows of a class that had `before`: around `mean`, of all.
    void center(std::size_t column, const float* mean, std::int64_t before, std::int64_t now);
    // Every class keeps its first directions, as many of each as fit into so many bytes.
    void fit_into(std::size_t bytes);
    void drop(std::size_t column) { classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(column)); }
    // What the rows of all classes vary along the directions: the scatter has changed. It must be there in
    // both triangles.
    void set_shared(const ClassMoments& moments);
    void set_ridge(double ridge) { ridge_ = static_cast<float>(ridge); }
    void set_strength(double strength) { strength_ = static_cast<float>(strength); }

    // Adds what the shapes say to the scores. A class with fewer directions than the others gets what they
    // get on average for those it lacks.
    void correct(MatrixView features, Matrix& scores) const;
    // The same for several strengths at once: one matrix of scores each.
    std::vector<Matrix> corrected(MatrixView features, const Matrix& scores,
                                  std::span<const double> strengths) const;

    // What `correct` adds: sums (directions x - offsets)^2, with k x d, 1 x k and classes x k numbers.
    void formula(Matrix& directions, Matrix& offsets, Matrix& sums) const;

    // What class covariances of each strength would add to the scores of these rows, which are in units of
    // the shared covariance: found without the row itself, by cross-validation within every class.
    static std::vector<Matrix> held_out_terms(MatrixView whitened, std::span<const std::int32_t> columns,
                                              std::size_t classes, std::size_t rank,
                                              std::span<const double> strengths);

    std::size_t bytes() const;
    void save(State& state) const;
    // Throws Error unless it has so many classes and features.
    static ClassCovariances load(const State& state, std::size_t classes, std::size_t width,
                                 std::size_t rank);

  private:
    // Without a metric the features are in units of the shared covariance already.
    void learn(std::size_t column, MatrixView features, const SharedCovariance* metric);
    // One direction: 8-bit quantized of its largest entry, which `scale` is 1/127 of.
    struct Direction {
        float scale = 0;
        float offset = 0;  // along the class's mean
        float own = 0;     // variance of the class's rows
        float shared = 0;  // that of the rows of all classes around their means
        float norm = 0;    // squared
    };
    struct Class {
        std::vector<Direction> directions;   // largest variance first
        std::vector<std::int8_t> quantized;  // directions x features
    };
    static void find_own(Class& c, MatrixView features);
    // Writes the class's directions as functions of the features; returns where they end.
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
