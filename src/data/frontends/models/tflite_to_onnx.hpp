// Converts convolutional networks from TensorFlow Lite to ONNX.
#pragma once

#include <string>

#include "data/io/files.hpp"

namespace fearnet {

// An ONNX model of the part of a TensorFlow Lite classifier that embeds an image: from its input, RGB values
// as the network was trained with, to the features that its fully connected layer reads.
//
//   input  `image`     float32, 1 x 3 x height x width
//   output `features`  float32, 1 x features
//
// `map` names a sum in the network, counted with all its operators: "sum85". The features are then those of the
// fully connected layer and the average of this feature map, each of the two scaled to length one.
//
// The weights are float32: scale * (q - zero_point) of the quantized ones. Activations are not quantized, so
// the result is nearer to the network before it was quantized than the file itself. The same file gives the
// same bytes. Throws Error, starting with `what`, for a damaged file and for a network that it cannot
// convert.
std::string tflite_to_onnx(io::ByteView file, const std::string& what,
                           const std::string& map = {});

}  // namespace fearnet
