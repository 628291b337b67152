// Sounds from untrusted bytes: WAV, FLAC, OGG (Vorbis, Opus) and MP3.
#pragma once

#include <vector>

#include "core/base/byte_view.hpp"

namespace fearnet {

struct SoundLimits {
    double max_seconds = 600;
    int max_channels = 16;
    int min_rate = 1000, max_rate = 192'000;  // samples per second, as stored
};

// Decodes a sound to one channel, the mean of all, with `rate` samples per second; its first bytes tell the
// format. Whole numbers become -1 to 1.
//
// Throws Error if the bytes are no such sound, exceed a limit, hold no samples, are damaged, or hold NaN,
// infinity or a sample beyond +-1e6. A sound that is longer than the limit is refused and not cut: at once if
// its header tells, otherwise when the limit is reached. WAV and FLAC that hold less than they announce are
// refused; MP3 and OGG, which are streams, are read as far as they go. Beside the result this takes memory
// for a block of samples only.
std::vector<float> decode_sound(io::ByteView bytes, double rate, const SoundLimits& limits = {});

}  // namespace fearnet
