#include "lab/protocol/work_estimate.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace fearnet::lab {
namespace {

// Assumed share of a further part in the rest of a phase.
constexpr double kPartShare = 0.95;
// Below this share, a phase does not yet predict its own duration.
constexpr double kTellingShare = 0.02;

}  // namespace

const char* name_of(RunPhase phase) {
    constexpr std::array<const char*, kRunPhases> kNames{"offline", "base", "learn", "sleep", "evaluate"};
    return kNames[static_cast<std::size_t>(phase)];
}

void WorkEstimate::begin(RunPhase phase, double work, double now) {
    assert(!running_);
    running_ = true;
    phase_ = phase;
    work_ = work;
    began_ = now;
    share_ = share_before_ = 0;
    part_.clear();
}

void WorkEstimate::step(std::string_view part, std::size_t done, std::size_t total) {
    if (!running_ || total == 0) return;
    if (part != part_) {
        part_ = part;
        share_before_ = share_;
    }
    const double of_part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    share_ = std::max(share_, share_before_ + (1 - share_before_) * kPartShare * of_part);
}

double WorkEstimate::end(double now) {
    assert(running_);
    running_ = false;
    const double seconds = now - began_;
    at(seconds_, phase_) += seconds;
    at(done_, phase_) += work_;
    return seconds;
}

double WorkEstimate::seconds_left(double now) const {
    PerPhase done = done_;
    PerPhase seconds = seconds_;
    const bool telling = running_ && share_ > kTellingShare;
    if (telling) {
        at(done, phase_) += work_ * share_;
        at(seconds, phase_) += now - began_;
    }
    const double all_done = std::accumulate(done.begin(), done.end(), 0.0);
    const double all_seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const double usual_cost = all_done > 0 ? all_seconds / all_done : 0;
    const auto cost = [&](std::size_t p) { return done[p] > 0 ? seconds[p] / done[p] : usual_cost; };

    double left = 0;
    for (std::size_t p = 0; p < kRunPhases; ++p) left += std::max(0.0, planned_[p] - done[p]) * cost(p);
    if (running_ && !telling) left = std::max(0.0, left - (now - began_));
    return left;
}

double WorkEstimate::fraction(double now) {
    const double passed = now - start_;
    const double left = seconds_left(now);
    // Before the first measurement `left` is zero because nothing is known.
    const bool known = left > 0 || planned_ == done_;
    if (known && passed + left > 0) fraction_ = std::max(fraction_, std::min(1.0, passed / (passed + left)));
    return fraction_;
}

}  // namespace fearnet::lab
