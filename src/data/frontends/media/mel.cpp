#include "data/frontends/media/mel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using Values = Fourier::Values;
constexpr std::size_t kLanes = Fourier::kLanes;

// Slaney's scale: linear up to 1000 Hz, logarithmic above.
constexpr double kHertzPerMel = 200.0 / 3, kKneeHertz = 1000, kKnee = kKneeHertz / kHertzPerMel;
const double kLogStep = std::log(6.4) / 27;

double to_mel(double hertz) {
    return hertz < kKneeHertz ? hertz / kHertzPerMel : kKnee + std::log(hertz / kKneeHertz) / kLogStep;
}

double to_hertz(double mel) {
    return mel < kKnee ? mel * kHertzPerMel : kKneeHertz * std::exp((mel - kKnee) * kLogStep);
}

std::size_t checked_samples(const SoundInput& input) {
    constexpr double kMost = 1 << 28;
    constexpr std::size_t kMostFft = 1 << 16, kMostMels = 1 << 12;
    constexpr double kMostValues = 1 << 26;
    const double samples = input.rate * input.seconds;
    const std::size_t half = input.fft / 2;
    if (!(input.rate > 0 && samples > static_cast<double>(half) && samples <= kMost) || input.fft < 2 ||
        input.fft > kMostFft || input.hop == 0 || static_cast<double>(input.hop) > samples ||
        input.mels == 0 || input.mels > kMostMels ||
        samples / static_cast<double>(input.hop) * static_cast<double>(input.mels) > kMostValues)
        throw Error("MelSpectrogram: " + std::to_string(input.rate) + " samples per second for " +
                    std::to_string(input.seconds) + " s, transforms of " + std::to_string(input.fft) +
                    ", a hop of " + std::to_string(input.hop) + " and " + std::to_string(input.mels) +
                    " bands make no spectrogram; expected a window longer than half a transform and a hop, "
                    "transforms of 2 to 65536, 1 to 4096 bands and at most 67108864 values");
    return static_cast<std::size_t>(std::llround(samples));
}

}  // namespace

MelSpectrogram::MelSpectrogram(const SoundInput& input)
    : input_(input), samples_(checked_samples(input)), fourier_(input.fft), window_(input.fft) {
    for (std::size_t i = 0; i < input.fft; ++i)
        window_[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                                             static_cast<double>(input.fft)));
    make_bands();
}

void MelSpectrogram::make_bands() {
    const double top = to_mel(input_.rate / 2), step = top / static_cast<double>(input_.mels + 1);
    for (std::size_t m = 0; m < input_.mels; ++m) {
        const auto corner = [&](std::size_t i) { return to_hertz(step * static_cast<double>(m + i)); };
        const double left = corner(0), peak = corner(1), right = corner(2);
        Band band;
        for (std::size_t k = 0; k <= input_.fft / 2; ++k) {
            const double hertz = input_.rate * static_cast<double>(k) / static_cast<double>(input_.fft);
            const double height = std::min((hertz - left) / (peak - left), (right - hertz) / (right - peak));
            if (height <= 0) continue;
            if (band.weights.empty()) band.begin = k;
            band.weights.push_back(static_cast<float>(height * 2 / (right - left)));
        }
        bands_.push_back(std::move(band));
    }
}

// The window with silence to its end, and half a transform mirrored at both ends. The first and the last
// sample are not repeated.
std::vector<float> MelSpectrogram::mirrored(std::span<const float> samples) const {
    const std::size_t half = input_.fft / 2;
    std::vector<float> out(samples_ + 2 * half);
    std::copy(samples.begin(), samples.end(), out.begin() + static_cast<std::ptrdiff_t>(half));
    for (std::size_t i = 1; i <= half; ++i) {
        out[half - i] = out[half + i];
        out[half + samples_ - 1 + i] = out[half + samples_ - 1 - i];
    }
    return out;
}

// Each transform has two frames, one as the real and one as the imaginary part: with z the transform,
// (z[k] + conj z[-k]) / 2 is that of the first, (z[k] - conj z[-k]) / 2i that of the second.
void MelSpectrogram::add_bands(const Values* spectra, std::size_t frame, float* out) const {
    const std::size_t bins = input_.fft / 2 + 1;
    std::vector<Values> power(bins);
    for (std::size_t k = 0; k < bins; ++k) {
        const Values& a = spectra[k];
        const Values& b = spectra[(input_.fft - k) % input_.fft];
        for (std::size_t l = 0; l < kLanes; ++l) {
            const float first_real = a.real[l] + b.real[l], first_imaginary = a.imaginary[l] - b.imaginary[l];
            const float second_real = a.imaginary[l] + b.imaginary[l],
                        second_imaginary = b.real[l] - a.real[l];
            power[k].real[l] = 0.25f * (first_real * first_real + first_imaginary * first_imaginary);
            power[k].imaginary[l] = 0.25f * (second_real * second_real + second_imaginary * second_imaginary);
        }
    }
    for (std::size_t m = 0; m < bands_.size(); ++m) {
        Values sum{};
        const Band& band = bands_[m];
        for (std::size_t i = 0; i < band.weights.size(); ++i)
            for (std::size_t l = 0; l < kLanes; ++l) {
                sum.real[l] += band.weights[i] * power[band.begin + i].real[l];
                sum.imaginary[l] += band.weights[i] * power[band.begin + i].imaginary[l];
            }
        for (std::size_t i = 0; i < std::min(2 * kLanes, frames() - frame); ++i)
            out[m * frames() + frame + i] = i < kLanes ? sum.real[i] : sum.imaginary[i - kLanes];
    }
}

void MelSpectrogram::operator()(std::span<const float> samples, float* out) const {
    if (samples.size() > samples_)
        throw Error("MelSpectrogram: " + std::to_string(samples.size()) + " samples for a window of " +
                    std::to_string(samples_) + "; give at most one window");
    const std::vector<float> sound = mirrored(samples);
    std::vector<Values> values(input_.fft), scratch(input_.fft);
    for (std::size_t frame = 0; frame < frames(); frame += 2 * kLanes) {
        for (std::size_t l = 0; l < 2 * kLanes; ++l) {
            // Frames after the last are computed from the last, and not written.
            const float* from = sound.data() + std::min(frame + l, frames() - 1) * input_.hop;
            for (std::size_t i = 0; i < input_.fft; ++i)
                (l < kLanes ? values[i].real[l] : values[i].imaginary[l - kLanes]) = window_[i] * from[i];
        }
        fourier_.transform(values.data(), scratch.data());
        add_bands(values.data(), frame, out);
    }

    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < mels() * frames(); ++i) {
        out[i] = std::log10(std::max(out[i], 1e-10f));
        largest = std::max(largest, out[i]);
    }
    for (std::size_t i = 0; i < mels() * frames(); ++i) out[i] = (std::max(out[i], largest - 8) + 4) / 4;
}

}  // namespace fearnet
