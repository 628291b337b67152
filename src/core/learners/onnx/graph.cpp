#include "core/learners/onnx/graph.hpp"

namespace fearnet::onnx {
namespace {

// Both are read by OpenCV 4.6 and by every onnxruntime since 1.3. In operator set 12, Reduce* still have
// their axes as attributes, which is all that OpenCV reads.
constexpr std::int64_t kIrVersion = 7;
constexpr std::int64_t kOperatorSet = 12;
// Numbers of onnx.proto's enumerations.
constexpr std::int64_t kFloat32 = 1;
constexpr std::int64_t kAttributeInteger = 2;
constexpr std::int64_t kAttributeIntegers = 7;

Message pair(const std::string& key, const std::string& value) {
    Message entry;
    entry.text(1, key);
    entry.text(2, value);
    return entry;
}

}  // namespace

void Graph::constant(const std::string& name, MatrixView values, bool flat) {
    Message tensor;
    if (!flat) tensor.integer(1, static_cast<std::int64_t>(values.rows));
    tensor.integer(1, static_cast<std::int64_t>(values.cols));
    tensor.integer(2, kFloat32);
    tensor.text(8, name);
    std::string raw;
    raw.reserve(values.rows * values.cols * sizeof(float));
    for (std::size_t i = 0; i < values.rows; ++i)
        for (const float value : values.row_span(i)) Message::fixed32(raw, value);
    tensor.text(9, raw);
    constants_.message(5, tensor);
}

void Graph::node(const std::string& op, const Names& inputs, const std::string& result,
                 std::initializer_list<std::pair<const char*, std::int64_t>> attributes) {
    add_node(op, inputs, {result}, attributes);
}

void Graph::split(const std::string& rows, const Names& results) {
    add_node("Split", {rows}, results, {{"axis", 1}});
}

void Graph::add_node(const std::string& op, const Names& inputs, const Names& results,
                     Attributes attributes) {
    Message node;
    for (const std::string& name : inputs) node.text(1, name);
    for (const std::string& name : results) node.text(2, name);
    node.text(3, results[0]);
    node.text(4, op);
    for (const auto& [name, value] : attributes) {
        std::string_view key = name;
        const bool list = key.ends_with('*');
        if (list) key.remove_suffix(1);
        Message attribute;
        attribute.text(1, key);
        attribute.integer(list ? 8 : 3, value);
        attribute.integer(20, list ? kAttributeIntegers : kAttributeInteger);
        node.message(5, attribute);
    }
    nodes_.message(1, node);
}

Message Graph::batch_of(const std::string& name, std::size_t columns) {
    Message batch, width, shape, tensor, type, value;
    batch.text(2, "batch");
    width.integer(1, static_cast<std::int64_t>(columns));
    shape.message(1, batch);
    shape.message(1, width);
    tensor.integer(1, kFloat32);
    tensor.message(2, shape);
    type.message(1, tensor);
    value.text(1, name);
    value.message(2, type);
    return value;
}

std::string Graph::model(const Model& about) const {
    Message name, operators, model;
    name.text(2, about.name);
    operators.text(1, "");
    operators.integer(2, kOperatorSet);
    model.integer(1, kIrVersion);
    model.text(2, about.producer);
    model.text(3, about.version);
    model.text(6, about.description);
    model.text(7, nodes_.bytes() + name.bytes() + constants_.bytes() + ends_.bytes());
    model.message(8, operators);
    for (const auto& [key, value] : about.metadata) model.message(14, pair(key, value));
    return model.bytes();
}

}  // namespace fearnet::onnx
