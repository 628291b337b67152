// How far a run has come, in time rather than in steps.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fearnet::lab {

enum class RunPhase { offline, base, learn, sleep, evaluate };
constexpr std::size_t kRunPhases = 5;
const char* name_of(RunPhase phase);

// Planned work per phase, in any unit that is roughly proportional to time, set against the seconds measured
// so far: what a unit costs in a phase is learned from that phase once some of it is done, and from all
// phases before. Times are seconds on the caller's clock, so that nothing here depends on a real one.
class WorkEstimate {
  public:
    explicit WorkEstimate(double now) : start_(now) {}

    // Work that will come; call it for everything before the first `begin`.
    void plan(RunPhase phase, double work) { at(planned_, phase) += work; }
    void begin(RunPhase phase, double work, double now);
    // `done` of `total` steps of one part of the phase at hand. A phase may have parts with names of their
    // own, one after the other; how many is not known, so the first is taken for nearly all of it.
    void step(std::string_view part, std::size_t done, std::size_t total);
    // Ends the phase at hand and returns its seconds.
    double end(double now);

    // In 0..1, never falling: time passed over time passed and left.
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
