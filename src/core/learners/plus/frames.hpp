// Detects rows that consist of frames.
#pragma once

#include "fearnet/matrix.hpp"

namespace fearnet {

// The number of frames in a row: equal parts with the same features, one after another, such as the
// embeddings of the seconds of a sound. The same feature of neighboring frames is correlated then. Of all
// divisions into frames of at least kLeastPiece features, returns the finest one whose correlation is at
// least 0.9 of the largest, if that is above kCorrelated; else 1.
std::size_t find_frames(MatrixView rows);

inline constexpr std::size_t kLeastPiece = 8;
inline constexpr double kCorrelated = 0.25;

}  // namespace fearnet
