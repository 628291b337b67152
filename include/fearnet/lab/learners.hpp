// The baselines that FearNet is compared with.
#pragma once

namespace fearnet::lab {

// Registers the baselines ("nearest-mean", "icarl", ...; fearnet/registry.hpp), and the outlier detectors
// that "fearnet" can use as routers (amygdala.kind). Call it before you make one of these learners or open a
// brain that contains one. Later calls do nothing. May be called from several threads at once.
void register_learners();

}  // namespace fearnet::lab
