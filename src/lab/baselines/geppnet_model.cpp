#include "lab/baselines/geppnet_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/gemm.hpp"
#include "core/math/vectorizable.hpp"

namespace fearnet::lab {
namespace {

constexpr float kTiny = 1e-6f;            // keeps a normalized step finite when nothing responds
constexpr std::size_t kScaleRows = 2048;  // base rows from which kappa's unit is measured

Matrix with_columns(const Matrix& m, std::size_t cols) {
    Matrix wider(m.rows(), cols);
    for (std::size_t i = 0; i < m.rows(); ++i) std::copy_n(m.row(i), std::min(cols, m.cols()), wider.row(i));
    return wider;
}

double between(double first, double last, double share) {
    return first + (last - first) * share;
}
// Falls (or rises) by the same factor in every step.
double between_exponentially(double first, double last, double share) {
    constexpr double kFloor = 1e-3;
    return std::exp(between(std::log(std::max(first, kFloor)), std::log(std::max(last, kFloor)), share));
}

// Root mean squared distance between (some) rows and their best units.
double typical_distance(const SelfOrganizingMap& map, MatrixView x) {
    const std::size_t step = (x.rows + kScaleRows - 1) / kScaleRows;
    const MatrixView some(x.data, (x.rows + step - 1) / step, x.cols, x.stride * step);
    double sum = 0;
    for (std::size_t first = 0; first < some.rows; first += MapSteps::kRows) {
        const Matrix d =
            map.squared_distances(some.slice(first, std::min(MapSteps::kRows, some.rows - first)));
        for (std::size_t i = 0; i < d.rows(); ++i)
            sum += static_cast<double>(*std::min_element(d.row(i), d.row(i) + d.cols()));
    }
    const double mean = sum / static_cast<double>(some.rows);
    return mean > 0 ? std::sqrt(mean) : 1;  // every row coincides with a unit: any width will do
}

}  // namespace

void respond(std::span<const float> squared_distances, double kappa, const GeppNetActivationOptions& options,
             Responses& out) {
    const float nearest = *std::min_element(squared_distances.begin(), squared_distances.end());
    const double scale = 1 / (2 * kappa * kappa);
    const auto p = static_cast<float>(options.power * scale);
    const float best = math::exp(static_cast<float>(-scale) * nearest);
    // g / max(g) > theta, in terms of distances.
    const double most = options.threshold > 0 ? -std::log(options.threshold) / scale
                                              : std::numeric_limits<double>::infinity();
    const auto limit = static_cast<float>(most);
    out.units.clear();
    out.values.clear();
    for (std::size_t u = 0; u < squared_distances.size(); ++u) {
        const float further = squared_distances[u] - nearest;
        if (!(further < limit)) continue;
        out.units.push_back(static_cast<std::uint32_t>(u));
        out.values.push_back(further);
    }
    for (float& value : out.values) value = best * math::exp(-p * value);
}

float signed_margin(std::span<const float> scores, std::size_t truth) {
    float first = scores[0], second = scores.size() > 1 ? -std::numeric_limits<float>::infinity() : 0.0f;
    std::size_t best = 0;
    for (std::size_t c = 1; c < scores.size(); ++c) {
        if (scores[c] > first) {
            second = first, first = scores[c], best = c;
        } else {
            second = std::max(second, scores[c]);
        }
    }
    return best == truth ? first - second : second - first;
}

// Runs single-sample steps in blocks.
class GeppNetModel::Training {
  public:
    Training(GeppNetModel& model, const GeppNetOptions& options, const char* phase, std::size_t total,
             const Progress& progress)
        : model_(model),
          options_(options),
          phase_(phase),
          total_(total),
          progress_(progress),
          steps_(model.map_),
          block_(MapSteps::kRows, model.map_.width()),
          scores_(model.classes()) {}

    // Calls step(row in the block, its column, share of `iterations` done) for rows drawn by draw().
    template <class Draw, class Step>
    void run(std::size_t iterations, const Draw& draw, const Step& step) {
        std::vector<std::int32_t> columns(MapSteps::kRows);
        for (std::size_t first = 0; first < iterations; first += MapSteps::kRows) {
            const std::size_t rows = std::min(MapSteps::kRows, iterations - first);
            for (std::size_t i = 0; i < rows; ++i) {
                const auto [row, column] = draw();
                std::copy_n(row, block_.cols(), block_.row(i));
                columns[i] = column;
            }
            steps_.begin(block_.view().slice(0, rows));
            for (std::size_t i = 0; i < rows; ++i)
                step(i, static_cast<std::size_t>(columns[i]),
                     static_cast<double>(first + i) / static_cast<double>(iterations));
            steps_.finish();
            done_ += rows;
            report(progress_, {phase_, done_, total_}, "GeppNet::learn");
        }
    }

    void move_map(std::size_t row, double done) {
        const GeppNetMapOptions& m = options_.map;
        steps_.squared_distances(row);
        // In steps of one percent, since every change of the radius recomputes the neighborhood.
        const double percent = std::floor(100 * done) / 100;
        steps_.move(row, between_exponentially(m.start_rate, m.rate, percent),
                    between_exponentially(m.start_radius * static_cast<double>(m.side), m.radius, percent));
    }

