#include "core/base/bytes.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace fearnet {

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    double value = static_cast<double>(bytes);
    const char* unit = "";
    for (const char* larger : {"kB", "MB", "GB", "TB"}) {
        if (value < 1000) break;
        value /= 1000;
        unit = larger;
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.1f %s", value, unit);
    return text.data();
}

std::uint64_t machine_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                                 : std::uint64_t{1} << 62;
}

}  // namespace fearnet
