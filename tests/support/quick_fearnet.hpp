// A FearNet that learns blobs in a blink.
#pragma once

#include "fearnet/fearnet_options.hpp"

namespace fearnet::test {

inline FearNetOptions quick() {
    FearNetOptions o;
    o.network.hidden = {32, 16};
    o.training.batch = 32;
    o.training.base_epochs = 80;
    o.sleep.epochs = 40;
    o.training.min_steps = o.sleep.min_steps = 0;
    o.statistics.refresh_samples = 60;
    return o;
}

}  // namespace fearnet::test
