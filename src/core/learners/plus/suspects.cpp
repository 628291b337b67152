#include "core/learners/plus/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"

namespace fearnet {
namespace {

// Rows are named from this probability on.
constexpr double kSuspect = 0.5;
// How often rows are judged again without the suspects.
constexpr std::size_t kPasses = 2;
// They are not if at most this share of the suspects is new.
constexpr double kFewChanges = 0.05;
constexpr std::size_t kOthers = 32;
// Numbers in the scores of one block of rows.
constexpr std::size_t kBlockNumbers = std::size_t{1} << 22;
// Rows that the temperature is fitted to.
constexpr std::size_t kFitRows = 4096;
// The share of wrong labels counts as if this many more rows had been seen, of which that many were wrong.
constexpr double kPriorRows = 10, kPriorWrong = 0.1;
// The classes of the wrong rows of a label count as if this many more rows were evenly spread over all.
constexpr double kClassPriorRows = 20;
// The standard deviation of the logarithm of the temperature around its old value.
constexpr double kTemperatureDeviation = 0.35;

// The mixture that the rows of each label are modeled as.
class LabelMixture {
  public:
    LabelMixture(const LabelScores& rows, double temperature)
        : rows_(rows),
          others_(rows.scores.cols() - 1),
          prior_temperature_(temperature),
          totals_(rows.classes) {
        for (std::size_t i = 0; i < rows.judged.size(); ++i)
            if (rows.judged[i]) judged_.push_back(i);
        if (judged_.empty()) return;
        wrong_.resize(judged_.size());
        find_pairs();
        fit_weights(temperature);
        for (int round = 0; round < 3; ++round) fit_weights(best_temperature());
    }

    // The probability that the label of each row is wrong.
    std::vector<double> wrong() const {
        std::vector<double> result(rows_.judged.size());
        for (std::size_t r = 0; r < judged_.size(); ++r) result[judged_[r]] = wrong_[r];
        return result;
    }

  private:
    std::size_t label(std::size_t r) const { return static_cast<std::size_t>(rows_.labels[judged_[r]]); }
    std::size_t other(std::size_t r, std::size_t k) const {
        return static_cast<std::size_t>(rows_.others[judged_[r] * others_ + k]);
    }
    // Writes exp(scores / temperature), which are proportional to the densities of the classes.
    void densities(std::size_t r, double temperature, std::span<float> out) const {
        const std::span<const float> s = rows_.scores.view().row_span(judged_[r]);
        const float best = std::max(s[0], s[1]), inverse = static_cast<float>(1 / temperature);
        for (std::size_t k = 0; k < s.size(); ++k)
            out[k] = std::max(1e-30f, std::exp((s[k] - best) * inverse));
    }
    // Numbers the pairs of a label and another class that occur.
    void find_pairs() {
        std::vector<std::uint64_t> keys;
        for (std::size_t r = 0; r < judged_.size(); ++r)
            for (std::size_t k = 0; k < others_; ++k) keys.push_back(label(r) * rows_.classes + other(r, k));
        std::vector<std::uint64_t> sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        for (const std::uint64_t key : keys)
            pairs_.push_back(static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), key) -
                                                        sorted.begin()));
        counts_.resize(sorted.size());
    }
    // The weight of a row's k-th other class in the mixture of its label.
    double weight(std::size_t r, std::size_t k) const {
        const double even = kClassPriorRows / static_cast<double>(rows_.classes - 1);
        return share_ * (even + counts_[pairs_[r * others_ + k]]) / (totals_[label(r)] + kClassPriorRows);
    }

    // Expectation maximization for the weights.
    void fit_weights(double temperature) {
        Matrix density(judged_.size(), 1 + others_);
        parallel_range(judged_.size(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = begin; r < end; ++r)
                densities(r, temperature, {density.row(r), density.cols()});
        });
        std::vector<double> parts(others_);
        for (int step = 0; step < 20; ++step) {
            std::vector<double> counts(counts_.size()), totals(rows_.classes);
            double all = 0;
            for (std::size_t r = 0; r < judged_.size(); ++r) {
                double wrong = 0;
                for (std::size_t k = 0; k < others_; ++k)
                    wrong += parts[k] = weight(r, k) * static_cast<double>(density(r, 1 + k));
                const double sum = wrong + (1 - share_) * static_cast<double>(density(r, 0));
                wrong_[r] = wrong / sum;
                all += wrong_[r], totals[label(r)] += wrong_[r];
                for (std::size_t k = 0; k < others_; ++k) counts[pairs_[r * others_ + k]] += parts[k] / sum;
            }
            counts_ = std::move(counts), totals_ = std::move(totals);
            const double before = share_;
            share_ = (all + kPriorWrong) / (static_cast<double>(judged_.size()) + kPriorRows);
            if (std::abs(share_ - before) < 1e-4) break;
        }
    }

    // The temperature at which the labels are likeliest, given the weights.
    double best_temperature() const {
        const std::size_t every = (judged_.size() + kFitRows - 1) / kFitRows,
                          count = (judged_.size() + every - 1) / every;
        Matrix weights(count, others_);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < others_; ++k)
                weights(i, k) = static_cast<float>(weight(i * every, k));
        const auto cost = [&](double log_t) {
            std::vector<double> terms(count);
            parallel_range(count, 64, [&](std::size_t begin, std::size_t end) {
                std::vector<float> density(1 + others_);
                for (std::size_t i = begin; i < end; ++i) {
                    densities(i * every, std::exp(log_t), density);
                    double all = static_cast<double>(density[0]), labeled = (1 - share_) * all;
                    for (std::size_t k = 0; k < others_; ++k) {
                        const auto d = static_cast<double>(density[1 + k]);
                        all += d, labeled += static_cast<double>(weights(i, k)) * d;
                    }
                    terms[i] = std::log(all) - std::log(labeled);
                }
            });
            const double away = (log_t - std::log(prior_temperature_)) / kTemperatureDeviation;
            return std::accumulate(terms.begin(), terms.end(), away * away / 2);
        };
        // It has one minimum: golden sections close in on it.
        constexpr double kGolden = 0.6180339887498949, kRange = 2, kExact = 0.05;
        double low = std::log(prior_temperature_) - kRange, high = low + 2 * kRange;
        double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
        double at_a = cost(a), at_b = cost(b);
        while (high - low > kExact) {
            if (at_a < at_b) {
                high = b, b = a, at_b = at_a;
                at_a = cost(a = high - kGolden * (high - low));
            } else {
                low = a, a = b, at_a = at_b;
                at_b = cost(b = low + kGolden * (high - low));
            }
        }
        return std::exp((low + high) / 2);
    }

    const LabelScores& rows_;
    std::size_t others_;
    double prior_temperature_;
    std::vector<std::size_t> judged_;   // the rows below
    std::vector<double> wrong_;         // probability that the label is wrong
    double share_ = 0.05;               // of wrong labels
    std::vector<std::uint32_t> pairs_;  // rows x others: the number of the pair
    std::vector<double> counts_;        // by pair: wrong rows
    std::vector<double> totals_;        // by label: wrong rows
};

