// What a sleep needs beside the model and the recent memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fearnet::bench {

struct SleepMemory {
    std::size_t classes = 0;       // consolidated before the sleep
    std::size_t model_bytes = 0;   // networks and statistics before the sleep
    std::size_t recent_bytes = 0;  // the recent memory's examples
    std::size_t before_bytes =
        0;  // resident just before the sleep: model, recent memory and the program itself
    std::size_t peak_bytes = 0;  // most resident during the sleep
    double seconds = 0;

    // What the limit is about; may be negative only if the pages of the model were not resident.
    double above() const {
        return static_cast<double>(peak_bytes) - static_cast<double>(model_bytes + recent_bytes);
    }
};

constexpr double kMegabyte = 1e6;
constexpr double kLimit = 250 * kMegabyte;  // at 1,000 classes

// The growth as a picture. `subtitle` says what was measured.
std::string sleep_memory_svg(const std::vector<SleepMemory>& measured, const std::string& subtitle);

}  // namespace fearnet::bench
