#include "core/learners/onnx/exports.hpp"

#include <limits>

namespace fearnet::onnx {
namespace {

// Divides each row by its largest absolute entry and then by its length, so that no square overflows or
// underflows. Adding the smallest positive float keeps rows of zeros and changes no other length; OpenCV 4.6
// does not read Max with a constant.
std::string add_unit_length(Graph& graph, const std::string& rows) {
    Matrix smallest(1, 1);
    smallest(0, 0) = std::numeric_limits<float>::min();
    graph.constant("smallest_float", smallest, true);
    graph.node("Abs", {rows}, "absolute");
    graph.node("ReduceMax", {"absolute"}, "max_norm", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("Add", {"max_norm", "smallest_float"}, "positive_max_norm");
    graph.node("Div", {rows, "positive_max_norm"}, "max_scaled");
    graph.node("ReduceL2", {"max_scaled"}, "norm", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("Add", {"norm", "smallest_float"}, "positive_norm");
    graph.node("Div", {"max_scaled", "positive_norm"}, "unit_length");
    return "unit_length";
}

}  // namespace

std::string add_input(Graph& graph, std::size_t width, bool unit_length) {
    graph.input("features", width);
    return unit_length ? add_unit_length(graph, "features") : "features";
}

// Weights are outputs x inputs, as most exporters write them: OpenCV 4.6 misreads a Gemm without transB.
void add_dense(Graph& graph, const std::string& name, const std::string& rows, MatrixView weight,
               MatrixView bias) {
    graph.constant(name + "_weight", weight);
    graph.constant(name + "_bias", bias, true);
    add_dense(graph, name, rows, name + "_weight", name + "_bias");
}

void add_dense(Graph& graph, const std::string& name, const std::string& rows, const std::string& weight,
               const std::string& bias) {
    graph.node("Gemm", {rows, weight, bias}, name, {{"transB", 1}});
}

}  // namespace fearnet::onnx
