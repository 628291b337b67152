#include "learners/fearnet_plus/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace fearnet {

Choices::Choices(const FearNetPlusOptions& options)
    : shrinkages_{0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10},
      priors_{15, 60, 250, std::numeric_limits<double>::infinity()} {
    if (options.shrinkage > 0) shrinkages_ = {options.shrinkage};
    if (options.shape_prior > 0) priors_ = {options.shape_prior};
}

void Choices::add(std::span<const double> accuracy, std::size_t rows) {
    right_.resize(accuracy.size());
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += static_cast<double>(rows) * accuracy[k];
    rows_ += static_cast<double>(rows);
}

std::size_t Choices::best_index() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < right_.size(); ++k)
        if (right_[k] >= right_[best]) best = k;
    return best;
}

PlusSettings Choices::best() const {
    PlusSettings settings;
    if (right_.empty()) {
        if (shrinkages_.size() == 1) settings.shrinkage = shrinkages_[0];
        if (priors_.size() == 1) settings.prior = priors_[0];
        return settings;
    }
    const std::size_t best = best_index();
    return {shrinkages_[best / priors_.size()], priors_[best % priors_.size()]};
}

double Choices::of_best(std::span<const double> accuracy) const {
    return right_.empty() ? *std::max_element(accuracy.begin(), accuracy.end()) : accuracy[best_index()];
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
    if (right_.size() != shrinkages_.size() * priors_.size() + 1)
        throw Error("State: 'choices' has " + std::to_string(right_.size()) + " numbers but " +
                    std::to_string(shrinkages_.size() * priors_.size() + 1) + " are needed");
    rows_ = right_.back();
    right_.pop_back();
}

}  // namespace fearnet
