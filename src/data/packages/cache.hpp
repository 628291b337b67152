// The folder of downloaded files.
#pragma once

#include <filesystem>

namespace fearnet {

// `given` unless it is empty, else $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet. Throws Error
// when nothing names a folder.
std::filesystem::path cache_folder(const std::filesystem::path& given);

// The value of an environment variable; null: not set, or empty.
const char* environment(const char* name);

}  // namespace fearnet
