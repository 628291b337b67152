// A State on disk: what Learner::save gave, kept in a file. docs/formats/state.md describes the bytes.
#pragma once

#include <filesystem>

#include "fearnet/state.hpp"

namespace fearnet {

// Afterwards `path` holds the state; when this throws Error, or the machine stops halfway, `path` is as it
// was before. The same state gives the same bytes.
void save_state(const State& state, const std::filesystem::path& path);

// What save_state wrote, bit for bit. Throws Error naming the file when it is missing, cut short, damaged
// (every entry has a checksum), of another kind or of a version newer than this library.
State load_state(const std::filesystem::path& path);

}  // namespace fearnet
