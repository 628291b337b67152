#include <memory>

#include "learners/fearnet_plus/fearnet_plus.hpp"
#include "learners/onnx/exports.hpp"

namespace fearnet::onnx {
namespace {

Matrix negated(Matrix m) {
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = -m.data()[i];
    return m;
}

// Their signed roots: those of what is above zero, less those of what is below.
std::string add_roots(Graph& graph, const std::string& rows) {
    graph.node("Neg", {rows}, "negative");
    graph.node("Relu", {rows}, "above");
    graph.node("Relu", {"negative"}, "below");
    graph.node("Sqrt", {"above"}, "root_above");
    graph.node("Sqrt", {"below"}, "root_below");
    graph.node("Sub", {"root_above", "root_below"}, "roots");
    return "roots";
}

Graph graph_of(const PlusFormula& formula, bool unit_length) {
    Graph graph;
    const bool random = formula.random.rows() > 0;
    std::string rows = add_rows(graph, (random ? formula.random : formula.center).cols(), unit_length);
    if (formula.root) rows = add_roots(graph, rows);
    if (random) {
        graph.constant("less_given_center", negated(formula.given_center), true);
        graph.node("Add", {rows, "less_given_center"}, "given");
        add_dense(graph, "sums", "given", formula.random, formula.random_bias);
        graph.node("Relu", {"sums"}, "random");
        rows = "random";
    }
    graph.constant("less_center", negated(formula.center), true);
    graph.node("Add", {rows, "less_center"}, "centered");
    if (formula.directions.rows() == 0) {
        add_dense(graph, "scores", "centered", formula.weights, formula.bias);
        return graph;
    }
    add_dense(graph, "linear", "centered", formula.weights, formula.bias);
    add_dense(graph, "along", "centered", formula.directions, negated(formula.offsets));
    graph.node("Mul", {"along", "along"}, "squares");
    add_dense(graph, "shapes", "squares", formula.sums, Matrix(1, formula.sums.rows()));
    graph.node("Add", {"linear", "shapes"}, "scores");
    return graph;
}

}  // namespace

Export plus_export(const Learner& learner, bool unit_length) {
    if (learner.classes().empty()) throw Error("onnx_model: the learner has 0 classes; teach it first");
    const auto formula = std::make_shared<PlusFormula>(FearNetPlus::load(learner.save())->formula());
    Export made;
    made.classes = learner.classes();
    made.bytes = formula->random.bytes() + formula->weights.bytes() + formula->directions.bytes() +
                 formula->sums.bytes();
    made.description = "All classes of a FearNet plus, recent ones too.";
    made.graph = [formula, unit_length] { return graph_of(*formula, unit_length); };
    return made;
}

}  // namespace fearnet::onnx
