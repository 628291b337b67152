// What an embedding model wants to be fed. Read from the model's description (data/frontends/models).
#pragma once

#include <array>
#include <cstddef>

namespace fearnet {

// A photograph becomes width x height values per channel: (value - mean) / deviation, with value 0 to 255.
struct ImageInput {
    std::size_t width = 224, height = 224;  // the crop
    std::size_t short_side = 256;           // the picture is scaled to this shorter side first
    std::array<float, 3> mean{0, 0, 0};     // in the order of the channels
    std::array<float, 3> deviation{255, 255, 255};
    bool channels_first = true;  // channel, row, column; otherwise row, column, channel
    bool bgr = false;            // blue first; otherwise red first
    bool crops =
        false;  // the row is the mean over five crops, the center and the corners; otherwise the center
};

// A sound becomes a spectrogram of mels x frames: log10 of the energy in bands of the Slaney mel scale, at
// least the largest value of the clip minus 8, plus 4, divided by 4.
struct SoundInput {
    double rate = 16000;    // samples per second
    double seconds = 5;     // length of a window; shorter sounds are padded with silence
    std::size_t fft = 400;  // samples per Fourier transform, under a periodic Hann window
    std::size_t hop = 160;  // samples between two frames
    std::size_t mels = 80;
};

// A text becomes at most `tokens` token ids with [CLS] and [SEP] around them.
struct TextInput {
    std::size_t tokens = 256;
};

}  // namespace fearnet
