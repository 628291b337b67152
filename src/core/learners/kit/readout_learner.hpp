// What streaming LDA, ridge and RanPAC share: rows are mapped, counted into class moments, and a linear
// read-out is solved from these after every session. Its strength of regularization is set, or chosen once,
// in the base session, on every fifth of its rows.
#pragma once

#include "core/base/gather_rows.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/learners/kit/linear_readout.hpp"
#include "core/learners/kit/positive_number.hpp"
#include "core/learners/kit/readout_familiarity.hpp"
#include "core/learners/kit/softmax_temperature.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet {

template <class Derived, class OptionsType>
class ReadoutLearner : public ScoringLearner<Derived, OptionsType> {
    using Base = ScoringLearner<Derived, OptionsType>;

  public:
    MemoryUse memory() const override {
        return {{"statistics", moments_.bytes() + open_.bytes()}, {"readout", readout_.bytes()}};
    }

  protected:
    using Base::Base;

    // What the learner does to a row before anything else.
    virtual Matrix map(MatrixView x) const = 0;
    virtual LinearReadout solve(const ClassMoments& moments, double strength) const = 0;
    // The same read-out, with the scores of rows that are in the moments as if each were not. Unless told
    // otherwise without scores: they are logarithms of probabilities already.
    virtual LeftOut solve_left_out(const ClassMoments& moments, double strength,
                                   const RowSample& rows) const {
        (void)rows;
        return {solve(moments, strength), {}};
    }
    // Whether the learner estimates familiarity; solve is then lda_readout.
    virtual bool estimates_familiarity() const { return false; }
    // The option's value; 0: choose among `candidates`.
    virtual double strength_option() const = 0;
    // Ascending; the middle one is taken where a session is too small to hold rows out.
    virtual std::vector<double> candidates() const = 0;
    virtual void prepare(std::size_t width) { (void)width; }

    // What was chosen; 0 before the base session.
    double strength() const { return strength_; }
    const ClassMoments& moments() const { return moments_; }

    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override {
        prepare(x.cols);
        Work work{x, columns, classes, progress, 0, x.rows + 1};
        ClassMoments moments = moments_;
        double strength = strength_;
        if (this->first_session() && strength_option() > 0) strength = strength_option();
        if (strength > 0) {
            std::vector<std::size_t> all(x.rows);
            for (std::size_t i = 0; i < x.rows; ++i) all[i] = i;
            add(work, all, moments);
        } else {
            const HeldOutSplit split = hold_out(columns, classes);
            add(work, split.fit, moments);
            strength = choose(work, split.held, moments);
            add(work, split.held, moments);
        }
        const RowSample rows(x, columns, moments.counts);
        ReadoutFamiliarity open = open_;
        LeftOut solved = estimates_familiarity()
                             ? LeftOut{solve_and_ask(x, columns, moments, strength, open), {}}
                             : solve_left_out(moments, strength, rows);
        SoftmaxTemperature fit = temperature_fit_;
        const double unit = score_unit(solved.readout, moments);
        fit.add(solved.scores, rows.columns, unit);
        step(work, 1);
        open_ = std::move(open);
        moments_ = std::move(moments);
        readout_ = std::move(solved.readout);
        strength_ = strength;
        temperature_fit_ = fit;
        temperature_ = fit.value(unit);
    }
    double temperature() const override { return temperature_; }
    Matrix scores(MatrixView x) const override { return readout_.scores(map(x)); }
    std::vector<double> do_familiarity(MatrixView x) const override { return do_scored(x).familiarity; }
    ScoredRows do_scored(MatrixView x) const override {
        const Matrix mapped = map(x);
        Matrix scores = readout_.scores(mapped);
        std::vector<double> familiarity = open_.familiarity(scores, mapped);
        return {this->in_class_order(std::move(scores)), std::move(familiarity)};
    }
    Matrix do_class_p_values(MatrixView x) const override {
        return open_.ready() ? this->in_class_order(open_.class_p_values(scores(x))) : Matrix();
    }

