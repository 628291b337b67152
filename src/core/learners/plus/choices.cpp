#include "core/learners/plus/choices.hpp"

#include <algorithm>
#include <cmath>

namespace fearnet {
namespace {

// Shrinkages and strengths whose accuracies are closer than this share of a standard error are not told
// apart.
constexpr double kTolerance = 0.5;
// Directions found in fewer rows of a class than this are partly chance, and must be better by so many
// standard errors to be taken; others just better.
constexpr std::int64_t kRowsToTrust = 96;
constexpr double kWorth = 1;
// Those further apart than so many standard errors will not meet.
constexpr double kHopeless = 2;
// That a state may speak of: products of them stay far from overflow.
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

// The value that all have, or else the usual one.
template <class Range, class Value>
double common(const Range& of, const Value& value, double usual) {
    for (const auto& one : of)
        if (value(one) != value(of[0])) return usual;
    return value(of[0]);
}

}  // namespace

Choices::Choices(const PlusOptions& options, bool random)
    : shrinkages_{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}, doubts_{0, 1} {
    if (random) shrinkages_ = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    if (options.shrinkage > 0) shrinkages_ = {options.shrinkage};
    if (options.doubt >= 0) doubts_ = {options.doubt};
    // By itself it tries either a pull or directions: both at once would allow for the same twice.
    std::vector<double> pulls = {0.5, 1}, strengths = {0.1, 0.3, 1};
    const double pull = std::max(0.0, options.pull);
    if (options.pull >= 0) pulls = {pull};
    if (options.shape_rank == 0) strengths = {};
    if (options.shape_strength > 0) pulls = {}, strengths = {options.shape_strength};
    for (const double p : pulls) kinds_.push_back({p, 0});
    for (const double s : strengths) kinds_.push_back({pull, s});
}

void Choices::add(std::span<const double> accuracy, std::size_t rows, std::int64_t learned,
                  std::size_t classes) {
    right_.resize(accuracy.size());
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += static_cast<double>(rows) * accuracy[k];
    rows_ += static_cast<double>(rows);
    learned_ = learned;
    classes_ = static_cast<std::int64_t>(classes);
}

std::vector<std::size_t> Choices::as_good() const {
    const double all = *std::max_element(right_.begin(), right_.end()),
                 share = std::clamp(all / rows_, 0.0, 1.0), error = std::sqrt(share * (1 - share) * rows_),
                 tolerance = kTolerance * error;
    const auto directed = [&](std::size_t i) { return kinds_[i % kinds_.size()].strength > 0; };
    double plain = -1;
    for (std::size_t i = 0; i < right_.size(); ++i)
        if (!directed(i)) plain = std::max(plain, right_[i]);
    const double worth = learned_ < kRowsToTrust * classes_ ? kWorth * error : 0;
    const double most = plain >= 0 && plain >= all - worth ? plain : all;
    const bool without = most == plain;
    // Of equals the first doubt and kind.
    std::size_t kind = per_shrinkage();
    for (std::size_t i = 0; i < right_.size(); ++i)
        if (right_[i] == most && !(without && directed(i))) kind = std::min(kind, i % per_shrinkage());
    // Of strengths that cannot be told apart the least: what is far from a class is harder to tell when there
    // are more of them.
    const PlusKind best = kinds_[kind % kinds_.size()];
    const std::size_t doubt = kind / kinds_.size() * kinds_.size();
    for (std::size_t k = 0; k < kinds_.size() && best.strength > 0; ++k) {
        if (!(kinds_[k].strength > 0) || kinds_[k].pull != best.pull || !(kinds_[k].strength < best.strength))
            continue;
        double of_kind = 0;
        for (std::size_t i = doubt + k; i < right_.size(); i += per_shrinkage())
            of_kind = std::max(of_kind, right_[i]);
        if (of_kind < most - tolerance) continue;
        kind = doubt + k;
        break;  // they come in order
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = kind; i < right_.size(); i += per_shrinkage())
        if (right_[i] >= most - tolerance) chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](std::size_t a, std::size_t b) { return right_[a] > right_[b]; });
    return chosen;
}

