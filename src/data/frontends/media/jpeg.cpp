#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "data/frontends/media/exif.hpp"
#include "data/frontends/media/image_formats.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

struct Close {
    void operator()(void* decoder) const { tjDestroy(decoder); }
};
using Decoder = std::unique_ptr<void, Close>;

[[noreturn]] void refuse(const std::string& why) {
    throw Error("decode_image: a JPEG picture that cannot be read: " + why + "; save it again");
}

// The decoder goes on after all that it can mend, and tells the first of these warnings. Only these cost no
// pixels. An error that ends the decoding replaces the warning before it, and counts as one.
bool is_harmless(std::string_view warning) {
    constexpr std::string_view kHarmless[] = {"extraneous bytes", "Adobe color transform", "JFIF revision",
                                              "Invalid SOS parameters", "Inconsistent progression"};
    return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                       [&](std::string_view words) { return warning.find(words) != std::string_view::npos; });
}

// Whether the mark of the end follows the pixels. After a harmless warning the decoder does not tell.
bool has_end(io::ByteView bytes) {
    constexpr std::uint8_t kStuffed = 0, kFirstRestart = 0xd0, kStart = 0xd8, kEnd = 0xd9;
    for (std::size_t at = 2; at + 2 <= bytes.size();) {
        const std::uint8_t marker = bytes[at + 1];
        if (bytes[at] != 0xff || marker == 0xff || marker == kStuffed) {
            ++at;
        } else if (marker == kEnd) {
            return true;
        } else if (marker >= kFirstRestart && marker <= kStart) {
            at += 2;
        } else {
            if (at + 4 > bytes.size()) break;
            at += 2 + std::max<std::size_t>(std::size_t{bytes[at + 2]} << 8 | bytes[at + 3], 2);
        }
    }
    return false;
}

// The smallest of 1, 1/2, 1/4, 1/8 with which the shorter side keeps `wanted` pixels. Between these the
// decoder is slower than at full size.
tjscalingfactor scaling(int width, int height, std::size_t wanted) {
    tjscalingfactor best{1, 1};
    for (int denominator = 2; denominator <= 8; denominator *= 2) {
        const tjscalingfactor next{1, denominator};
        if (static_cast<std::size_t>(TJSCALED(std::min(width, height), next)) >= wanted) best = next;
    }
    return best;
}

// Adobe's inverted inks, which is what files with four inks hold: 255 is no ink.
void inks_to_rgb(const std::vector<std::uint8_t>& cmyk, std::vector<std::uint8_t>& rgb) {
    for (std::size_t i = 0; i < rgb.size() / 3; ++i)
        for (std::size_t c = 0; c < 3; ++c)
            rgb[3 * i + c] = static_cast<std::uint8_t>((cmyk[4 * i + c] * cmyk[4 * i + 3] + 127) / 255);
}

}  // namespace

StoredImage decode_jpeg(io::ByteView bytes, const ImageLimits& limits, std::size_t wanted_short_side) {
    const Decoder decoder(tjInitDecompress());
    if (!decoder) throw OutOfMemory("decode_image: not enough memory for a JPEG decoder");
    int width = 0, height = 0, sampling = 0, colors = -1;
    const auto size = static_cast<unsigned long>(bytes.size());
    // A result other than 0 with a width may only mean that the sampling has no name, which is no obstacle,
    // or a warning.
    const int result =
        tjDecompressHeader3(decoder.get(), bytes.data(), size, &width, &height, &sampling, &colors);
    if (const std::string why = tjGetErrorStr2(decoder.get());
        width < 1 || height < 1 || (result != 0 && sampling >= 0 && !is_harmless(why)))
        refuse(why);
    check_pixels("JPEG", static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), limits);

    const tjscalingfactor scale = scaling(width, height, wanted_short_side);
    width = TJSCALED(width, scale);
    height = TJSCALED(height, scale);
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const bool inks = colors == TJCS_CMYK || colors == TJCS_YCCK;
    std::vector<std::uint8_t> values(pixels * (inks ? 4 : 3));
    if (tjDecompress2(decoder.get(), bytes.data(), size, values.data(), width, 0, height,
                      inks ? TJPF_CMYK : TJPF_RGB, TJFLAG_LIMITSCANS) != 0) {
        const std::string why = tjGetErrorStr2(decoder.get());
        if (!is_harmless(why) || !has_end(bytes)) refuse("it is truncated or damaged (" + why + ")");
    }
    StoredImage out{.image = {static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}},
                    .orientation = exif_orientation(exif_in_jpeg(bytes))};
    if (inks) {
        out.image.rgb.resize(pixels * 3);
        inks_to_rgb(values, out.image.rgb);
    } else {
        out.image.rgb = std::move(values);
    }
    return out;
}

}  // namespace fearnet
