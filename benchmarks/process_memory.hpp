// Resident memory of this process.
#pragma once

#include <malloc.h>

#include <fstream>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet::bench {

// "VmRSS" or "VmHWM" (the most so far) of this process, in bytes.
inline std::size_t memory_status(const std::string& key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key + ":")) return 1024 * std::stoull(line.substr(key.size() + 1));
    throw Error("/proc/self/status has no " + key);
}

// Returns free memory to the system and sets VmHWM to VmRSS.
inline void forget_peak() {
    malloc_trim(0);
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;  // proc(5): resets the peak resident set size
    if (!file)
        throw Error("/proc/self/clear_refs cannot be written: the peak of earlier work would be counted");
}

}  // namespace fearnet::bench
