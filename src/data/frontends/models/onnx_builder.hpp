// Writing ONNX models of tensors with fixed shapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/protobuf.hpp"
#include "data/io/files.hpp"

namespace fearnet {

using Shape = std::vector<std::int64_t>;

// The numbers of onnx.proto's TensorProto.DataType.
enum class OnnxType : std::int64_t { float32 = 1, uint8 = 2, int8 = 3, int32 = 6, int64 = 7 };

// Collects nodes and constants; model() makes the file. Node names and value names are the same.
class OnnxBuilder {
  public:
    using Names = std::vector<std::string>;
    using Attributes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

    void input(const std::string& name, OnnxType type, const Shape& shape) {
        ends_.message(11, value_info(name, type, shape));
    }
    void output(const std::string& name, OnnxType type, const Shape& shape) {
        ends_.message(12, value_info(name, type, shape));
    }
    void constant(const std::string& name, const Shape& shape, std::span<const float> values);
    // The elements as they lie in memory, least significant byte first.
    void constant(const std::string& name, OnnxType type, const Shape& shape, io::ByteView values);
    // `result` = op(inputs). An attribute whose name ends in '*' is a list of integers, any other one
    // integer.
    void node(const std::string& op, const Names& inputs, const std::string& result,
              const Attributes& attributes = {});

    std::string model(const std::string& name) const;

  private:
    static protobuf::Message value_info(const std::string& name, OnnxType type, const Shape& shape);

    protobuf::Message nodes_, constants_, ends_;  // parts of one GraphProto
};

}  // namespace fearnet
