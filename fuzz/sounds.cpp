#include <cmath>
#include <stdexcept>

#include "data/frontends/media/mel.hpp"
#include "data/frontends/media/sound.hpp"
#include "formats.hpp"
#include "reading.hpp"

void fearnet::fuzz::sounds(io::ByteView bytes) {
    static const MelSpectrogram mel(
        SoundInput{.rate = 8000, .seconds = 0.5, .fft = 64, .hop = 50, .mels = 8});
    read_or_refuse([&] {
        const std::vector<float> samples = decode_sound(bytes, 8000, {.max_seconds = 5});
        // 400 samples, a hundredth, for the tail of the resampler.
        if (samples.size() > 8000 * 5 + 400) throw std::logic_error("a sound longer than its limit");
        std::vector<float> out(mel.mels() * mel.frames());
        mel(std::span(samples).first(std::min(samples.size(), mel.window_samples())), out.data());
        for (const float value : out)
            if (!std::isfinite(value))
                throw std::logic_error("a spectrogram with numbers that are not finite");
    });
}
