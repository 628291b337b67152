// The built-in data set "thousand": synthetic classes for streams that are longer than those of the real
// sets.
#pragma once

#include "fearnet/data/feature_set.hpp"

namespace fearnet {

// 1,000 classes of 20 training and 5 test rows of 64 features, the same every time. Classes
// lie in 50 families; rows vary around their class in 12 directions that all share, in two of its own, and a
// little in all.
FeatureSet make_thousand();

}  // namespace fearnet
