#include "data/frontends/models/tflite_model.hpp"

#include <algorithm>

#include "data/frontends/models/flatbuffer.hpp"
#include "fearnet/error.hpp"

// Field numbers are the positions of the fields in the tables of TensorFlow Lite's schema.fbs, version 3.
namespace fearnet::tflite {
namespace {

using flatbuffer::Table;

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 30;  // of one tensor
constexpr std::int32_t kMaxStep = 1024;                         // strides, dilations, filters
constexpr std::size_t kMaxTables = 100'000;                     // tensors, operators

std::uint64_t bytes_of(Type type) {
    return type == Type::float32 || type == Type::int32 ? 4 : 1;
}

Tensor read_tensor(const Table& table, const std::vector<Table>& buffers, const std::string& what) {
    Tensor tensor;
    tensor.shape = table.i32s(0);
    tensor.type = static_cast<Type>(table.u8(1));
    const std::uint32_t buffer = table.u32(2);
    if (buffer >= buffers.size())
        throw Error(what + ": damaged: a tensor lies in buffer " + std::to_string(buffer) + " of " +
                    std::to_string(buffers.size()));
    tensor.data = buffers[buffer].bytes(0);
    if (const auto quantization = table.table(4)) {
        tensor.scale = quantization->floats(2);
        tensor.zero_point = quantization->i64s(3);
        tensor.channel_axis = quantization->i32(6);
    }
    std::uint64_t elements = 1;
    for (const std::int32_t size : tensor.shape) {
        if (size < 0 || (size > 0 && elements > kMaxElements / static_cast<std::uint64_t>(size)))
            throw Error(what + ": damaged: a tensor with a dimension of " + std::to_string(size));
        elements *= static_cast<std::uint64_t>(size);
    }
    const std::uint64_t needed = elements * bytes_of(tensor.type);
    if (!tensor.data.empty() && tensor.data.size() != needed)
        throw Error(what + ": damaged: a constant of " + std::to_string(tensor.data.size()) +
                    " bytes where its shape needs " + std::to_string(needed));
    return tensor;
}

Op op_of(const std::vector<Table>& codes, std::uint32_t index, const std::string& what) {
    if (index >= codes.size())
        throw Error(what + ": damaged: operator code " + std::to_string(index) + " of " +
                    std::to_string(codes.size()));
    // Old files have the code in one byte, field 0; new ones in field 3 as well.
    const std::int32_t code = std::max<std::int32_t>(codes[index].u8(0), codes[index].i32(3));
    switch (static_cast<Op>(code)) {
        case Op::add:
        case Op::average_pool:
        case Op::convolution:
        case Op::depthwise_convolution:
        case Op::dequantize:
        case Op::fully_connected:
        case Op::reshape:
        case Op::mean:
        case Op::quantize:
            return static_cast<Op>(code);
    }
    return Op{-1};
}

Activation activation_of(std::uint8_t value, const std::string& what) {
    if (value != 0 && value != 1 && value != 3)
        throw Error(what + ": activation " + std::to_string(value) + " cannot be converted");
    return static_cast<Activation>(value);
}

std::int32_t step_of(std::int32_t value, const std::string& what) {
    if (value < 1 || value > kMaxStep)
        throw Error(what + ": damaged: a stride, dilation or filter of " + std::to_string(value));
    return value;
}

void read_options(const Table& t, Operator& o, const std::string& what) {
    const auto step = [&](std::uint32_t field, std::int32_t otherwise) {
        return step_of(t.i32(field, otherwise), what);
    };
    if (o.op == Op::add) {
        o.activation = activation_of(t.u8(0), what);
        return;
    }
    const bool depthwise = o.op == Op::depthwise_convolution;
    if (o.op != Op::average_pool && o.op != Op::convolution && !depthwise) return;
    o.same_padding = t.u8(0) == 0;
    o.stride_x = step(1, 0), o.stride_y = step(2, 0);
    if (o.op == Op::average_pool) {
        o.filter_x = step(3, 0), o.filter_y = step(4, 0);
        o.activation = activation_of(t.u8(5), what);
        return;
    }
    const std::uint32_t activation = depthwise ? 4 : 3;  // field 3 of a depthwise one is its multiplier
    o.activation = activation_of(t.u8(activation), what);
    o.dilation_x = step(activation + 1, 1), o.dilation_y = step(activation + 2, 1);
}

void check_numbers(const std::vector<std::int32_t>& tensors, std::size_t count, const std::string& what) {
    for (const std::int32_t tensor : tensors)
        if (tensor < -1 || tensor >= static_cast<std::int64_t>(count))
            throw Error(what + ": damaged: tensor " + std::to_string(tensor) + " of " +
                        std::to_string(count));
}

// Tables may share their lists, so a small file can stand for any number of them.
class ListLimit {
  public:
    ListLimit(io::ByteView file, const std::string& what) : left_(file.size()), what_(what) {}
    void take(std::size_t numbers) {
        if (numbers > left_)
            throw Error(what_ + ": damaged: its lists have more numbers than the file has bytes");
        left_ -= numbers;
    }

  private:
    std::size_t left_;
    const std::string& what_;
};

std::vector<Table> limited(std::vector<Table> tables, const std::string& what) {
    if (tables.size() <= kMaxTables) return tables;
    throw Error(what + ": " + std::to_string(tables.size()) + " tensors or operators; at most " +
                std::to_string(kMaxTables) + " are read");
}

}  // namespace

Model parse(io::ByteView file, const std::string& what) {
    const flatbuffer::File bytes{file, what};
    const Table root = Table::root(bytes, "TFL3");
    const std::vector<Table> graphs = root.tables(2);
    if (graphs.size() != 1)
        throw Error(what + ": " + std::to_string(graphs.size()) + " graphs; one is expected");
    const std::vector<Table> buffers = root.tables(4), codes = root.tables(1);
    Model model;
    ListLimit lists(file, what);
    for (const Table& table : limited(graphs[0].tables(0), what)) {
        const Tensor& tensor = model.tensors.emplace_back(read_tensor(table, buffers, what));
        lists.take(tensor.shape.size() + tensor.scale.size() + tensor.zero_point.size());
    }
    const std::vector<std::int32_t> inputs = graphs[0].i32s(1);
    check_numbers(inputs, model.tensors.size(), what);
    if (inputs.size() != 1 || inputs[0] < 0)
        throw Error(what + ": " + std::to_string(inputs.size()) + " inputs; one is expected");
    model.input = inputs[0];
    for (const Table& table : limited(graphs[0].tables(3), what)) {
        Operator o;
        o.op = op_of(codes, table.u32(0), what);
        o.inputs = table.i32s(1), o.outputs = table.i32s(2);
        lists.take(o.inputs.size() + o.outputs.size());
        check_numbers(o.inputs, model.tensors.size(), what);
        check_numbers(o.outputs, model.tensors.size(), what);
        if (const auto options = table.table(4)) read_options(*options, o, what);
        model.operators.push_back(std::move(o));
    }
    return model;
}

}  // namespace fearnet::tflite
