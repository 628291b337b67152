// From samples to the spectrogram of a sound model.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/frontends/media/fourier.hpp"
#include "data/frontends/media/inputs.hpp"

namespace fearnet {

// The log mel spectrogram of Whisper's feature extractor: the sound mirrored by half a transform at both
// ends, a periodic Hann window, power spectra, triangular bands of Slaney's mel scale from 0 to half the rate
// with Slaney's normalization, and values as in SoundInput.
class MelSpectrogram {
  public:
    // Throws Error when the numbers of `input` do not make a spectrogram.
    explicit MelSpectrogram(const SoundInput& input);

    std::size_t window_samples() const { return samples_; }
    std::size_t mels() const { return input_.mels; }
    std::size_t frames() const { return samples_ / input_.hop; }

    // Writes mels() x frames() numbers, band by band. Silence follows the samples if there are fewer than
    // window_samples(). Throws Error if there are more.
    void operator()(std::span<const float> samples, float* out) const;

  private:
    // The frequencies begin .. begin + weights.size() of a spectrum that make a band.
    struct Band {
        std::size_t begin = 0;
        std::vector<float> weights;
    };

    void make_bands();
    std::vector<float> mirrored(std::span<const float> samples) const;
    void add_bands(const Fourier::Values* spectra, std::size_t frame, float* out) const;

    SoundInput input_;
    std::size_t samples_;
    Fourier fourier_;
    std::vector<float> window_;
    std::vector<Band> bands_;
};

}  // namespace fearnet
