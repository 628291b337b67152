// The ONNX export of each learner that supports it: one function and one file per learner.
#pragma once

#include <functional>

#include "core/learners/onnx/graph.hpp"
#include "fearnet/learner.hpp"

namespace fearnet::onnx {

struct Export {
    std::vector<ClassId> classes;  // by output column, ascending
    std::size_t left_out = 0;      // number of classes that are not in the model
    std::size_t bytes = 0;         // approximate size of the constants
    std::string description;
    std::function<Graph()> graph;  // from "features" to "scores"; a higher score is a more likely class
};

// If `unit_length`, the model scales its input rows to unit length. Throw Error if the learner has no class.
Export fearnet_export(const Learner& learner, bool unit_length);
Export plus_export(const Learner& learner, bool unit_length);

// Adds the input and, if `unit_length`, its scaling. Returns the name of the result.
std::string add_input(Graph& graph, std::size_t width, bool unit_length);
// name = rows weight^T + bias; `weight` is outputs x inputs.
void add_dense(Graph& graph, const std::string& name, const std::string& rows, MatrixView weight,
               MatrixView bias);
// The same with constants that were added before.
void add_dense(Graph& graph, const std::string& name, const std::string& rows, const std::string& weight,
               const std::string& bias);

}  // namespace fearnet::onnx
