// How sure scores are: the temperature of their softmax, fitted as sessions come.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// The temperature t at which softmax(scores / t) gives the classes of rows the largest likelihood. The rows
// are training rows that were scored as if they had not been taught. They are gone after their session, so
// what is kept is their summed loss at each of a fixed grid of temperatures, to which the next session adds.
class SoftmaxTemperature {
  public:
    // Scores of at most this many rows are worth computing in a session.
    static constexpr std::size_t kMostRows = 500;

    // `columns` are the classes of the rows. `unit` is the scale of the scores: a positive number that is
    // twice as large when all scores are.
    void add(MatrixView scores, std::span<const std::int32_t> columns, double unit);
    // For scores of this scale; 1 before any row was added.
    double value(double unit) const;

    void save(State& state) const;
    // As before any row was added if the state has none. Throws Error when it is damaged.
    static SoftmaxTemperature load(const State& state);

  private:
    // Temperatures from 10^-4 to 10^4 units, four to a factor of ten.
    static constexpr int kDecades = 4, kPerDecade = 4;
    static constexpr std::size_t kGrid = 2 * kDecades * kPerDecade + 1;
    double loss(std::size_t k) const;

    double rows_ = 0;
    double own_ = 0,
           other_ = 0;  // how far the row's own score, and a usual other one, are below the best: sums
    std::array<double, kGrid> log_sums_{};  // of log sum_c exp((score_c - best) / t)
};

// Rows of a session to fit a temperature to: those of classes with another row, at most kMostRows, evenly
// spread.
struct RowSample {
    // `counts` are the rows of each class, the current rows included.
    RowSample(MatrixView rows, std::span<const std::int32_t> row_columns,
              std::span<const std::int64_t> counts);
    Matrix x;
    std::vector<std::int32_t> columns;
};

}  // namespace fearnet
