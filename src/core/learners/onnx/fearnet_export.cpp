#include <algorithm>
#include <memory>
#include <numeric>

#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/onnx/exports.hpp"

namespace fearnet::onnx {
namespace {

// Columns of the classifier layer, ascending by class.
std::vector<std::size_t> columns_by_class(const PrefrontalCortex& cortex) {
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

Matrix transposed(const Matrix& m) {
    Matrix result(m.cols(), m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
    return result;
}

Graph graph_of(const PrefrontalCortex& cortex, bool unit_length) {
    const nn::Network& network = cortex.network();
    const std::vector<std::size_t> order = columns_by_class(cortex);
    Graph graph;
    std::string rows = add_input(graph, network.inputs(), unit_length);
    for (std::size_t i = 0; i < network.encoder.size(); ++i) {
        const std::string name = "layer" + std::to_string(i);
        add_dense(graph, name, rows, transposed(network.encoder[i].weight), network.encoder[i].bias);
        rows = name + "_elu";
        graph.node("Elu", {name}, rows);
    }
    add_dense(graph, "scores", rows, transposed(columns_of(network.head.weight, order)),
              columns_of(network.head.bias, order));
    return graph;
}

}  // namespace

// Reads the long-term memory from the saved state, so that FearNet needs no accessor for it.
Export fearnet_export(const Learner& learner, bool unit_length) {
    const auto cortex = std::make_shared<PrefrontalCortex>(PrefrontalCortex::load(learner.save()));
    if (cortex->empty()) throw Error("onnx_model: the learner has 0 consolidated classes; teach it first");
    Export made;
    for (const std::size_t column : columns_by_class(*cortex))
        made.classes.push_back(cortex->classes()[column]);
    made.left_out = learner.classes().size() - made.classes.size();
    made.bytes = cortex->network_bytes();
    made.description = "The consolidated classes of a FearNet. " + std::to_string(made.left_out) +
                       " recent classes are not included.";
    made.graph = [cortex, unit_length] { return graph_of(*cortex, unit_length); };
    return made;
}

}  // namespace fearnet::onnx
