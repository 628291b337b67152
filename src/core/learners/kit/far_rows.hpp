// Rows that are unlike anything, whichever classes they resemble.
#pragma once

#include <span>
#include <vector>

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {

// How far rows are from the center of the class means, in units of the covariance within classes plus its
// mean diagonal as a ridge, and how much they vary along its kAxes principal axes: noise varies too little
// there. Along all other directions the covariance is taken as its mean there.
class FarRows {
  public:
    static constexpr std::size_t kAxes = 16;
    static constexpr std::size_t kWays = 2;

    FarRows() = default;
    // The axes of this scatter, of which the lower triangle is read. An axis needs several rows.
    explicit FarRows(const ClassMoments& moments);

    bool empty() const { return axes_.empty(); }
    std::size_t width() const { return axes_.cols(); }
    // By way and row: nearness and variation, both relative to those expected of rows of the classes, in
    // logarithms, and higher for familiar rows.
    std::vector<std::vector<double>> operator()(MatrixView x) const;

    // What FarRows(moments) would say of rows that the moments have, by class, if they did not have them: of
    // a fifth of the rows at a time. Each class has two rows or more. Of many rows, each hardly matters to
    // the axes, and FarRows(moments) says it.
    static std::vector<std::vector<double>> left_out(const ClassMoments& moments, MatrixView x,
                                                     std::span<const std::int32_t> columns);

    std::size_t bytes() const { return axes_.bytes() + (along_.size() + at_center_.size()) * sizeof(float); }
    // The names begin with "open.".
    void save(State& state) const;
    static FarRows load(const State& state, std::size_t width);

  private:
    void find_center();

    Matrix axes_;                   // of length one, and the center as the last row
    std::vector<float> along_;      // weights of the squares along the axes, then of all other directions
    std::vector<float> at_center_;  // products of the rows of axes_ with the center
    double expected_distance_ = 1, expected_variation_ = 1;
};

}  // namespace fearnet
