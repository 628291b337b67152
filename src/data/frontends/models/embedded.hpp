// The files of models/ inside the library.
#pragma once

#include <vector>

#include "core/base/embedded_file.hpp"

namespace fearnet {

const std::vector<EmbeddedFile>& embedded_models();

}  // namespace fearnet
