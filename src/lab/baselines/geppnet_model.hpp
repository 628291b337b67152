// The model of GeppNet and GeppNet+STM: a self-organizing map and a linear read-out of its units' responses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/state.hpp"
#include "lab/baselines/geppnet_options.hpp"
#include "lab/baselines/self_organizing_map.hpp"

namespace fearnet::lab {

// Rows with the column of their class.
struct ColumnRows {
    MatrixView x;
    std::span<const std::int32_t> columns;
};

// From the squared distances of a row to all units, the units that respond and how strongly:
//     g_u = e^(-d_u^2 / 2 kappa^2),  z_u = g_u^p / max(g)^(p-1),  silent where g_u / max(g) <= theta.
struct Responses {
    std::vector<std::uint32_t> units;
    std::vector<float> values;
};
void respond(std::span<const float> squared_distances, double kappa, const GeppNetActivationOptions& options,
             Responses& out);

// Best score minus the second best, negated if the best class is not `truth`.
// With one score the second best is 0.
float signed_margin(std::span<const float> scores, std::size_t truth);

class GeppNetModel {
  public:
    GeppNetModel() = default;
    // Trains a new map on the rows, then a new read-out. Throws Cancelled.
    GeppNetModel(const GeppNetOptions& options, const ColumnRows& base, std::size_t classes, const Rng& rng,
                 const Progress& progress);
    // `iterations` single-sample steps of the read-out on new and known rows; novel rows also move the map.
    // If it throws Cancelled, the model must be discarded.
    void train(const GeppNetOptions& options, const ColumnRows& known, const ColumnRows& fresh,
               std::size_t classes, std::size_t iterations, Rng rng, const Progress& progress);

    // n x classes().
    Matrix scores(MatrixView x, const GeppNetActivationOptions& options) const;
    std::size_t classes() const { return readout_.cols(); }
    const SelfOrganizingMap& map() const { return map_; }
    std::size_t bytes() const { return map_.bytes() + readout_.bytes() + sizeof(kappa_); }

    void save(State& state) const;
    static GeppNetModel load(const State& state, const GeppNetOptions& options, std::size_t width);

  private:
    class Training;
    SelfOrganizingMap map_;
    Matrix readout_;  // units x classes
    float kappa_ = 1;
};

}  // namespace fearnet::lab
