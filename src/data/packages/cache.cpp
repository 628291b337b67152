#include "data/packages/cache.hpp"

#include <cstdlib>

#include "fearnet/error.hpp"

namespace fearnet {

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

std::filesystem::path cache_folder(const std::filesystem::path& given) {
    if (!given.empty()) return given;
    if (const char* folder = environment("FEARNET_CACHE")) return folder;
    if (const char* folder = environment("XDG_CACHE_HOME")) return std::filesystem::path(folder) / "fearnet";
    if (const char* home = environment("HOME")) return std::filesystem::path(home) / ".cache" / "fearnet";
    throw Error("no folder for downloaded data: set FEARNET_CACHE to one");
}

}  // namespace fearnet
