// Decoded, resampled and transformed sounds, against formulas.
#include "data/frontends/media/sound.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "data/frontends/media/fourier.hpp"
#include "data/frontends/media/mel.hpp"
#include "data/frontends/media/resampler.hpp"
#include "fearnet/rng.hpp"
#include "support/data_files.hpp"
#include "support/media_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::little;
using test::sine;
using Samples = std::vector<float>;

// ---- Decoding ----

TEST(Sound, whole_and_floating_numbers_of_every_width_become_minus_one_to_one) {
    // Half, minus a quarter and the smallest number of each format.
    const Samples expected{0.5f, -0.25f, -1};
    EXPECT_EQ(decode_sound(test::wav_of(std::string("\xc0\x60\x00", 3), 1, 16000, 8), 16000), expected);
    EXPECT_EQ(
        decode_sound(test::wav_of(little(0x4000, 2) + little(0xe000, 2) + little(0x8000, 2), 1, 16000, 16),
                     16000),
        expected);
    EXPECT_EQ(decode_sound(
                  test::wav_of(little(0x400000, 3) + little(0xe00000, 3) + little(0x800000, 3), 1, 16000, 24),
                  16000),
              expected);
    EXPECT_EQ(decode_sound(test::wav_of(little(0x40000000, 4) + little(0xe0000000, 4) + little(0x80000000, 4),
                                        1, 16000, 32),
                           16000),
              expected);
    // IEEE 754: 0.5, -0.25 and -1.
    EXPECT_EQ(decode_sound(test::wav_of(little(0x3f000000, 4) + little(0xbe800000, 4) + little(0xbf800000, 4),
                                        1, 16000, 32, 3),
                           16000),
              expected);
    EXPECT_EQ(decode_sound(test::wav_of(little(0x3fe0000000000000, 8) + little(0xbfd0000000000000, 8) +
                                            little(0xbff0000000000000, 8),
                                        1, 16000, 64, 3),
                           16000),
              expected);
}

TEST(Sound, channels_are_averaged) {
    EXPECT_EQ(decode_sound(test::wav_of({16384, 0, -16384, 16384, 32767, -32767}, 2), 16000),
              (Samples{0.25f, 0, 0}));
    EXPECT_EQ(decode_sound(test::wav_of({16384, 0, 0, 0}, 4), 16000), (Samples{0.125f}));
}

TEST(Sound, flac_is_exact_and_other_codecs_are_near) {
    const Samples sound = sine(440, 16000, 16000);
    const auto decoded = [&](int format) {
        return decode_sound(test::encoded_sound(sound, 1, 16000, format), 16000);
    };
    const Samples flac = decoded(SF_FORMAT_FLAC | SF_FORMAT_PCM_16),
                  deep = decoded(SF_FORMAT_FLAC | SF_FORMAT_PCM_24);
    ASSERT_EQ(flac.size(), sound.size());
    ASSERT_EQ(deep.size(), sound.size());
    for (std::size_t i = 0; i < sound.size(); ++i) {
        EXPECT_NEAR(flac[i], sound[i], 1.0 / 32768);
        EXPECT_NEAR(deep[i], sound[i], 1.0 / 8388608);
    }
    for (const int format : {SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS,
                             SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}) {
        const Samples lossy = decoded(format);
        ASSERT_NEAR(static_cast<double>(lossy.size()), 16000, 1700) << std::hex << format;
        // The share of the energy that a sine of 440 Hz, of any phase, explains.
        double c = 0, s = 0, all = 0;
        for (std::size_t i = 2000; i < 14000; ++i) {
            const double angle = 2 * std::numbers::pi * 440 * static_cast<double>(i) / 16000;
            c += lossy[i] * std::cos(angle), s += lossy[i] * std::sin(angle), all += lossy[i] * lossy[i];
        }
        EXPECT_GT((c * c + s * s) / (6000 * all), 0.99) << std::hex << format;
        EXPECT_NEAR(std::sqrt(all / 12000), 0.5 / std::numbers::sqrt2, 0.02) << std::hex << format;
    }
}

TEST(Sound, the_longest_length_that_is_allowed_is_read) {
    const io::Bytes second = test::wav_of(std::vector<int>(16000, 100));
    EXPECT_EQ(decode_sound(second, 16000, {.max_seconds = 1}).size(), 16000u);
    expect_error([&] { decode_sound(second, 16000, {.max_seconds = 0.999}); }, {"1 s or more; at most 1 s"});
}

