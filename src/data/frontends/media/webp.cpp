#include <webp/decode.h>

#include <memory>

#include "data/frontends/media/exif.hpp"
#include "data/frontends/media/image_formats.hpp"
#include "data/io/little_endian.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw Error("decode_image: a WebP picture that cannot be read: " + why + "; save it again");
}

std::string reason(VP8StatusCode status) {
    switch (status) {
        case VP8_STATUS_NOT_ENOUGH_DATA:
        case VP8_STATUS_SUSPENDED:
            return "it is truncated";
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return "a feature that is not supported";
        default:
            return "it is damaged (status " + std::to_string(status) + ")";
    }
}

// The length that the file claims for itself. Without this check a missing EXIF chunk at the end would go
// unnoticed.
void check_length(io::ByteView bytes) {
    constexpr std::uint64_t kBefore = 8;
    const auto claimed = io::read_little<std::uint32_t>(bytes.data() + 4);
    if (claimed + kBefore > bytes.size())
        refuse("it is truncated: " + std::to_string(bytes.size()) + " of " +
               std::to_string(claimed + kBefore) + " bytes");
}

}  // namespace

StoredImage decode_webp(io::ByteView bytes, const ImageLimits& limits) {
    check_length(bytes);
    WebPBitstreamFeatures features;
    const VP8StatusCode header = WebPGetFeatures(bytes.data(), bytes.size(), &features);
    if (header != VP8_STATUS_OK) refuse(reason(header));
    check_pixels("WebP", static_cast<std::uint64_t>(features.width),
                 static_cast<std::uint64_t>(features.height), limits);
    if (features.has_animation) throw Error("decode_image: an animated WebP; save one frame as a picture");

    const auto width = static_cast<std::size_t>(features.width);
    const auto height = static_cast<std::size_t>(features.height);
    const std::size_t channels = features.has_alpha ? 4 : 3;
    StoredImage out{.image = {width, height, std::vector<std::uint8_t>(width * height * channels)},
                    .orientation = exif_orientation(exif_in_webp(bytes))};
    std::vector<std::uint8_t>& pixels = out.image.rgb;

    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) refuse("libwebp has another version than its headers");
    config.output.colorspace = features.has_alpha ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {pixels.data(), static_cast<int>(width * channels), pixels.size()};
    const VP8StatusCode status = WebPDecode(bytes.data(), bytes.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status != VP8_STATUS_OK) refuse(reason(status));
    if (features.has_alpha) {
        lay_over_white(pixels.data(), width * height, pixels.data());
        pixels.resize(width * height * 3);
    }
    return out;
}

}  // namespace fearnet
