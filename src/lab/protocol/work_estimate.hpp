// Estimates the progress of a run as a share of its total time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fearnet::lab {

enum class RunPhase { offline, base, learn, sleep, evaluate };
constexpr std::size_t kRunPhases = 5;
const char* name_of(RunPhase phase);

// The caller plans the work of each phase in any unit that is roughly proportional to time. The cost of a
// unit is estimated from the seconds measured in the phase so far, before that from all earlier phases. Times
// are seconds on the caller's clock, so tests need no real one.
class WorkEstimate {
  public:
    explicit WorkEstimate(double now) : start_(now) {}

    // Plans work. Call it for all work before the first `begin`.
    void plan(RunPhase phase, double work) { at(planned_, phase) += work; }
    void begin(RunPhase phase, double work, double now);
    // `done` of `total` steps of a named part of the current phase. A phase may have several parts one after
    // the other; since their number is unknown, the first is assumed to be nearly all of it.
    void step(std::string_view part, std::size_t done, std::size_t total);
    // Ends the current phase and returns its seconds.
    double end(double now);

    // Elapsed time / (elapsed + estimated remaining time), in 0..1, never decreasing.
    double fraction(double now);

    double seconds(RunPhase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }

  private:
    using PerPhase = std::array<double, kRunPhases>;
    static double& at(PerPhase& a, RunPhase phase) { return a[static_cast<std::size_t>(phase)]; }
    double seconds_left(double now) const;

    double start_;
    PerPhase planned_{};
    PerPhase done_{};
    PerPhase seconds_{};
    bool running_ = false;
    RunPhase phase_ = RunPhase::offline;
    double work_ = 0;          // of the phase at hand
    double began_ = 0;         // when it began
    double share_ = 0;         // of it that is done
    double share_before_ = 0;  // of it that was done when the present part began
    std::string part_;
    double fraction_ = 0;
};

}  // namespace fearnet::lab
