// The files of experiments/ inside the program.
#pragma once

#include <vector>

#include "core/base/embedded_file.hpp"

namespace fearnet::lab {

const std::vector<EmbeddedFile>& embedded_experiments();

}  // namespace fearnet::lab