// ---- Resampling ----

Samples resampled(const Samples& samples, double from, double to, std::size_t block) {
    Resampler resampler(from, to);
    Samples out;
    for (std::size_t at = 0; at < samples.size(); at += block)
        resampler.add(std::span(samples).subspan(at, std::min(block, samples.size() - at)), out);
    resampler.finish(out);
    return out;
}

TEST(ResamplerTest, a_tone_keeps_its_frequency_phase_and_loudness) {
    for (const auto& [from, to] :
         {std::pair(44100.0, 16000.0), {8000.0, 16000.0}, {48000.0, 16000.0}, {22050.0, 44100.0}}) {
        const Samples out = resampled(sine(440, from, static_cast<std::size_t>(from)), from, to, 1000);
        ASSERT_NEAR(static_cast<double>(out.size()), to, 2) << from << " to " << to;
        const Samples expected = sine(440, to, out.size());
        for (std::size_t i = 500; i + 500 < out.size(); ++i)
            ASSERT_NEAR(out[i], expected[i], 1e-3) << from << ' ' << i;
    }
}

TEST(ResamplerTest, tones_above_half_the_new_rate_are_removed) {
    const Samples out = resampled(sine(10000, 44100, 44100), 44100, 16000, 4096);
    for (std::size_t i = 500; i + 500 < out.size(); ++i) ASSERT_LT(std::abs(out[i]), 1e-3) << i;
}

TEST(ResamplerTest, blocks_do_not_matter_and_equal_rates_change_nothing) {
    const Samples sound = sine(440, 44100, 10000);
    EXPECT_EQ(resampled(sound, 44100, 16000, 7), resampled(sound, 44100, 16000, 10000));
    EXPECT_EQ(resampled(sound, 44100, 44100, 7), sound);
    EXPECT_TRUE(resampled({}, 44100, 16000, 1).empty());
}

// ---- Fourier ----

TEST(FourierTest, transforms_of_any_size_are_the_sum_that_defines_them) {
    constexpr double kRounding = 1e-5;  // per value and unit of the sum
    Rng rng(3);
    for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 16u, 30u, 49u, 97u, 128u, 400u}) {
        std::vector<Fourier::Values> values(size), scratch(size);
        for (Fourier::Values& v : values)
            for (std::size_t l = 0; l < Fourier::kLanes; ++l) {
                v.real[l] = static_cast<float>(rng.normal());
                v.imaginary[l] = static_cast<float>(rng.normal());
            }
        const std::vector<Fourier::Values> before = values;
        Fourier(size).transform(values.data(), scratch.data());
        for (std::size_t k = 0; k < size; ++k)
            for (const std::size_t l : {std::size_t{0}, Fourier::kLanes - 1}) {
                std::complex<double> sum = 0;
                for (std::size_t n = 0; n < size; ++n)
                    sum += std::complex<double>(before[n].real[l], before[n].imaginary[l]) *
                           std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * n % size) /
                                               static_cast<double>(size));
                const double most = kRounding * static_cast<double>(size + 10);
                ASSERT_NEAR(values[k].real[l], sum.real(), most) << size << ' ' << k;
                ASSERT_NEAR(values[k].imaginary[l], sum.imag(), most) << size << ' ' << k;
            }
    }
}

// ---- Spectrogram ----

// Slaney's scale: 3 mel per 200 Hz up to 1000 Hz, then 27 mel per factor of 6.4.
double hertz(double mel) {
    return mel < 15 ? 200 * mel / 3 : 1000 * std::pow(6.4, (mel - 15) / 27);
}
double mel_of(double hertz) {
    return hertz < 1000 ? 3 * hertz / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}

constexpr SoundInput kSmall{.rate = 16000, .seconds = 0.5, .fft = 256, .hop = 128, .mels = 20};

std::vector<float> spectrogram(const SoundInput& input, const Samples& samples) {
    const MelSpectrogram mel(input);
    std::vector<float> out(mel.mels() * mel.frames(), -99);
    mel(samples, out.data());
    return out;
}

TEST(Mel, sizes_follow_from_rate_seconds_and_hop) {
    const MelSpectrogram whisper{SoundInput{}};
    EXPECT_EQ(whisper.window_samples(), 80000u);
    EXPECT_EQ(whisper.mels(), 80u);
    EXPECT_EQ(whisper.frames(), 500u);
}

