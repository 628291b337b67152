// Photographs from untrusted bytes: JPEG, PNG and WebP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/byte_view.hpp"

namespace fearnet {

// A picture as a person would see it: upright, red, green, blue, row by row from the top left.
struct Image {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  // width * height * 3
};

struct ImageLimits {
    std::uint64_t max_pixels = 100'000'000;  // checked before memory for pixels is taken
};

inline constexpr std::size_t kFullSize = std::numeric_limits<std::size_t>::max();

// Decodes a picture; its first bytes tell the format. All color types, 16 bits and interlaced PNG are read;
// transparent pixels are laid over white; the EXIF orientation is applied.
//
// A JPEG is decoded at 1/2, 1/4 or 1/8 of its size, which is much faster, if the shorter side still has
// `wanted_short_side` pixels or more.
//
// Throws Error if the bytes are no such picture, have more pixels than the limit, are damaged, or end too
// early, even if only the last bytes are missing. An animated WebP is refused, of an animated PNG the still
// picture is read. Takes at most 16 bytes of memory per pixel.
Image decode_image(io::ByteView bytes, const ImageLimits& limits = {},
                   std::size_t wanted_short_side = kFullSize);

}  // namespace fearnet
