// How a long run shows itself: a bar with the time left on a terminal, plain lines elsewhere. Everything goes
// to stderr; results go to stdout.
#pragma once

#include <chrono>
#include <string>

#include "time_left.hpp"

namespace fearnet::cli {

class ProgressDisplay {
  public:
    enum class Style { quiet, lines, bar };
    // A bar when stderr is a terminal that may get control sequences (NO_COLOR is not set and TERM is not
    // dumb), else lines.
    static Style fitting_style();

    explicit ProgressDisplay(Style style);
    // Takes the bar away.
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    // Overall progress in 0..1. Redraws the bar at most ten times a second; as lines, says something when
    // nothing was said for ten seconds.
    void update(double fraction, const std::string& what);
    // One line that stays.
    void line(const std::string& text);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    // "3 min 05 s left", or nothing when that cannot be told.
    std::string time_left(double fraction);
    std::string bar(double fraction, const std::string& what, const std::string& left) const;

    Style style_;
    bool utf8_;
    bool drawn_ = false;
    Clock::time_point start_;
    Clock::time_point shown_;  // when something was last shown
    TimeLeft estimate_;
};

}  // namespace fearnet::cli
