// What each learner that can be exported puts into a model: one function each, in a file of its own.
#pragma once

#include <functional>

#include "core/learners/onnx/graph.hpp"
#include "fearnet/learner.hpp"

namespace fearnet::onnx {

struct Export {
    std::vector<ClassId> classes;  // by output column, ascending
    std::size_t left_out = 0;      // classes that the model does not have
    std::size_t bytes = 0;         // of its constants, about
    std::string description;
    std::function<Graph()> graph;  // from "features" to "scores", the larger the likelier
};

// `unit_length`: the model scales its rows itself. Throw Error when the learner knows nothing yet.
Export fearnet_export(const Learner& learner, bool unit_length);
Export plus_export(const Learner& learner, bool unit_length);

// The input, scaled when wanted: the name of what comes next.
std::string add_rows(Graph& graph, std::size_t width, bool unit_length);
// name = rows weight^T + bias; the weight lies as outputs x inputs.
void add_dense(Graph& graph, const std::string& name, const std::string& rows, MatrixView weight,
               MatrixView bias);
// The same with constants that are there.
void add_dense(Graph& graph, const std::string& name, const std::string& rows, const std::string& weight,
               const std::string& bias);

}  // namespace fearnet::onnx
