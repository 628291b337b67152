#include "data/frontends/media/image.hpp"

#include <new>

#include "data/frontends/media/image_formats.hpp"
#include "data/frontends/media/kind.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

StoredImage decode(io::ByteView bytes, const ImageLimits& limits, std::size_t wanted_short_side) {
    switch (media_format(bytes)) {
        case MediaFormat::jpeg:
            return decode_jpeg(bytes, limits, wanted_short_side);
        case MediaFormat::png:
            return decode_png(bytes, limits);
        case MediaFormat::webp:
            return decode_webp(bytes, limits);
        default:
            throw Error("decode_image: " + std::to_string(bytes.size()) +
                        " bytes that do not start as a JPEG, PNG or WebP picture; convert the picture");
    }
}

}  // namespace

Image decode_image(io::ByteView bytes, const ImageLimits& limits, std::size_t wanted_short_side) {
    try {
        return upright(decode(bytes, limits, wanted_short_side));
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("decode_image: not enough memory for the pixels; scale the picture down");
    }
}

void check_pixels(const std::string& format, std::uint64_t width, std::uint64_t height,
                  const ImageLimits& limits) {
    // No format has sides of 2^32 pixels or more.
    if (width * height <= limits.max_pixels) return;
    throw Error("decode_image: a " + format + " picture of " + std::to_string(width) + " x " +
                std::to_string(height) + " = " + std::to_string(width * height) + " pixels; at most " +
                std::to_string(limits.max_pixels) + " are read; scale it down");
}

void lay_over_white(const std::uint8_t* rgba, std::size_t pixels, std::uint8_t* rgb) {
    for (std::size_t i = 0; i < pixels; ++i) {
        const unsigned alpha = rgba[4 * i + 3], white = (255 - alpha) * 255;
        for (std::size_t c = 0; c < 3; ++c)
            rgb[3 * i + c] = static_cast<std::uint8_t>((rgba[4 * i + c] * alpha + white + 127) / 255);
    }
}

Image upright(StoredImage stored) {
    const Image& from = stored.image;
    const int o = stored.orientation;
    if (o <= 1 || o > 8) return std::move(stored.image);
    const bool transposed = o >= 5;
    // The stored column that the first column (or, transposed, row) shows, and the stored row likewise.
    const bool from_right = o == 2 || o == 3 || o == 7 || o == 8;
    const bool from_bottom = o == 3 || o == 4 || o == 6 || o == 7;
    Image to{.width = transposed ? from.height : from.width,
             .height = transposed ? from.width : from.height,
             .rgb = std::vector<std::uint8_t>(from.rgb.size())};
    std::uint8_t* out = to.rgb.data();
    for (std::size_t y = 0; y < to.height; ++y)
        for (std::size_t x = 0; x < to.width; ++x, out += 3) {
            std::size_t column = transposed ? y : x, row = transposed ? x : y;
            if (from_right) column = from.width - 1 - column;
            if (from_bottom) row = from.height - 1 - row;
            const std::uint8_t* pixel = from.rgb.data() + 3 * (row * from.width + column);
            for (int c = 0; c < 3; ++c) out[c] = pixel[c];
        }
    return to;
}

}  // namespace fearnet
