// How familiar rows look to a learner with a linear read-out of distances to class means.
#pragma once

#include "core/learners/kit/best_scores.hpp"
#include "core/learners/kit/evidence.hpp"
#include "core/learners/kit/far_rows.hpp"
#include "core/learners/kit/left_out_sketches.hpp"

namespace fearnet {

// Familiarity and class p-values (Learner::familiarity, Learner::class_p_values) by the evidence for the
// classes and by the distance of rows. The distance is that of FarRows if the learner has a covariance, and
// that to the nearest class mean otherwise.
class ReadoutFamiliarity {
  public:
    explicit ReadoutFamiliarity(bool with_covariance)
        : with_covariance_(with_covariance), sketches_(with_covariance ? FarRows::kWays : 1) {}

    // A session that is in the model already, and the rows of it that are asked.
    struct Session {
        const LinearReadout& readout;
        const Matrix& means;          // whose distances the read-out compares
        const ClassMoments& moments;  // its counts and, if there is a covariance, its scatter
        MatrixView x;                 // the asked rows
        MatrixView residuals;         // of the asked rows, as Evidence::Rows has them
        std::span<const std::int32_t> columns;
    };
    // With a covariance: `solved` is its inverse times the residuals, `variance` that of rows along the
    // means.
    void learn(const Session& session, MatrixView solved, double variance);
    // Without: the unit of the scores is the variance of the residuals along the class means so far.
    void learn(const Session& session);

    // Removes a class that the read-out and the means do not have any more; later columns moved down by one.
    void drop(std::size_t column, const LinearReadout& readout, const Matrix& means);

    bool ready() const { return sketches_.ready(); }
    // From the scores of the read-out; `x` are the rows. Empty before a row was asked.
    std::vector<double> familiarity(const Matrix& scores, MatrixView x) const;
    // Rows x classes; nothing before a row was asked.
    Matrix class_p_values(const Matrix& scores) const;

    std::size_t bytes() const {
        return ready() ? evidence_.bytes() + far_.bytes() + sketches_.bytes() + best_.bytes() : 0;
    }
    // The names begin with "open.".
    void save(State& state) const;
    // The read-out and the means are those of the restored model. Nothing was asked if the state has nothing.
    void load(const State& state, const LinearReadout& readout, const Matrix& means);

  private:
    // `in_axes`: whether the rows are among those of `far_`.
    void add(const Session& session, MatrixView solved, double in_covariance, bool in_axes);
    std::vector<double> nearness(const Matrix& scores, MatrixView x) const;
    void fit_evidence(const LinearReadout& readout, const Matrix& means);

    bool with_covariance_;
    Evidence evidence_;  // empty before there are two classes
    FarRows far_;
    LeftOutSketches sketches_;
    BestScores best_;                   // evidence
    double variance_ = 0;               // of rows along the class means; 0: not known
    double asked_ = 0, axes_rows_ = 0;  // rows that variance_ is made of, and the axes
};

}  // namespace fearnet
