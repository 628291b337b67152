// A self-organizing map (Kohonen) of N x N prototypes, trained by single samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/state.hpp"

namespace fearnet::lab {

// How far units move with the best one: e^(-d^2 / 2 radius^2), d being their distance on the map; zero where
// that is negligible. Radius 0: only the best unit moves.
float neighborhood(std::size_t column_steps, std::size_t row_steps, double radius);

class SelfOrganizingMap {
  public:
    SelfOrganizingMap() = default;
    // Prototypes start as randomly drawn rows. `rows` has at least one.
    SelfOrganizingMap(std::size_t side, MatrixView rows, Rng& rng);

    std::size_t side() const { return side_; }
    std::size_t units() const { return prototypes_.rows(); }
    std::size_t width() const { return prototypes_.cols(); }
    const Matrix& prototypes() const { return prototypes_; }
    std::size_t bytes() const { return prototypes_.bytes() + norms_.size() * sizeof(float); }

    // n x units: |x_i - w_u|^2.
    Matrix squared_distances(MatrixView x) const;
    // One sample by plain loops: w_u += rate * neighborhood * (x - w_u), around the unit nearest to x. For
    // tests.
    void move_reference(const float* x, double rate, double radius);

    void save(State& state, const std::string& prefix) const;
    static SelfOrganizingMap load(const State& state, const std::string& prefix, std::size_t side,
                                  std::size_t width);

  private:
    friend class MapSteps;
    std::size_t side_ = 0;
    Matrix prototypes_;         // units x width
    std::vector<float> norms_;  // |w_u|^2
};

// Single-sample steps, a block of rows at a time, without a pass over the map for each.
//
// A prototype is always a combination of where it stood before the block and of the block's rows, so its
// product with any of these rows follows from products taken once, at matrix speed:
//     (w + a (x - w)) . y  =  (1 - a) w . y  +  a x . y
// and the prototypes themselves are computed at the end of the block. The result equals that of single steps
// up to rounding.
class MapSteps {
  public:
    static constexpr std::size_t kRows = 128;

    explicit MapSteps(SelfOrganizingMap& map);

    // At most kRows rows, which must stay until `finish`.
    void begin(MatrixView rows);
    // |x_row - w_u|^2 for every unit, with all moves so far. Valid until the next call.
    std::span<const float> squared_distances(std::size_t row);
    // Moves the units around the one nearest to `row`; the last call of squared_distances must be for this
    // row. Earlier rows cannot be used any more.
    void move(std::size_t row, double rate, double radius);
    void finish();

  private:
    void move_unit(std::size_t unit, std::size_t row, float share);
    void prepare_neighborhood(double radius);

    SelfOrganizingMap& map_;
    MatrixView rows_;
    Matrix products_;          // units x rows: w_u . x_j
    Matrix gram_;              // rows x rows: x_i . x_j
    Matrix coefficients_;      // units x rows: the share of each row in a moved unit
    std::vector<float> kept_;  // the share of its old place in a moved unit
    std::vector<char> moved_;
    std::vector<float> distances_;
    Matrix moved_coefficients_, sums_;
    double radius_ = -1;
    std::size_t reach_ = 0;            // steps on the map beyond which nothing moves
    std::vector<float> neighborhood_;  // (reach + 1)^2
};

}  // namespace fearnet::lab
