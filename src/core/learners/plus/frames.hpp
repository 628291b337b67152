// Rows that are pieces of one kind, one after another.
#pragma once

#include "fearnet/matrix.hpp"

namespace fearnet {

// How many pieces with the same features the rows consist of, such as the seconds of a sound, each with its
// own embedding; 1 when nothing says that there are several. Then the same feature of neighboring pieces
// goes together: of all ways to cut the rows into pieces of kLeastPiece features or more, it is the finest
// one in which these correlate about as much as in any, if they do by kCorrelated on average.
std::size_t find_frames(MatrixView rows);

inline constexpr std::size_t kLeastPiece = 8;
inline constexpr double kCorrelated = 0.25;

}  // namespace fearnet
