// The learners that FearNet is compared with.
#pragma once

namespace fearnet::lab {

// Adds them to the registry (fearnet/registry.hpp), and the outlier detectors to the routers of "fearnet".
// Call it once before any of them is made or a brain of one is opened; more calls do nothing.
void register_learners();

}  // namespace fearnet::lab
