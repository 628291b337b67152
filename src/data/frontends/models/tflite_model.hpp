// A TensorFlow Lite model as its file describes it: the parts that convolutional networks use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/io/files.hpp"

namespace fearnet::tflite {

enum class Type : std::uint8_t { float32 = 0, int32 = 2, uint8 = 3, int8 = 9 };  // others are refused if used
enum class Op : std::int32_t {
    add = 0,
    average_pool = 1,
    convolution = 3,
    depthwise_convolution = 4,
    dequantize = 6,
    fully_connected = 9,
    reshape = 22,
    mean = 40,
    quantize = 114,
};
enum class Activation : std::uint8_t { none = 0, relu = 1, relu6 = 3 };

// A quantized number q stands for scale * (q - zero_point). Weights may have one scale per channel.
struct Tensor {
    std::vector<std::int32_t> shape;
    Type type = Type::float32;
    io::ByteView data;  // of a constant; empty: computed
    std::vector<float> scale;
    std::vector<std::int64_t> zero_point;
    std::int32_t channel_axis = 0;
};

// The options of one operator; those that it does not have are at their defaults.
struct Operator {
    Op op = Op::add;
    std::vector<std::int32_t> inputs, outputs;  // tensors by number; -1: left out
    bool same_padding = true;  // pad so that outputs = ceil(inputs / stride); false: do not pad
    std::int32_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
    std::int32_t filter_y = 1, filter_x = 1;  // of a pool
    Activation activation = Activation::none;
};

struct Model {
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;  // in the order of computation
    std::int32_t input = 0;
};

// Reads a .tflite file of one graph with one input. The result refers to `file`. Every tensor number in it is
// valid, and every constant has the bytes that its shape and type need. Throws Error, starting with `what`,
// for a damaged file and for operators and types that are not listed above.
Model parse(io::ByteView file, const std::string& what);

}  // namespace fearnet::tflite
