// The model of FearNetPlus: everything but the recent rows.
#pragma once

#include <functional>
#include <set>

#include "core/learners/plus/calibration.hpp"
#include "core/learners/plus/class_covariances.hpp"
#include "core/learners/plus/familiarity.hpp"
#include "core/learners/plus/feature_map.hpp"
#include "core/learners/plus/linear_discriminant.hpp"
#include "core/learners/plus/packed_symmetric.hpp"
#include "core/learners/plus/selection.hpp"
#include "fearnet/learner.hpp"

namespace fearnet {

// Rows with the columns of their classes.
struct PlusRows {
    MatrixView x;
    std::span<const std::int32_t> columns;
};

// The scores as matrix products, for export:
//     scores(x) = weights f + bias + sums (directions f - offsets)^2
//     f = y - center, or mean(max(0, random (y - given_center) + random_bias)) - center;   y = x or its roots
// with the mean over the frames of a row. The softmax of these scores are the probabilities.
struct PlusFormula {
    bool root = false;
    // Empty without random features:
    Matrix given_center, random, random_bias;  // 1 x frame width, d x frame width, 1 x d
    std::size_t frames = 1;                    // of a row
    Matrix center;                             // 1 x d
    Matrix weights, bias;                      // classes x d, 1 x classes
    Matrix directions, offsets, sums;          // k x d, 1 x k, classes x k; k may be 0
    float exponent = 0, margin = 1;            // of the Calibration; its temperature is 1
};

// Called with the number of steps done.
using PlusSteps = std::function<void(std::size_t)>;

class PlusModel {
  public:
    PlusModel() = default;

    // The base session seen through `map`, up to the choice of the settings by the answers to `asked`, which
    // begins with the ridges `first` and leaves the best ones there. The model cannot answer before finish().
    static PlusModel base(const PlusOptions& options, FeatureMap map, const PlusRows& rows,
                          std::size_t classes, const AskedRows& asked, FirstRidges& first,
                          const PlusShare& share);
    const PlusSettings& settings() const { return settings_; }
    // The leave-one-out answers of the settings it chose; empty when no row was asked.
    const Answers& answers() const { return answers_; }
    void finish(const PlusRows& rows, const AskedRows& asked);
    // The model after one more session: adds the rows to the statistics and fits the new classes'
    // covariances.
    PlusModel taught(const PlusRows& rows, std::size_t classes, const PlusSteps& steps) const;
    static constexpr std::size_t kLearnSteps = 3;
    // Fits the covariances of the classes of `fresh`, all of whose rows are there, in units of the present
    // shared covariance. If there are more of them than classes at the last choice of the settings, chooses
    // them again by the recent rows.
    void sleep(const PlusRows& recent, const std::set<std::int32_t>& fresh, const PlusShare& share);

    // The share of rows of each class that will be classified correctly; negative if that is not known yet.
    // `recent` are the rows since the last sleep, which are part of the model.
    std::vector<double> expected_accuracy(const PlusRows& recent) const;

    // Removes axes of class covariances until the model fits into this many bytes, or no axis is left.
    void fit_into(std::size_t bytes);
    void drop(std::size_t column);
    Matrix scores(MatrixView x) const;
    // The scores, and how familiar the rows look: see Familiarity. Empty before rows were asked.
    ScoredRows scored(MatrixView x) const;
    // rows x classes; without columns before rows were asked.
    Matrix class_p_values(MatrixView x) const;
    // Of the scores.
    const Calibration& calibration() const { return calibration_; }
    // Rows, or the class means, less the center of the class means, in units of the shared covariance.
    Matrix whitened_rows(MatrixView x) const { return in_units_of_covariance(map_(x)); }
    Matrix whitened_means() const { return in_units_of_covariance(moments_.means); }
    PlusFormula formula() const;
    const std::vector<std::int64_t>& counts() const { return moments_.counts; }
    const FeatureMap& map() const { return map_; }
    // The statistics with the scatter.
    ClassMoments moments() const;
    // The chosen ridge; what a covariance is off by falls with the root of its rows, and so does the ridge.
    double ridge() const;
    std::size_t random_features() const { return map_.is_random() ? map_.outputs() : 0; }
    std::size_t piece() const { return map_.piece(); }
    // The memory of this many classes without any axis, which is the minimum. `piece` is the width of a row,
    // or of a frame.
    static std::size_t least_bytes(std::size_t classes, std::size_t inputs, std::size_t piece,
                                   std::size_t random);
    std::size_t bytes() const { return statistics_bytes() + readout_bytes(); }
    std::size_t statistics_bytes() const;
    std::size_t readout_bytes() const { return readout_.bytes(); }

    void save(State& state) const;
    // Throws Error unless the state has this many classes and takes rows of this width.
    static PlusModel load(const State& state, const PlusOptions& options, std::size_t classes,
                          std::size_t width);

  private:
    PlusModel(const PlusOptions& options, FeatureMap map);
    // Adds rows to the statistics. Returns their features, or nothing if they came in several portions.
    Matrix count(const PlusRows& rows, std::size_t classes);
    // Chooses the settings by the leave-one-out accuracy on these features, and the temperature.
    void select(const Matrix& features, const AskedRows& asked, FirstRidges& first, const PlusShare& share);
    // Fits the axes of the classes that have some of these rows.
    void fit_axes(const PlusRows& rows, std::span<const std::size_t> which,
                  const SharedCovariance& covariance);
    void refit(const LinearDiscriminant& discriminant, const SharedCovariance& covariance);
    double variance_along_means(const LinearDiscriminant& discriminant,
                                const SharedCovariance& covariance) const;
    Matrix scores_of(MatrixView features) const;
    Matrix in_units_of_covariance(const Matrix& features) const;
    // Leave-one-out scores of rows that are part of the model. The axes of a row's own class are fitted
    // without a fifth of its rows.
    struct HeldOut {
        Matrix features;
        DiscriminantScores split;
        Matrix terms;  // of class covariances; empty without them
        // The scores of the classifier.
        Matrix scores() const;
    };
    // `white` are the features less the center in units of the shared covariance.
    HeldOut held_out(Matrix features, const Matrix& white, const AskedRows& asked,
                     const LinearDiscriminant& discriminant) const;
    HeldOut held_out(const PlusRows& rows, const AskedRows& asked, const LinearDiscriminant& discriminant,
                     const SharedCovariance& covariance) const;
    // From the scores of the classifier.
    Matrix probabilities(Matrix scores) const;
    // Adds rows of the model, with their leave-one-out scores, to the sketches of `open_`. `far` as in
    // Familiarity::LeftOut.
    void sketch(MatrixView x, const HeldOut& held, const AskedRows& asked, const ClassMoments* far);
    // Fits the spreads of the classes that were asked.
    void fit_spreads(const Answers& answers, const AskedRows& asked);

    FeatureMap map_;
    ClassMoments moments_;     // without the scatter, which is
    PackedSymmetric scatter_;  // packed
    LinearReadout readout_;
    ClassCovariances covariances_;
    PlusOptions options_;
    PlusSettings settings_;
    double chosen_rows_ = 0;       // rows that the settings were chosen with; 0: not chosen yet
    std::size_t chosen_with_ = 0;  // and classes
    Calibration calibration_;      // of scores
    Familiarity open_;
    Answers answers_;             // until finish()
    std::vector<float> spreads_;  // of each class, see PseudoRows; 0: not known yet
};

}  // namespace fearnet
