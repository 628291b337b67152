// Classes as points of a plane.
#pragma once

#include <string>
#include <vector>

#include "fearnet/brain.hpp"

namespace fearnet::server {

struct ClassPoint {
    std::string label;
    double x = 0, y = 0;
};

// The class means of the learner in whitened units, on their two main axes; ascending by name. Parts of a
// merged class are averaged. Empty for learners without whitened means.
std::vector<ClassPoint> class_map(const Brain& brain);

}  // namespace fearnet::server
