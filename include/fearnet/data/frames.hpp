// Frames: equal parts of a row with the same features, one after another, such as the embeddings of the
// seconds of a sound. A learner does not look for frames: their number is an option (features.frames). A
// program finds it with these functions before it creates the learner or brain.
//
//     LearnerSpec spec;
//     set_frames(spec, base_rows);
//     Brain brain("sounds.brain", create_new(spec));
#pragma once

#include "fearnet/matrix.hpp"
#include "fearnet/registry.hpp"

namespace fearnet {

// The option of a learner that takes the number of frames.
inline constexpr const char* kFramesOption = "features.frames";

// Returns the number of frames in a row, or 1 if there are none. Frames are recognized by the correlation of
// the same feature in neighboring frames, averaged over the features. Among the divisions into frames of at
// least 8 features with a mean correlation above 0.25, returns the finest one whose correlation is at least
// 0.9 of the largest. Uses at most 1,000 of the rows.
std::size_t find_frames(MatrixView rows);

// True if the learner has the option kFramesOption, the settings do not set it and the preset leaves it at 1.
// Throws Error for an unknown preset. A learner that is not registered does not have the option.
bool frames_are_unset(const LearnerSpec& spec);

// If frames_are_unset(spec), sets kFramesOption to find_frames(base_rows). Pass the rows of the first
// session only. Throws Error for an unknown preset.
void set_frames(LearnerSpec& spec, MatrixView base_rows);

}  // namespace fearnet
