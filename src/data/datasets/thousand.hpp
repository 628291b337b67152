// The built-in data set "thousand": made-up classes, for streams longer than any real set here has.
#pragma once

#include "fearnet/data/feature_set.hpp"

namespace fearnet {

// 1,000 classes of 20 training and 5 test rows of 64 features, the same every time. Classes
// lie in 50 families; rows vary around their class in 12 directions that all share, in two of its own, and a
// little in all.
FeatureSet make_thousand();

}  // namespace fearnet