// The features of the session and how they are judged.
class Judge {
  public:
    Judge(const PlusModel& model, const PlusRows& rows, std::size_t classes, bool taught)
        : model_(model), rows_(rows), classes_(classes), taught_(taught), known_(model.moments()) {
        // Rows that are few beside the known ones need not be in the shared covariance. The model's own is
        // then free of wrong labels, and one factor serves all passes.
        in_covariance_ = taught || known_.rows() < static_cast<std::int64_t>(rows.x.rows);
        if (!in_covariance_) {
            fixed_.emplace(known_, model.ridge());
            known_.scatter = Matrix();
        }
    }

    // The scores of every row as if it had not been taught, and none of the rows with `suspect` either.
    LabelScores scores(std::span<const std::uint8_t> suspect) const {
        ClassMoments moments = known_;
        if (taught_) {
            std::vector<std::size_t> out;
            for (std::size_t i = 0; i < suspect.size(); ++i)
                if (suspect[i]) out.push_back(i);
            for_blocks(out, [&](std::span<const std::size_t> some, const Matrix& features) {
                moments.remove(features, columns_of(some));
            });
        } else {
            for_blocks(rows_without(suspect), [&](std::span<const std::size_t> some, const Matrix& features) {
                moments.add(features, columns_of(some), classes_, in_covariance_);
            });
        }
        if (fixed_) return scores(moments, *fixed_, suspect);
        return scores(moments, SharedCovariance(moments, model_.ridge()), suspect);
    }

  private:
    std::vector<std::int32_t> columns_of(std::span<const std::size_t> some) const {
        std::vector<std::int32_t> columns;
        for (const std::size_t i : some) columns.push_back(rows_.columns[i]);
        return columns;
    }

    template <class F>
    void for_blocks(std::span<const std::size_t> which, const F& f) const {
        const std::size_t most =
            std::clamp<std::size_t>(kBlockNumbers / std::max(classes_, known_.width()), 1, 4096);
        for (std::size_t first = 0; first < which.size(); first += most) {
            const auto some = which.subspan(first, std::min(most, which.size() - first));
            Matrix given;
            gather_rows(rows_.x, some, given);
            f(some, model_.map()(given));
        }
    }

