#include "core/learners/onnx/exports.hpp"

#include <limits>

namespace fearnet::onnx {
namespace {

// rows / their length. First by the largest entry, so that no square leaves float32's range. Adding the least
// number keeps rows of zeros as they are and changes no other length; OpenCV 4.6 reads no maximum with a
// constant.
std::string add_unit_length(Graph& graph, const std::string& rows) {
    Matrix least(1, 1);
    least(0, 0) = std::numeric_limits<float>::min();
    graph.constant("least", least, true);
    graph.node("Abs", {rows}, "absolute");
    graph.node("ReduceMax", {"absolute"}, "largest", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("Add", {"largest", "least"}, "safe_largest");
    graph.node("Div", {rows, "safe_largest"}, "moderate");
    graph.node("ReduceL2", {"moderate"}, "length", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("Add", {"length", "least"}, "safe_length");
    graph.node("Div", {"moderate", "safe_length"}, "unit_length");
    return "unit_length";
}

}  // namespace

std::string add_rows(Graph& graph, std::size_t width, bool unit_length) {
    graph.input("features", width);
    return unit_length ? add_unit_length(graph, "features") : "features";
}

// Outputs x inputs, as most exporters write them: OpenCV 4.6 misreads a Gemm without transB.
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
