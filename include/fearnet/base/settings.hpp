// Options as a user gives them: name and value, in order.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fearnet {

using Settings = std::vector<std::pair<std::string, std::string>>;

}  // namespace fearnet
