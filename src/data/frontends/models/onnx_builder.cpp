#include "data/frontends/models/onnx_builder.hpp"

namespace fearnet {

using protobuf::Message;

// Field numbers are those of onnx.proto.
namespace {

constexpr std::int64_t kIrVersion = 7;
constexpr std::int64_t kOperatorSet = 13;
constexpr std::int64_t kAttributeInteger = 2;
constexpr std::int64_t kAttributeIntegers = 7;

}  // namespace

void OnnxBuilder::constant(const std::string& name, const Shape& shape, std::span<const float> values) {
    std::string raw;
    raw.reserve(values.size() * sizeof(float));
    for (const float value : values) Message::fixed32(raw, value);
    constant(name, OnnxType::float32, shape, io::as_bytes(raw));
}

void OnnxBuilder::constant(const std::string& name, OnnxType type, const Shape& shape, io::ByteView values) {
    Message tensor;
    for (const std::int64_t size : shape) tensor.integer(1, size);
    tensor.integer(2, static_cast<std::int64_t>(type));
    tensor.text(8, name);
    tensor.text(9, io::as_text(values));
    constants_.message(5, tensor);
}

void OnnxBuilder::node(const std::string& op, const Names& inputs, const std::string& result,
                       const Attributes& attributes) {
    Message node;
    for (const std::string& name : inputs) node.text(1, name);
    node.text(2, result);
    node.text(3, result);
    node.text(4, op);
    for (const auto& [name, values] : attributes) {
        const bool list = name.ends_with('*');
        Message attribute;
        attribute.text(1, name.substr(0, name.size() - (list ? 1 : 0)));
        for (const std::int64_t value : values) attribute.integer(list ? 8 : 3, value);
        attribute.integer(20, list ? kAttributeIntegers : kAttributeInteger);
        node.message(5, attribute);
    }
    nodes_.message(1, node);
}

Message OnnxBuilder::value_info(const std::string& name, OnnxType type, const Shape& shape) {
    Message sizes, tensor, any, value;
    for (const std::int64_t size : shape) {
        Message dimension;
        dimension.integer(1, size);
        sizes.message(1, dimension);
    }
    tensor.integer(1, static_cast<std::int64_t>(type));
    tensor.message(2, sizes);
    any.message(1, tensor);
    value.text(1, name);
    value.message(2, any);
    return value;
}

std::string OnnxBuilder::model(const std::string& name) const {
    Message graph_name, operators, model;
    graph_name.text(2, name);
    operators.text(1, "");
    operators.integer(2, kOperatorSet);
    model.integer(1, kIrVersion);
    model.text(2, "fearnet");
    model.text(7, nodes_.bytes() + graph_name.bytes() + constants_.bytes() + ends_.bytes());
    model.message(8, operators);
    return model.bytes();
}

}  // namespace fearnet