bool Choices::hopeless(std::size_t shrinkage) const {
    if (rows_ == 0) return false;
    const auto first = right_.begin() + static_cast<std::ptrdiff_t>(shrinkage * per_shrinkage());
    const double best = *std::max_element(first, first + static_cast<std::ptrdiff_t>(per_shrinkage())),
                 most = *std::max_element(right_.begin(), right_.end());
    return best / rows_ < most / rows_ - kHopeless * accuracy_error();
}

double Choices::accuracy_error() const {
    if (!(rows_ > 0)) return 0;
    // As if one more row had been right and one more wrong: few rows that are all right prove little.
    const double share = (std::clamp(accuracy(), 0.0, 1.0) * rows_ + 1) / (rows_ + 2);
    return std::sqrt(share * (1 - share) / rows_);
}

PlusSettings Choices::best(std::int64_t rows) const {
    PlusSettings settings;
    if (right_.empty()) {
        // What an option sets; the rest as usual.
        const auto itself = [](double v) { return v; };
        settings.shrinkage = common(shrinkages_, itself, settings.shrinkage);
        settings.doubt = common(doubts_, itself, settings.doubt);
        settings.kind.pull = common(
            kinds_, [](const PlusKind& k) { return k.pull; }, settings.kind.pull);
        settings.kind.strength = common(
            kinds_, [](const PlusKind& k) { return k.strength; }, settings.kind.strength);
        return settings;
    }
    const std::vector<std::size_t> good = as_good();
    double logs = 0;
    for (const std::size_t i : good)
        logs += std::log(shrinkages_[i / per_shrinkage()]) / static_cast<double>(good.size());
    settings.shrinkage = good.size() == 1 ? shrinkages_[good[0] / per_shrinkage()] : std::exp(logs);
    if (shrinkages_.size() > 1)
        settings.shrinkage *=
            std::sqrt(static_cast<double>(learned_) / static_cast<double>(std::max(rows, learned_)));
    settings.doubt = doubts_[good[0] % per_shrinkage() / kinds_.size()];
    settings.kind = kinds_[good[0] % kinds_.size()];
    return settings;
}

void Choices::save(State& state) const {
    std::vector<double> numbers = right_;
    if (!numbers.empty()) numbers.push_back(rows_);
    state.set("choices", std::move(numbers));
    state.set("choices.learned", std::vector<std::int64_t>{learned_, classes_});
}

void Choices::load(const State& state) {
    right_ = state.list<double>("choices");
    if (!std::all_of(right_.begin(), right_.end(), [](double r) { return std::isfinite(r); }))
        throw Error("State: 'choices' has a number that is not finite");
    if (right_.empty()) return;
    if (right_.size() != shrinkages_.size() * per_shrinkage() + 1)
        throw Error("State: 'choices' has " + std::to_string(right_.size()) + " numbers but " +
                    std::to_string(shrinkages_.size() * per_shrinkage() + 1) + " are needed");
    rows_ = right_.back();
    right_.pop_back();
    const std::vector<std::int64_t>& learned = state.integer("choices.learned");
    if (learned.size() != 2 || learned[0] < 1 || learned[1] < 1 || learned[1] > learned[0] ||
        learned[0] > kMostRows)
        throw Error("State: 'choices.learned' must be a number of rows and one of classes, not more");
    learned_ = learned[0], classes_ = learned[1];
    const auto some = [&](double r) { return r >= 0 && r <= rows_ * (1 + 1e-9); };
    if (!(rows_ > 0) || !std::all_of(right_.begin(), right_.end(), some))
        throw Error("State: 'choices' has " + std::to_string(rows_) +
                    " rows and more, or less than none, right");
}

}  // namespace fearnet
