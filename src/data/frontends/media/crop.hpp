// From a picture to the numbers of an embedding network.
#pragma once

#include "data/frontends/media/image.hpp"
#include "data/frontends/media/inputs.hpp"

namespace fearnet {

// What a network sees of a picture, whose shorter side is scaled to ImageInput::short_side first.
enum class ImagePart { center, top_left, top_right, bottom_left, bottom_right };

// Writes 3 * input.width * input.height numbers to `out`. Pixels are scaled as PIL's BILINEAR does: a
// triangle filter, which widens with the ratio when it shrinks a picture; results are not rounded to whole
// values. Sizes are those of torchvision's Resize and CenterCrop: the longer side is cut to whole pixels, and
// a margin that is odd leaves the even half before the crop.
//
// Throws Error when the crop is larger than the short side, or the picture has no pixels.
void image_tensor(const Image& image, const ImageInput& input, ImagePart part, float* out);

}  // namespace fearnet
