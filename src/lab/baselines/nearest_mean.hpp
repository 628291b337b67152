// Nearest class mean: a running mean per class, nothing else.
#pragma once

#include "core/base/gather_rows.hpp"
#include "core/learners/kit/linear_readout.hpp"
#include "core/learners/kit/readout_familiarity.hpp"
#include "core/learners/kit/softmax_temperature.hpp"
#include "core/math/distances.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet::lab {

struct NearestMeanOptions {
    bool unit_length = false;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("mean.unit_length", unit_length,
                 "Scales every class mean to unit length. For rows of unit length this is the nearest mean "
                 "by angle.");
    }
};

// Predicts the class with the nearest mean (Euclidean); of equals the one with the smallest id.
class NearestMean final : public ScoringLearner<NearestMean, NearestMeanOptions> {
  public:
    explicit NearestMean(const NearestMeanOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "nearest-mean"; }
    MemoryUse memory() const override {
        return {{"statistics", moments_.bytes() + open_.bytes()}, {"readout", readout_.bytes()}};
    }

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override {
        ClassMoments moments = moments_;
        moments.add(x, columns, classes, false);
        LinearReadout readout = nearest_mean_readout(moments, settings().unit_length);
        const RowSample rows(x, columns, moments.counts);
        SoftmaxTemperature fit = temperature_fit_;
        const double unit = score_unit(readout, moments);
        if (!rows.columns.empty())
            fit.add(nearest_mean_left_out(moments, settings().unit_length, readout, rows.x, rows.columns),
                    rows.columns, unit);
        ReadoutFamiliarity open = open_;
        ask(x, columns, moments, readout, open);
        report(progress, {"learn", 1, 1}, "learn");
        open_ = std::move(open);
        moments_ = std::move(moments);
        readout_ = std::move(readout);
        temperature_fit_ = fit;
        temperature_ = fit.value(unit);
    }
    Matrix scores(MatrixView x) const override { return readout_.scores(x); }
    double temperature() const override { return temperature_; }
    std::vector<double> do_familiarity(MatrixView x) const override {
        return open_.ready() ? open_.familiarity(readout_.scores(x), x) : std::vector<double>();
    }
    ScoredRows do_scored(MatrixView x) const override {
        Matrix scores = readout_.scores(x);
        std::vector<double> familiarity = open_.familiarity(scores, x);
        return {in_class_order(std::move(scores)), std::move(familiarity)};
    }
    Matrix do_class_p_values(MatrixView x) const override {
        return open_.ready() ? in_class_order(open_.class_p_values(readout_.scores(x))) : Matrix();
    }
    void save_model(State& state) const override {
        moments_.save(state);
        open_.save(state);
        temperature_fit_.save(state);
    }
    void load_model(const State& state) override {
        moments_ = ClassMoments::load(state, class_count(), width(), false);
        readout_ = nearest_mean_readout(moments_, settings().unit_length);
        temperature_fit_ = SoftmaxTemperature::load(state);
        temperature_ = temperature_fit_.value(score_unit(readout_, moments_));
        open_.load(state, readout_, readout_.weights);
    }

  private:
    // A residual is that of the row in the scale of the mean that the read-out compares.
    void ask(MatrixView x, std::span<const std::int32_t> columns, const ClassMoments& moments,
             const LinearReadout& readout, ReadoutFamiliarity& open) const {
        const LeftOutSample sample(columns, moments.counts);
        Matrix asked(0, x.cols);
        gather_rows(x, sample.rows, asked);
        Matrix residuals = asked;
        for (std::size_t i = 0; i < residuals.rows(); ++i) {
            const auto c = static_cast<std::size_t>(sample.columns[i]);
            const float length = std::sqrt(math::squared_norm(moments.means.row(c), x.cols));
            const float scale = settings().unit_length && length > 0 ? 1 / length : 1;
            for (std::size_t j = 0; j < x.cols; ++j)
                residuals(i, j) = scale * asked(i, j) - readout.weights(c, j);
        }
        open.learn({readout, readout.weights, moments, asked, residuals, sample.columns});
    }

    ClassMoments moments_;
    LinearReadout readout_;
    ReadoutFamiliarity open_{false};
    SoftmaxTemperature temperature_fit_;
    double temperature_ = 1;  // by the fit, at the scale of the read-out's scores
};

}  // namespace fearnet::lab