TEST(Mel, silence_is_the_smallest_value) {
    // log10(1e-10) = -10, and (-10 + 4) / 4 = -1.5.
    for (const float value : spectrogram(kSmall, Samples(100, 0))) EXPECT_FLOAT_EQ(value, -1.5f);
}

TEST(Mel, a_click_has_the_energy_of_the_window_in_every_band) {
    // The spectrum of one sample of height 1 under the window w is w^2 at every frequency. A band adds the
    // heights of its triangle at the frequencies of the transform, times 2 over its width.
    Samples click(8000, 0);
    constexpr std::size_t kAt = 4000;
    click[kAt] = 1;
    const std::vector<float> out = spectrogram(kSmall, click);
    const std::size_t frames = 8000 / 128;
    std::vector<double> expected(out.size());
    double largest = -10;
    for (std::size_t m = 0; m < 20; ++m) {
        const double step = mel_of(8000) / 21;
        const double left = hertz(step * static_cast<double>(m)),
                     peak = hertz(step * static_cast<double>(m + 1)),
                     right = hertz(step * static_cast<double>(m + 2));
        double weights = 0;
        for (int k = 0; k <= 128; ++k) {
            const double f = 62.5 * k;
            weights += std::max(0.0, std::min((f - left) / (peak - left), (right - f) / (right - peak))) * 2 /
                       (right - left);
        }
        for (std::size_t f = 0; f < frames; ++f) {
            // Frame f is centered on sample 128 f.
            const double n = static_cast<double>(kAt) - 128.0 * static_cast<double>(f) + 128;
            const double w = n < 0 || n >= 256 ? 0 : 0.5 - 0.5 * std::cos(2 * std::numbers::pi * n / 256);
            expected[m * frames + f] = std::log10(std::max(w * w * weights, 1e-10));
            largest = std::max(largest, expected[m * frames + f]);
        }
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_NEAR(out[i], (std::max(expected[i], largest - 8) + 4) / 4, 1e-3)
            << i / frames << ' ' << i % frames;
}

TEST(Mel, a_tone_is_loudest_in_the_band_around_its_frequency) {
    const std::size_t frames = 8000 / 128;
    for (const double tone : {300.0, 1000.0, 2500.0, 6000.0}) {
        const std::vector<float> out = spectrogram(kSmall, sine(tone, 16000, 8000));
        std::size_t loudest = 0;
        for (std::size_t m = 0; m < 20; ++m)
            if (out[m * frames + 30] > out[loudest * frames + 30]) loudest = m;
        const double step = mel_of(8000) / 21;
        EXPECT_GT(tone, hertz(step * static_cast<double>(loudest))) << tone;
        EXPECT_LT(tone, hertz(step * static_cast<double>(loudest + 2))) << tone;
    }
}

TEST(Mel, a_short_sound_is_followed_by_silence) {
    const Samples sound = sine(440, 16000, 2000);
    Samples padded = sound;
    padded.resize(8000, 0);
    EXPECT_EQ(spectrogram(kSmall, sound), spectrogram(kSmall, padded));
}

TEST(Mel, what_makes_no_spectrogram_is_refused) {
    const auto refused = [](SoundInput input) {
        expect_error([&] { const MelSpectrogram mel(input); }, {"make no spectrogram"});
    };
    SoundInput input = kSmall;
    input.rate = 0, refused(input), input = kSmall;
    input.rate = std::numeric_limits<double>::quiet_NaN(), refused(input), input = kSmall;
    input.seconds = 0.005, refused(input), input = kSmall;
    input.seconds = 1e9, refused(input), input = kSmall;
    input.fft = 1, refused(input), input = kSmall;
    input.fft = 65537, refused(input), input = kSmall;
    input.hop = 0, refused(input), input = kSmall;
    input.hop = 8001, refused(input), input = kSmall;
    input.mels = 0, refused(input), input = kSmall;
    input.mels = 4097, refused(input);
    const MelSpectrogram mel(kSmall);
    std::vector<float> out(mel.mels() * mel.frames());
    expect_error([&] { mel(Samples(8001, 0), out.data()); }, {"8001", "8000"});
}

}  // namespace
}  // namespace fearnet
