#include "fearnet/learners/onnx.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "learners/fearnet/prefrontal_cortex.hpp"
#include "learners/onnx/graph.hpp"

namespace fearnet {
namespace {

// A protocol buffers message ends here.
constexpr std::size_t kMostBytes = 0x7fffffff;

// From the saved state, which has all of the long-term memory and needs no door into FearNet.
PrefrontalCortex consolidated(const Learner& learner) {
    if (learner.name() != "fearnet")
        throw Error("onnx_model: the learner is '" + learner.name() + "'; only 'fearnet' can be exported");
    PrefrontalCortex cortex = PrefrontalCortex::load(learner.save());
    if (cortex.empty()) throw Error("onnx_model: the learner has 0 consolidated classes; teach it first");
    return cortex;
}

// Columns of the head in the order of their classes.
std::vector<std::size_t> ascending(const PrefrontalCortex& cortex) {
    std::vector<std::size_t> order(cortex.classes().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return cortex.classes()[a] < cortex.classes()[b]; });
    return order;
}

Matrix columns_of(const Matrix& from, const std::vector<std::size_t>& columns) {
    Matrix result(from.rows(), columns.size());
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) result(i, j) = from(i, columns[j]);
    return result;
}

std::string json_string(const std::string& text) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            ((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
        else
            out += c;
    }
    return out + '"';
}

std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
    return "[" + list + "]";
}

// rows / their length. First by the largest entry, so that no square leaves float32's range. Adding the least
// number keeps rows of zeros as they are and changes no other length; OpenCV 4.6 reads no maximum with a
// constant.
std::string add_unit_length(onnx::Graph& graph, const std::string& rows) {
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

Matrix transposed(const Matrix& m) {
    Matrix result(m.cols(), m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
    return result;
}

// Weights lie as outputs x inputs, as most exporters write them: OpenCV 4.6 misreads a Gemm without transB.
void add_dense(onnx::Graph& graph, const std::string& name, const std::string& rows, const Matrix& weight,
               const Matrix& bias) {
    graph.constant(name + "_weight", transposed(weight));
    graph.constant(name + "_bias", bias, true);
    graph.node("Gemm", {rows, name + "_weight", name + "_bias"}, name, {{"transB", 1}});
}

onnx::Graph graph_of(const PrefrontalCortex& cortex, bool unit_length) {
    const nn::Network& network = cortex.network();
    const std::vector<std::size_t> order = ascending(cortex);
    onnx::Graph graph;
    graph.input("features", network.inputs());
    std::string rows = unit_length ? add_unit_length(graph, "features") : "features";
    for (std::size_t i = 0; i < network.encoder.size(); ++i) {
        const std::string name = "layer" + std::to_string(i);
        add_dense(graph, name, rows, network.encoder[i].weight, network.encoder[i].bias);
        rows = name + "_elu";
        graph.node("Elu", {name}, rows);
    }
    add_dense(graph, "scores", rows, columns_of(network.head.weight, order),
              columns_of(network.head.bias, order));
    graph.node("Softmax", {"scores"}, "probabilities", {{"axis", 1}});
    graph.output("probabilities", order.size());
    return graph;
}

std::vector<ClassId> sorted_classes(const PrefrontalCortex& cortex) {
    std::vector<ClassId> classes = cortex.classes();
    std::sort(classes.begin(), classes.end());
    return classes;
}

}  // namespace

std::vector<ClassId> onnx_classes(const Learner& learner) {
    return sorted_classes(consolidated(learner));
}

std::string onnx_model(const Learner& learner, const OnnxOptions& options) {
    const PrefrontalCortex cortex = consolidated(learner);
    const std::vector<ClassId> classes = sorted_classes(cortex);
    std::vector<std::string> names = options.class_names;
    if (names.empty())
        for (const ClassId id : classes) names.push_back(std::to_string(index_of(id)));
    const std::size_t left_out = learner.classes().size() - classes.size();
    if (names.size() != classes.size())
        throw Error("onnx_model: " + std::to_string(names.size()) + " class names but " +
                    std::to_string(classes.size()) + " consolidated classes (" + std::to_string(left_out) +
                    " recent classes are not included until the next sleep)");
    if (cortex.network_bytes() > kMostBytes - (1u << 20))
        throw Error("onnx_model: networks of " + std::to_string(cortex.network_bytes()) +
                    " bytes; a model holds 2 GiB");
    onnx::Graph::Model about;
    about.name = "fearnet";
    about.producer = "fearnet";
    about.version = FEARNET_VERSION;
    about.description = "The consolidated classes of a FearNet. " + std::to_string(left_out) +
                        " recent classes are not included.";
    about.metadata = {{"classes", json_list(names)}, {"recent_classes_left_out", std::to_string(left_out)}};
    return graph_of(cortex, options.unit_length).model(about);
}

}  // namespace fearnet
