#include "learners/fearnet_plus/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fearnet {
namespace {

// Shrinkages whose accuracies are closer than this share of a standard error are not told apart.
constexpr double kTolerance = 0.5;
// Those further apart than so many standard errors will not meet.
constexpr double kHopeless = 2;

}  // namespace

Choices::Choices(const FearNetPlusOptions& options)
    : shrinkages_{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}, strengths_{0, 0.1, 0.3, 1} {
    if (options.shrinkage > 0) shrinkages_ = {options.shrinkage};
    if (options.shape_rank == 0) strengths_ = {0};
    if (options.shape_strength > 0) strengths_ = {options.shape_strength};
}

void Choices::add(std::span<const double> accuracy, std::size_t rows) {
    right_.resize(accuracy.size());
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += static_cast<double>(rows) * accuracy[k];
    rows_ += static_cast<double>(rows);
}

std::vector<std::size_t> Choices::as_good() const {
    const auto most = std::max_element(right_.begin(), right_.end());
    const double share = std::clamp(*most / rows_, 0.0, 1.0),
                 tolerance = kTolerance * std::sqrt(share * (1 - share) * rows_);
    // The least of the best strengths.
    std::size_t strength = strengths_.size();
    for (std::size_t i = 0; i < right_.size(); ++i)
        if (right_[i] == *most) strength = std::min(strength, i % strengths_.size());
    std::vector<std::size_t> chosen;
    for (std::size_t i = strength; i < right_.size(); i += strengths_.size())
        if (right_[i] >= *most - tolerance) chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](std::size_t a, std::size_t b) { return right_[a] > right_[b]; });
    return chosen;
}

bool Choices::hopeless(std::size_t shrinkage) const {
    if (rows_ == 0) return false;
    const auto first = right_.begin() + static_cast<std::ptrdiff_t>(shrinkage * strengths_.size());
    const double best = *std::max_element(first, first + static_cast<std::ptrdiff_t>(strengths_.size())),
                 most = *std::max_element(right_.begin(), right_.end());
    return best / rows_ < most / rows_ - kHopeless * accuracy_error();
}

double Choices::accuracy_error() const {
    const double share = std::clamp(accuracy(), 0.0, 1.0);
    return rows_ > 0 ? std::sqrt(share * (1 - share) / rows_) : 0;
}

PlusSettings Choices::best() const {
    PlusSettings settings;
    if (right_.empty()) {
        if (shrinkages_.size() == 1) settings.shrinkage = shrinkages_[0];
        if (strengths_.size() == 1) settings.strength = strengths_[0];
        return settings;
    }
    const std::vector<std::size_t> good = as_good();
    double logs = 0;
    for (const std::size_t k : good)
        logs += std::log(shrinkages_[k / strengths_.size()]) / static_cast<double>(good.size());
    return {good.size() == 1 ? shrinkages_[good[0] / strengths_.size()] : std::exp(logs),
            strengths_[good[0] % strengths_.size()]};
}

void Choices::save(State& state) const {
    std::vector<std::int64_t> bits;  // exact values of doubles; the rows last
    for (const double r : right_) bits.push_back(std::bit_cast<std::int64_t>(r));
    if (!bits.empty()) bits.push_back(std::bit_cast<std::int64_t>(rows_));
    state.set("choices", std::move(bits));
}

void Choices::load(const State& state) {
    right_.clear();
    for (const std::int64_t bits : state.integer("choices")) {
        right_.push_back(std::bit_cast<double>(bits));
        if (!std::isfinite(right_.back())) throw Error("State: 'choices' has a number that is not finite");
    }
    if (right_.empty()) return;
    if (right_.size() != shrinkages_.size() * strengths_.size() + 1)
        throw Error("State: 'choices' has " + std::to_string(right_.size()) + " numbers but " +
                    std::to_string(shrinkages_.size() * strengths_.size() + 1) + " are needed");
    rows_ = right_.back();
    right_.pop_back();
}

}  // namespace fearnet
