#include "data/frontends/models/onnx_file.hpp"

#include <optional>

#include "core/base/bytes.hpp"
#include "core/base/protobuf.hpp"
#include "data/frontends/models/protobuf_reader.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using protobuf::Field;
using protobuf::Message;
using protobuf::Reader;
using protobuf::WireType;

constexpr int kMaxDepth = 32;  // of graphs in attributes of nodes

// The messages of onnx.proto that may contain a tensor, and where in them.
enum class Kind { model, graph, node, attribute, function, sparse_tensor, training, tensor };

std::optional<Kind> kind_inside(Kind kind, std::uint32_t field) {
    switch (kind) {
        case Kind::model:
            if (field == 7) return Kind::graph;
            if (field == 20) return Kind::training;
            if (field == 25) return Kind::function;
            break;
        case Kind::graph:
            if (field == 1) return Kind::node;
            if (field == 5) return Kind::tensor;
            if (field == 15) return Kind::sparse_tensor;
            break;
        case Kind::node:
            if (field == 5) return Kind::attribute;
            break;
        case Kind::attribute:
            if (field == 5 || field == 10) return Kind::tensor;
            if (field == 6 || field == 11) return Kind::graph;
            if (field == 22 || field == 23) return Kind::sparse_tensor;
            break;
        case Kind::function:
            if (field == 7) return Kind::node;
            if (field == 11) return Kind::attribute;
            break;
        case Kind::sparse_tensor:
            if (field == 1 || field == 2) return Kind::tensor;
            break;
        case Kind::training:
            if (field == 1 || field == 2) return Kind::graph;
            break;
        case Kind::tensor:
            break;
    }
    return std::nullopt;
}

void check_inside(Kind kind, io::ByteView message, const std::string& what, int depth) {
    if (depth > kMaxDepth)
        throw Error(what + ": graphs nested more than " + std::to_string(kMaxDepth) + " deep");
    Reader reader(message, what);
    for (Field field; reader.next(field);) {
        // external_data, or data_location other than DEFAULT
        if (kind == Kind::tensor && (field.number == 13 || (field.number == 14 && field.integer != 0)))
            throw Error(what +
                        ": a tensor lies in another file (external data), which is not read; save the "
                        "model as one file");
        if (const auto inside = kind_inside(kind, field.number)) {
            if (field.type != WireType::bytes)
                throw Error(what + ": damaged: field " + std::to_string(field.number) + " is not a message");
            check_inside(*inside, field.bytes, what, depth + 1);
        }
    }
}

void append(std::string& out, io::ByteView bytes) {
    out += io::as_text(bytes);
}

// The name of a TensorProto or ValueInfoProto.
std::string_view name_of(io::ByteView message, std::uint32_t field_number, const std::string& what) {
    Reader reader(message, what);
    std::string_view name;
    for (Field field; reader.next(field);)
        if (field.number == field_number && field.type == WireType::bytes) name = io::as_text(field.bytes);
    return name;
}

std::string cut_tensor(io::ByteView tensor, std::size_t rows, const std::string& what) {
    std::vector<std::uint64_t> shape;
    io::ByteView raw;
    std::uint64_t type = 0;
    Reader reader(tensor, what);
    std::string others;
    for (Field field; reader.next(field);) {
        if (field.number == 1) {
            if (field.type == WireType::varint) {
                shape.push_back(field.integer);
            } else {
                // Packed numbers: as fields of a message they would need tags, so read them by hand.
                std::uint64_t value = 0;
                int shift = 0;
                for (const std::uint8_t byte : field.bytes) {
                    if (shift > 56) throw Error(what + ": damaged: a shape");
                    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
                    shift += 7;
                    if (byte < 0x80) shape.push_back(value), value = 0, shift = 0;
                }
            }
            continue;
        }
        if (field.number == 9) {
            raw = field.bytes;
            continue;
        }
        if (field.number == 2) type = field.integer;
        append(others, field.whole);
    }
    const std::uint64_t numbers = raw.size() / 4;
    if (type != 1 || shape.size() != 2 || shape[0] == 0 || raw.size() % 4 != 0 || numbers % shape[0] != 0 ||
        numbers / shape[0] != shape[1])
        throw Error(what + ": the table of positions is not a float32 matrix");
    if (rows > shape[0])
        throw Error(what + ": " + std::to_string(rows) + " positions are wanted, but the model has " +
                    std::to_string(shape[0]));
    Message cut;
    cut.integer(1, static_cast<std::int64_t>(rows));
    cut.integer(1, static_cast<std::int64_t>(shape[1]));
    cut.text(9, io::as_text(raw.first(rows * static_cast<std::size_t>(shape[1]) * 4)));
    return cut.bytes() + others;
}

}  // namespace

void check_onnx_file(io::ByteView file, const std::string& what) {
    if (file.size() > kMaxOnnxBytes)
        throw Error(what + ": " + bytes_text(file.size()) + "; models of at most " +
                    bytes_text(kMaxOnnxBytes) + " are read");
    bool graph = false;
    try {
        Reader reader(file, what);
        for (Field field; reader.next(field);) graph = graph || field.number == 7;
    } catch (const Error& error) {
        throw Error(what +
                    ": not an ONNX model, or damaged: " + std::string(error.what()).substr(what.size() + 2));
    }
    if (!graph) throw Error(what + ": not an ONNX model: it has no graph");
    check_inside(Kind::model, file, what, 0);
}

std::string cut_positions(io::ByteView file, const std::string& initializer, std::size_t rows,
                          const std::string& output, const std::string& what) {
    check_onnx_file(file, what);
    bool found = false, has_output = false;
    std::string model;
    Reader fields(file, what);
    for (Field field; fields.next(field);) {
        if (field.number != 7) {
            append(model, field.whole);
            continue;
        }
        std::string graph;
        Reader parts(field.bytes, what);
        for (Field part; parts.next(part);) {
            constexpr std::uint32_t kInitializer = 5, kOutput = 12, kIntermediate = 13;
            if (part.number == kIntermediate) continue;
            if (part.number == kOutput) {
                if (name_of(part.bytes, 1, what) != output) continue;
                has_output = true;
            }
            if (part.number == kInitializer && name_of(part.bytes, 8, what) == initializer) {
                found = true;
                Message tensor;
                tensor.text(5, cut_tensor(part.bytes, rows, what));
                graph += tensor.bytes();
                continue;
            }
            append(graph, part.whole);
        }
        Message whole;
        whole.text(7, graph);
        model += whole.bytes();
    }
    if (!found) throw Error(what + ": has no constant '" + initializer + "'");
    if (!has_output) throw Error(what + ": has no output '" + output + "'");
    return model;
}

}  // namespace fearnet