    void save_model(State& state) const override {
        moments_.save(state);
        state.set("strength", strength_);
        open_.save(state);
        temperature_fit_.save(state);
    }
    void load_model(const State& state) override {
        const double strength = positive_number(state, "strength");
        moments_ = ClassMoments::load(state, this->class_count(), mapped_width(), true);
        readout_ = solve(moments_, strength);
        strength_ = strength;
        temperature_fit_ = SoftmaxTemperature::load(state);
        temperature_ = temperature_fit_.value(score_unit(readout_, moments_));
        if (estimates_familiarity()) open_.load(state, readout_, moments_.means);
        prepare(this->width());  // last: what it makes is as large as sizes that are checked only now
    }
    virtual std::size_t mapped_width() const { return this->width(); }

  private:
    struct Work {
        MatrixView x;
        std::span<const std::int32_t> columns;
        std::size_t classes;
        const Progress& progress;
        std::size_t done, total;
    };
    // Wide maps make a session's rows large: so many at once.
    static constexpr std::size_t kPortion = 4096;

    static void step(Work& work, std::size_t rows) {
        report(work.progress, {"learn", work.done += rows, work.total}, "learn");
    }

    LinearReadout solve_and_ask(MatrixView x, std::span<const std::int32_t> columns,
                                const ClassMoments& moments, double strength,
                                ReadoutFamiliarity& open) const {
        const LeftOutSample sample(columns, moments.counts);
        Matrix asked(0, x.cols);
        gather_rows(x, sample.rows, asked);
        if (!sample.rows.empty()) asked = map(asked);
        Matrix residuals(sample.rows.size(), moments.width());
        for (std::size_t i = 0; i < residuals.rows(); ++i) {
            const float* mean = moments.means.row(static_cast<std::size_t>(sample.columns[i]));
            for (std::size_t j = 0; j < residuals.cols(); ++j) residuals(i, j) = asked(i, j) - mean[j];
        }
        Matrix solved = residuals;
        LdaSolution solution = lda_solution(moments, strength, solved);
        open.learn({solution.readout, moments.means, moments, asked, residuals, sample.columns}, solved,
                   solution.variance);
        return std::move(solution.readout);
    }

    // Calls use(mapped rows, their classes) in portions.
    template <class Use>
    void in_portions(const Work& work, std::span<const std::size_t> rows, const Use& use) const {
        Matrix portion;
        std::vector<std::int32_t> labels;
        for (std::size_t first = 0; first < rows.size(); first += kPortion) {
            const std::span<const std::size_t> part =
                rows.subspan(first, std::min(kPortion, rows.size() - first));
            portion.resize(part.size(), work.x.cols);
            labels.clear();
            for (std::size_t i = 0; i < part.size(); ++i) {
                std::copy_n(work.x.row(part[i]), work.x.cols, portion.row(i));
                labels.push_back(work.columns[part[i]]);
            }
            use(map(portion), labels);
        }
    }

    void add(Work& work, std::span<const std::size_t> rows, ClassMoments& moments) const {
        in_portions(work, rows, [&](const Matrix& mapped, std::span<const std::int32_t> labels) {
            step(work, labels.size());
            moments.add(mapped, labels, work.classes, true);
        });
    }

    // The candidate that is right most often on the rows held out; of equals the strongest.
    double choose(const Work& work, std::span<const std::size_t> held, const ClassMoments& moments) const {
        const std::vector<double> strengths = candidates();
        if (held.empty()) return strengths[strengths.size() / 2];
        std::vector<LinearReadout> readouts;
        for (const double s : strengths) {
            report(work.progress, {"learn", work.done, work.total}, "learn");
            try {
                readouts.push_back(solve(moments, s));
            } catch (const Error&) {  // too weak for this matrix: never chosen
                readouts.emplace_back();
            }
        }
        std::vector<ClassAccuracy> accuracy(strengths.size(), ClassAccuracy(work.classes));
        in_portions(work, held, [&](const Matrix& mapped, std::span<const std::int32_t> labels) {
            for (std::size_t k = 0; k < readouts.size(); ++k)
                if (!readouts[k].weights.empty()) accuracy[k].add(readouts[k].scores(mapped), labels);
        });
        std::size_t best = 0;
        for (std::size_t k = 1; k < strengths.size(); ++k)
            if (accuracy[k].mean() >= accuracy[best].mean()) best = k;
        return strengths[best];
    }

    ClassMoments moments_;
    LinearReadout readout_;  // solved from the moments
    ReadoutFamiliarity open_{true};
    double strength_ = 0;
    SoftmaxTemperature temperature_fit_;
    double temperature_ = 1;  // by the fit, at the scale of the read-out's scores
};

}  // namespace fearnet
