#include <memory>

#include "core/learners/onnx/exports.hpp"
#include "core/learners/plus/fearnet_plus.hpp"

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

Matrix times(Matrix m, float factor) {
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] *= factor;
    return m;
}

// The mean of rectified sums over the pieces of a row: the sum of those of a part of the weights.
std::string add_random(Graph& graph, const PlusFormula& formula, const std::string& rows) {
    const std::size_t frames = formula.frames, piece = formula.random.cols();
    Matrix center(1, frames * piece);
    for (std::size_t j = 0; j < center.cols(); ++j) center(0, j) = formula.given_center(0, j % piece);
    graph.constant("less_given_center", negated(std::move(center)), true);
    graph.node("Add", {rows, "less_given_center"}, "given");
    const float share = 1 / static_cast<float>(frames);
    graph.constant("random_weight", times(formula.random, share));
    graph.constant("random_bias", times(formula.random_bias, share), true);
    Names pieces = {"given"};
    if (frames > 1) {
        pieces.clear();
        for (std::size_t f = 0; f < frames; ++f) pieces.push_back("piece_" + std::to_string(f));
        graph.split("given", pieces);
    }
    std::string sum;
    for (std::size_t f = 0; f < frames; ++f) {
        const std::string of = "_" + std::to_string(f);
        add_dense(graph, "sums" + of, pieces[f], "random_weight", "random_bias");
        graph.node("Relu", {"sums" + of}, "random" + of);
        if (f > 0) graph.node("Add", {sum, "random" + of}, "together" + of);
        sum = (f > 0 ? "together" : "random") + of;
    }
    return sum;
}

Graph graph_of(const PlusFormula& formula, bool unit_length) {
    Graph graph;
    const bool random = formula.random.rows() > 0;
    std::string rows =
        add_rows(graph, random ? formula.random.cols() * formula.frames : formula.center.cols(), unit_length);
    if (formula.root) rows = add_roots(graph, rows);
    if (random) rows = add_random(graph, formula, rows);
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
