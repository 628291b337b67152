// Saving a State, the result of Learner::save, to a file and loading it. docs/formats/state.md describes the
// file.
#pragma once

#include <filesystem>

#include "fearnet/state.hpp"

namespace fearnet {

// Writes a state to `path`, atomically: if this throws Error or the machine stops halfway, `path` is
// unchanged. The same state gives the same bytes.
void save_state(const State& state, const std::filesystem::path& path);

// Reads what save_state wrote, bit for bit. Throws Error, with the file in the message, if it is missing,
// truncated, damaged (every entry has a checksum), not a state, or of another format version.
State load_state(const std::filesystem::path& path);

}  // namespace fearnet
