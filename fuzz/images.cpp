#include <stdexcept>

#include "data/frontends/media/crop.hpp"
#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {
namespace {

void look(io::ByteView bytes, std::size_t wanted_short_side) {
    constexpr ImageLimits kLimits{.max_pixels = 1 << 18};
    const ImageInput input{.width = 12, .height = 16, .short_side = 20};
    std::vector<float> tensor(3 * input.width * input.height);
    const Image image = decode_image(bytes, kLimits, wanted_short_side);
    if (image.rgb.size() != 3 * image.width * image.height)
        throw std::logic_error("a picture whose pixels do not fill it");
    for (const ImagePart part : {ImagePart::center, ImagePart::top_right, ImagePart::bottom_right}) {
        image_tensor(image, input, part, tensor.data());
        for (const float value : tensor)
            if (!(value >= -0.001f && value <= 1.001f)) throw std::logic_error("a value that no pixel has");
    }
}

}  // namespace

void images(io::ByteView bytes) {
    read_or_refuse([&] { look(bytes, kFullSize); });
    read_or_refuse([&] { look(bytes, 20); });
}

}  // namespace fearnet::fuzz
