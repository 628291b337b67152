// Progress callbacks: how long-running functions report what they do, and how a caller cancels them.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "fearnet/error.hpp"

namespace fearnet {

// `done` of `total` steps of a phase are finished. `phase` is valid during the call only.
struct ProgressEvent {
    std::string_view phase;  // "base", "sleep", "router", ...
    std::size_t done = 0;
    std::size_t total = 0;
    double loss = 0;  // mean training loss of the last epoch; 0 in phases without one
};

// Called on the thread that called the long-running function, at least once per training epoch. Return true
// to continue. Return false to cancel: the function then throws Cancelled and leaves its object unchanged.
using Progress = std::function<bool(const ProgressEvent&)>;

// For implementers of learners: calls `progress`, if there is one, and throws Cancelled(where) if it returns
// false.
inline void report(const Progress& progress, const ProgressEvent& event, const char* where) {
    if (progress && !progress(event)) throw Cancelled(where);
}

}  // namespace fearnet
