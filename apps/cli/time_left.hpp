// Estimate of the remaining time.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace fearnet::cli {

// Extrapolates linearly from the share of the work that is done. Gives no estimate before 5 % and 3 seconds,
// or if the first half of the work so far had a different speed: the work is then too uneven for an estimate.
class TimeLeft {
  public:
    // Remaining seconds if `share` in 0..1 is done at time `seconds` of any clock. A share smaller than
    // before starts new work.
    std::optional<double> at(double share, double seconds) {
        if (seen_.empty() || share < seen_.back().first) seen_ = {{share, seconds}};
        if (share >= seen_.back().first + kStep) seen_.emplace_back(share, seconds);
        const auto [first, start] = seen_.front();
        const double done = share - first, passed = seconds - start;
        if (done < kMinShare || passed < kMinSeconds) return {};
        std::size_t half = 0;
        while (half + 1 < seen_.size() && seen_[half + 1].first - first <= done / 2) ++half;
        const double half_done = seen_[half].first - first, half_passed = seen_[half].second - start;
        if (half_done <= 0 || half_passed <= 0) return {};
        const double pace = passed / done, half_pace = half_passed / half_done;
        if (pace > kAgree * half_pace || half_pace > kAgree * pace) return {};
        return pace * (1 - share);
    }

  private:
    static constexpr double kStep = 0.01, kMinShare = 0.05, kMinSeconds = 3, kAgree = 1.5;
    std::vector<std::pair<double, double>>
        seen_;  // share and seconds: the start of the work, then each percent
};

}  // namespace fearnet::cli
