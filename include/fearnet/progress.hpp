// How long work reports itself and can be stopped.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "fearnet/error.hpp"

namespace fearnet {

// What a learner is doing right now: `done` of `total` steps of `phase` ("base", "sleep", "router", ...).
struct ProgressEvent {
    std::string_view phase;
    std::size_t done = 0;
    std::size_t total = 0;
    double loss = 0;  // mean training loss of the last step, when there is one
};

// Called on the caller's thread, at least once per training epoch. Return false to stop: the call in progress
// then throws Cancelled and leaves the learner as it was before.
using Progress = std::function<bool(const ProgressEvent&)>;

inline void report(const Progress& progress, const ProgressEvent& event, const char* where) {
    if (progress && !progress(event)) throw Cancelled(where);
}

}  // namespace fearnet