    std::vector<std::size_t> rows_without(std::span<const std::uint8_t> suspect) const {
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < rows_.x.rows; ++i)
            if (suspect.empty() || !suspect[i]) which.push_back(i);
        return which;
    }

    LabelScores scores(const ClassMoments& moments, const SharedCovariance& covariance,
                       std::span<const std::uint8_t> suspect) const {
        const LinearDiscriminant discriminant(moments, covariance);
        const std::size_t n = rows_.x.rows, others = std::min(kOthers, classes_ - 1);
        LabelScores result;
        result.scores.resize(n, 1 + others);
        result.others.resize(n * others), result.judged.resize(n);
        result.labels.assign(rows_.columns.begin(), rows_.columns.end());
        result.classes = classes_;
        for_blocks(rows_without({}), [&](std::span<const std::size_t> some, const Matrix& features) {
            const std::vector<std::int32_t> columns = columns_of(some);
            std::vector<std::uint8_t> taught(some.size(), 1);
            for (std::size_t i = 0; i < some.size(); ++i) {
                const bool out = !suspect.empty() && suspect[some[i]];
                result.judged[some[i]] = out || moments.counts[static_cast<std::size_t>(columns[i])] > 1;
                taught[i] = !out && result.judged[some[i]];
            }
            const Matrix all = discriminant
                                   .leave_one_out(whitened(features, discriminant.center(), covariance),
                                                  columns, {taught, in_covariance_})
                                   .by_angle();
            parallel_range(some.size(), 16, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    keep(all.view().row_span(i), static_cast<std::size_t>(columns[i]), some[i], result);
            });
        });
        return result;
    }

    static void keep(std::span<const float> all, std::size_t own, std::size_t row, LabelScores& result) {
        std::vector<std::int32_t> order;
        for (std::size_t c = 0; c < all.size(); ++c)
            if (c != own) order.push_back(static_cast<std::int32_t>(c));
        const std::size_t others = result.scores.cols() - 1;
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(others), order.end(),
                          [&](std::int32_t a, std::int32_t b) {
                              return all[static_cast<std::size_t>(a)] > all[static_cast<std::size_t>(b)];
                          });
        std::copy_n(order.begin(), others, result.others.begin() + static_cast<std::ptrdiff_t>(row * others));
        result.scores(row, 0) = all[own];
        for (std::size_t k = 0; k < others; ++k)
            result.scores(row, 1 + k) = all[static_cast<std::size_t>(order[k])];
    }

    const PlusModel& model_;
    const PlusRows& rows_;
    std::size_t classes_;
    bool taught_, in_covariance_ = false;
    ClassMoments known_;  // of the model
    std::optional<SharedCovariance> fixed_;
};

// Marks the suspects, but leaves every class of the session at least half of its rows.
std::vector<std::uint8_t> suspects_of(std::span<const double> wrong, std::span<const std::int32_t> columns,
                                      std::size_t classes) {
    std::vector<std::uint8_t> result(wrong.size());
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    for (std::vector<std::size_t> mine : by_class) {
        std::stable_sort(mine.begin(), mine.end(),
                         [&](std::size_t a, std::size_t b) { return wrong[a] > wrong[b]; });
        for (std::size_t k = 0; k < mine.size() / 2; ++k) result[mine[k]] = wrong[mine[k]] > kSuspect;
    }
    return result;
}

}  // namespace

std::vector<double> wrong_label_probabilities(const LabelScores& rows, double temperature) {
    return LabelMixture(rows, temperature).wrong();
}

std::vector<PlusSuspect> find_suspects(const PlusModel& model, const PlusRows& rows, std::size_t classes,
                                       bool taught) {
    const Judge judge(model, rows, classes, taught);
    std::vector<std::uint8_t> suspect;
    LabelScores scores;
    std::vector<double> wrong;
    for (std::size_t pass = 0; pass <= kPasses; ++pass) {
        scores = judge.scores(suspect);
        wrong = wrong_label_probabilities(scores, model.calibration().temperature);
        std::vector<std::uint8_t> next = suspects_of(wrong, rows.columns, classes);
        double changed = 0, count = 0;
        for (std::size_t i = 0; i < next.size(); ++i) {
            changed += next[i] != (suspect.empty() ? 0 : suspect[i]);
            count += next[i];
        }
        suspect = std::move(next);
        if (changed <= kFewChanges * count) break;
    }
    std::vector<PlusSuspect> result;
    for (std::size_t i = 0; i < suspect.size(); ++i)
        if (suspect[i]) result.push_back({i, scores.others[i * (scores.scores.cols() - 1)], wrong[i]});
    return result;
}

}  // namespace fearnet
