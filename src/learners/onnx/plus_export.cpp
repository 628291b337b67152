#include "learners/fearnet_plus/fearnet_plus.hpp"
#include "learners/onnx/exports.hpp"

namespace fearnet::onnx {
namespace {

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

}  // namespace

Export plus_export(const Learner& learner, bool unit_length) {
    if (learner.classes().empty()) throw Error("onnx_model: the learner has 0 classes; teach it first");
    PlusFormula formula = FearNetPlus::load(learner.save())->formula();
    Export made;
    made.classes = learner.classes();
    made.bytes = formula.weights.bytes() + formula.directions.bytes() + formula.sums.bytes();
    made.description = "All classes of a FearNet plus, recent ones too.";
    std::string rows = add_rows(made.graph, formula.center.cols(), unit_length);
    if (formula.root) rows = add_roots(made.graph, rows);
    Matrix less(1, formula.center.cols());
    for (std::size_t j = 0; j < less.cols(); ++j) less(0, j) = -formula.center(0, j);
    made.graph.constant("less_center", less, true);
    made.graph.node("Add", {rows, "less_center"}, "centered");
    if (formula.directions.rows() == 0) {
        add_dense(made.graph, "scores", "centered", formula.weights, formula.bias);
        return made;
    }
    for (std::size_t i = 0; i < formula.offsets.cols(); ++i) formula.offsets(0, i) *= -1;
    add_dense(made.graph, "linear", "centered", formula.weights, formula.bias);
    add_dense(made.graph, "along", "centered", formula.directions, formula.offsets);
    made.graph.node("Mul", {"along", "along"}, "squares");
    add_dense(made.graph, "shapes", "squares", formula.sums, Matrix(1, formula.sums.rows()));
    made.graph.node("Add", {"linear", "shapes"}, "scores");
    return made;
}

}  // namespace fearnet::onnx
