#include "lab/open_world/open_world_test_set.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "lab/open_world/far_rows.hpp"

namespace fearnet::lab {
namespace {

// Streams of the generator.
enum Stream : std::uint64_t { kNoise = 1, kUniform, kOther, kReferences };

Matrix questions(MatrixView test, const Matrix& noise, const Matrix& uniform, const Matrix& other) {
    Matrix all(test.rows + noise.rows() + uniform.rows() + other.rows(), test.cols);
    std::size_t to = 0;
    for (const MatrixView part : {test, noise.view(), uniform.view(), other.view()})
        for (std::size_t i = 0; i < part.rows; ++i) std::copy_n(part.row(i), part.cols, all.row(to++));
    return all;
}

Matrix with_far_rows(MatrixView test, MatrixView other, const Rng& rng) {
    const double length = mean_length(test);
    constexpr std::size_t kRows = OpenWorldTestSet::kFarRows;
    return questions(test, gaussian_noise(kRows, test.cols, length, rng.fork(kNoise)),
                     uniform_noise(kRows, test.cols, length, rng.fork(kUniform)),
                     fitted_rows(other, kRows, test.cols, length, rng.fork(kOther)));
}

// The best two classes of a row; the same one twice if there is only one.
std::pair<std::size_t, std::size_t> best_two(const Matrix& scores, std::size_t row) {
    std::size_t best = 0, second = 0;
    for (std::size_t c = 1; c < scores.cols(); ++c) {
        if (scores(row, c) > scores(row, best))
            second = best, best = c;
        else if (second == best || scores(row, c) > scores(row, second))
            second = c;
    }
    return {best, second};
}

// softmax(score / T): the log of the ratio of two probabilities is the difference of their scores, divided by
// T.
double softmax_temperature(const Matrix& scores, const Matrix& probabilities) {
    double of_scores = 0, of_logs = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto [best, second] = best_two(scores, i);
        const double p = probabilities(i, best), q = probabilities(i, second);
        if (!(q > 0)) continue;
        of_scores += static_cast<double>(scores(i, best)) - static_cast<double>(scores(i, second));
        of_logs += std::log(p / q);
    }
    return of_scores > 0 && of_logs > 0 ? of_scores / of_logs : 1;
}

std::vector<double> largest(const Matrix& rows) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.rows(); ++i)
        values.push_back(*std::max_element(rows.row(i), rows.row(i) + rows.cols()));
    return values;
}

Matrix probabilities_of(const Learner& learner, Matrix scores) {
    for (std::size_t i = 0; i < scores.rows(); ++i) learner.to_probabilities({scores.row(i), scores.cols()});
    return scores;
}

std::vector<bool> right_answers(const Matrix& scores, std::span<const ClassId> classes,
                                std::span<const ClassId> truth) {
    std::vector<bool> right;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const float* row = scores.row(i);
        right.push_back(classes[static_cast<std::size_t>(std::max_element(row, row + scores.cols()) - row)] ==
                        truth[i]);
    }
    return right;
}

}  // namespace

std::vector<double> energies(const Matrix& scores, const Matrix& probabilities) {
    const double temperature = softmax_temperature(scores, probabilities);
    std::vector<double> result;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const float* row = scores.row(i);
        const double top = *std::max_element(row, row + scores.cols());
        double sum = 0;
        for (std::size_t c = 0; c < scores.cols(); ++c)
            sum += std::exp((static_cast<double>(row[c]) - top) / temperature);
        result.push_back(top / temperature + std::log(sum));
    }
    return result;
}

OpenWorldTestSet::OpenWorldTestSet(const LabeledView& test, MatrixView other, std::uint64_t seed)
    : truth_(test.labels.begin(), test.labels.end()),
      rows_(with_far_rows(test.x, other, Rng(seed))),
      detectors_(rows_, Rng(seed).fork(kReferences).seed()) {
    noise_ = {test.x.rows, test.x.rows + kFarRows};
    uniform_ = {noise_.end, noise_.end + kFarRows};
    other_ = {uniform_.end, rows_.rows()};
}

Detection OpenWorldTestSet::detection(const std::vector<double>& scores, std::size_t known) const {
    assert(scores.size() == rows_.rows());
    const std::span<const double> all(scores), of_known = all.first(known),
                                               of_unknown = all.subspan(known, truth_.size() - known);
    const auto against = [&](const Part& part) {
        return auroc(of_known, all.subspan(part.first, part.end - part.first));
    };
    return {auroc(of_known, of_unknown), false_positive_rate(of_known, of_unknown), against(noise_),
            against(uniform_), against(other_)};
}

OpenWorldRecord OpenWorldTestSet::measure(const Learner& learner, std::size_t known,
                                          const Progress& progress) const {
    OpenWorldRecord record;
    const auto measured = [&](Detector detector, const std::vector<double>& scores) {
        record.of(detector) = detection(scores, known);
    };
    const MatrixView known_rows = rows_.view().slice(0, known);
    const std::span<const ClassId> truth = std::span(truth_).first(known);
    const std::vector<ClassId> classes = learner.classes();

    const ScoredRows answers = learner.scored(rows_);
    if (const std::vector<double>& familiar = answers.familiarity; !familiar.empty()) {
        measured(Detector::familiarity, familiar);
        const auto of_known = std::span(familiar).first(known);
        record.coverage.familiar_95 = share_at_least(of_known, 0.05);
        record.coverage.familiar_99 = share_at_least(of_known, 0.01);
    }
    if (const Matrix p_values = learner.class_p_values(known_rows); !p_values.empty())
        cover_by_sets(p_values, classes, truth, record.coverage);

    const Matrix& scores = answers.scores;
    const Matrix probabilities = probabilities_of(learner, scores);
    const std::vector<double> confidence = largest(probabilities);
    measured(Detector::softmax, confidence);
    measured(Detector::energy, energies(scores, probabilities));
    record.reliability =
        reliability_bins(std::span(confidence).first(known), right_answers(scores, classes, truth));
    record.calibration_error = calibration_error(record.reliability);
    report(progress, {"detectors", 0, 2}, "OpenWorldTestSet::measure");

    const ReferenceScores reference = detectors_.scores(progress);
    measured(Detector::mahalanobis, reference.mahalanobis);
    measured(Detector::relative_mahalanobis, reference.relative_mahalanobis);
    measured(Detector::whitened_cosine, reference.whitened_cosine);
    measured(Detector::linear, reference.linear);
    measured(Detector::neighbors, reference.neighbors);
    measured(Detector::isolation_forest, reference.isolation_forest);
    return record;
}

}  // namespace fearnet::lab
