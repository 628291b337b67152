#include "fearnet/error.hpp"

namespace fearnet {

Error::Error(const std::string& message) : std::runtime_error(printable(message)) {}

}  // namespace fearnet
