// The engine's speed on this machine.
#pragma once

#include <string>

namespace fearnet::cli {

// A JSON object. `quick` takes seconds instead of minutes and is less exact.
std::string engine_benchmark(bool quick);

}  // namespace fearnet::cli