    // Trains the read-out; returns the signed margin before the step.
    float fit_readout(std::size_t row, std::size_t column, double done) {
        respond(steps_.squared_distances(row), static_cast<double>(model_.kappa_), options_.activation,
                responses_);
        std::fill(scores_.begin(), scores_.end(), 0.0f);
        float square = 0;
        for (std::size_t i = 0; i < responses_.units.size(); ++i) {
            const float z = responses_.values[i], *weights = model_.readout_.row(responses_.units[i]);
            square += z * z;
            for (std::size_t c = 0; c < scores_.size(); ++c) scores_[c] += z * weights[c];
        }
        const float margin = signed_margin(scores_, column);
        double rate = between(options_.readout.rate, options_.readout.end_rate, done);
        if (options_.readout.normalized) rate /= static_cast<double>(square + kTiny);
        for (float& s : scores_) s *= static_cast<float>(-rate);
        scores_[column] += static_cast<float>(rate);
        for (std::size_t i = 0; i < responses_.units.size(); ++i) {
            const float z = responses_.values[i];
            float* weights = model_.readout_.row(responses_.units[i]);
            for (std::size_t c = 0; c < scores_.size(); ++c) weights[c] += z * scores_[c];
        }
        return margin;
    }

    void learn_novel(std::size_t row, std::size_t column, double done) {
        const float margin = fit_readout(row, column, done);
        if (static_cast<double>(margin) <= options_.incremental.novelty_threshold)
            steps_.move(row, options_.map.rate, options_.map.radius);
    }

  private:
    GeppNetModel& model_;
    const GeppNetOptions& options_;
    const char* phase_;
    std::size_t total_, done_ = 0;
    const Progress& progress_;
    MapSteps steps_;
    Matrix block_;
    std::vector<float> scores_;
    Responses responses_;
};

GeppNetModel::GeppNetModel(const GeppNetOptions& options, const ColumnRows& base, std::size_t classes,
                           const Rng& rng, const Progress& progress) {
    Rng initial = rng.fork(1), draws = rng.fork(2);
    map_ = SelfOrganizingMap(static_cast<std::size_t>(options.map.side), base.x, initial);
    readout_ = Matrix(map_.units(), classes);
    const auto draw = [&] {
        const std::size_t i = draws.below(base.x.rows);
        return std::pair(base.x.row(i), base.columns[i]);
    };
    const auto map_steps = static_cast<std::size_t>(options.map.base_iterations);
    const auto readout_steps = static_cast<std::size_t>(options.readout.base_iterations);
    report(progress, {"base", 0, map_steps + readout_steps}, "GeppNet::learn");
    Training training(*this, options, "base", map_steps + readout_steps, progress);
    training.run(map_steps, draw,
                 [&](std::size_t row, std::size_t, double done) { training.move_map(row, done); });
    kappa_ = static_cast<float>(options.activation.kappa * typical_distance(map_, base.x));
    training.run(readout_steps, draw, [&](std::size_t row, std::size_t column, double done) {
        training.fit_readout(row, column, done);
    });
}

void GeppNetModel::train(const GeppNetOptions& options, const ColumnRows& known, const ColumnRows& fresh,
                         std::size_t classes, std::size_t iterations, Rng rng, const Progress& progress) {
    readout_ = with_columns(readout_, classes);
    const double share =
        std::max(options.incremental.new_share,
                 static_cast<double>(fresh.x.rows) / static_cast<double>(known.x.rows + fresh.x.rows));
    const auto draw = [&] {
        const bool drawn_fresh = known.x.rows == 0 || rng.uniform() < share;
        const ColumnRows& from = drawn_fresh ? fresh : known;
        const std::size_t i = rng.below(from.x.rows);
        return std::pair(from.x.row(i), from.columns[i]);
    };
    report(progress, {"replay", 0, iterations}, "GeppNet::learn");
    Training training(*this, options, "replay", iterations, progress);
    training.run(iterations, draw, [&](std::size_t row, std::size_t column, double done) {
        training.learn_novel(row, column, done);
    });
}

Matrix GeppNetModel::scores(MatrixView x, const GeppNetActivationOptions& options) const {
    Matrix z = map_.squared_distances(x);
    Responses responses;
    for (std::size_t i = 0; i < z.rows(); ++i) {
        respond({z.row(i), z.cols()}, static_cast<double>(kappa_), options, responses);
        std::fill_n(z.row(i), z.cols(), 0.0f);
        for (std::size_t r = 0; r < responses.units.size(); ++r)
            z(i, responses.units[r]) = responses.values[r];
    }
    Matrix result(x.rows, classes());
    math::gemm(math::Op::none, z, math::Op::none, readout_, result);
    return result;
}

void GeppNetModel::save(State& state) const {
    map_.save(state, "map");
    state.set("readout", readout_, ArrayKind::networks);
    state.set("kappa", static_cast<double>(kappa_));
}

GeppNetModel GeppNetModel::load(const State& state, const GeppNetOptions& options, std::size_t width) {
    GeppNetModel model;
    model.map_ = SelfOrganizingMap::load(state, "map", static_cast<std::size_t>(options.map.side), width);
    model.readout_ = state.matrix("readout");
    if (model.readout_.rows() != model.map_.units())
        throw Error("State: 'readout' has " + std::to_string(model.readout_.rows()) + " rows but the map " +
                    std::to_string(model.map_.units()) + " units");
    model.kappa_ = static_cast<float>(state.number("kappa"));
    if (!(model.kappa_ > 0))
        throw Error("State: 'kappa' is " + std::to_string(model.kappa_) + " but must be above 0");
    return model;
}

}  // namespace fearnet::lab
