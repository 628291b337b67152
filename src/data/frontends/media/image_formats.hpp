// The decoder of each format. Each expects bytes that start as its format does, and throws Error.
#pragma once

#include <string>

#include "data/frontends/media/image.hpp"

namespace fearnet {

struct StoredImage {
    Image image;
    int orientation = 1;  // of EXIF, 1 to 8: how `image` must be turned
};

StoredImage decode_jpeg(io::ByteView bytes, const ImageLimits& limits, std::size_t wanted_short_side);
StoredImage decode_png(io::ByteView bytes, const ImageLimits& limits);
StoredImage decode_webp(io::ByteView bytes, const ImageLimits& limits);

// Throws Error when width x height is more than the limit.
void check_pixels(const std::string& format, std::uint64_t width, std::uint64_t height,
                  const ImageLimits& limits);

// `rgba` over white, as `pixels` times RGB. `rgb` may be the same memory.
void lay_over_white(const std::uint8_t* rgba, std::size_t pixels, std::uint8_t* rgb);

// Turns and mirrors a picture as EXIF's orientation 1 to 8 asks.
Image upright(StoredImage stored);

}  // namespace fearnet
