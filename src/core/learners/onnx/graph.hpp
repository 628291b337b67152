// An ONNX graph: nodes in a row, each reading what the one before wrote.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/learners/onnx/protobuf.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet::onnx {

using Names = std::vector<std::string>;

// Collects nodes and constants; model() makes the file. Node names and value names are the same.
class Graph {
  public:
    // A tensor batch x columns that the caller gives.
    void input(const std::string& name, std::size_t columns) { ends_.message(11, batch_of(name, columns)); }
    void output(const std::string& name, std::size_t columns) { ends_.message(12, batch_of(name, columns)); }
    // A constant tensor: a matrix, or a list when `rows` is one and `flat`.
    void constant(const std::string& name, MatrixView values, bool flat = false);
    // `result` = op(inputs) with whole-number attributes; one whose name ends in '*' is a list of one number.
    void node(const std::string& op, const Names& inputs, const std::string& result,
              std::initializer_list<std::pair<const char*, std::int64_t>> attributes = {});

    // Cuts every row of a value into as many pieces of the same width as there are results.
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
