// An ONNX graph: a list of nodes, each of which reads results of earlier nodes.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/base/protobuf.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet::onnx {

using Names = std::vector<std::string>;
using protobuf::Message;

// Collects nodes and constants; model() makes the file. Node names and value names are the same.
class Graph {
  public:
    // An input or output tensor: batch x columns.
    void input(const std::string& name, std::size_t columns) { ends_.message(11, batch_of(name, columns)); }
    void output(const std::string& name, std::size_t columns) { ends_.message(12, batch_of(name, columns)); }
    // A constant tensor: a matrix, or a vector if `flat` (`values` then has one row).
    void constant(const std::string& name, MatrixView values, bool flat = false);
    // `result` = op(inputs) with integer attributes. An attribute whose name ends in '*' is a list of one
    // integer.
    void node(const std::string& op, const Names& inputs, const std::string& result,
              std::initializer_list<std::pair<const char*, std::int64_t>> attributes = {});

    // Splits every row into results.size() parts of the same width.
    void split(const std::string& rows, const Names& results);

    struct Model {
        std::string name, producer, version, description;
        std::map<std::string, std::string> metadata;
    };
    std::string model(const Model& about) const;

  private:
    using Attributes = std::initializer_list<std::pair<const char*, std::int64_t>>;
    void add_node(const std::string& op, const Names& inputs, const Names& results, Attributes attributes);
    static Message batch_of(const std::string& name, std::size_t columns);

    Message nodes_, constants_, ends_;  // parts of one GraphProto
};

}  // namespace fearnet::onnx
