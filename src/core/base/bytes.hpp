// Sizes of memory, for limits and messages.
#pragma once

#include <cstdint>
#include <string>

namespace fearnet {

// "12.3 MB"; decimal units, as the program's --max-bytes takes them.
std::string bytes_text(std::uint64_t bytes);

// Bytes of memory in this machine, whether free or not.
std::uint64_t machine_memory();

}  // namespace fearnet
