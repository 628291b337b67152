#include <memory>

#include "core/learners/onnx/exports.hpp"
#include "core/learners/plus/fearnet_plus.hpp"

namespace fearnet::onnx {
namespace {

Matrix negated(Matrix m) {
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = -m.data()[i];
    return m;
}

// Signed square roots: sqrt(max(x, 0)) - sqrt(max(-x, 0)).
std::string add_roots(Graph& graph, const std::string& rows) {
    graph.node("Neg", {rows}, "negated");
    graph.node("Relu", {rows}, "positive_part");
    graph.node("Relu", {"negated"}, "negative_part");
    graph.node("Sqrt", {"positive_part"}, "positive_root");
    graph.node("Sqrt", {"negative_part"}, "negative_root");
    graph.node("Sub", {"positive_root", "negative_root"}, "signed_roots");
    return "signed_roots";
}

Matrix times(Matrix m, float factor) {
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] *= factor;
    return m;
}

// Random ReLU features, averaged over the frames of a row. The factor 1 / frames is in the weights and
// biases.
std::string add_random(Graph& graph, const PlusFormula& formula, const std::string& rows) {
    const std::size_t frames = formula.frames, width = formula.random.cols();
    Matrix center(1, frames * width);
    for (std::size_t j = 0; j < center.cols(); ++j) center(0, j) = formula.given_center(0, j % width);
    graph.constant("negative_input_center", negated(std::move(center)), true);
    graph.node("Add", {rows, "negative_input_center"}, "centered_input");
    const float share = 1 / static_cast<float>(frames);
    graph.constant("random_weight", times(formula.random, share));
    graph.constant("random_bias", times(formula.random_bias, share), true);
    Names inputs = {"centered_input"};
    if (frames > 1) {
        inputs.clear();
        for (std::size_t f = 0; f < frames; ++f) inputs.push_back("frame_" + std::to_string(f));
        graph.split("centered_input", inputs);
    }
    std::string sum;
    for (std::size_t f = 0; f < frames; ++f) {
        const std::string suffix = "_" + std::to_string(f);
        add_dense(graph, "random_projection" + suffix, inputs[f], "random_weight", "random_bias");
        graph.node("Relu", {"random_projection" + suffix}, "random" + suffix);
        if (f > 0) graph.node("Add", {sum, "random" + suffix}, "random_sum" + suffix);
        sum = (f > 0 ? "random_sum" : "random") + suffix;
    }
    return sum;
}

// Makes "scores" as Calibration::apply does: divides every row by a power of its highest score less its mean
// score.
void add_calibration(Graph& graph, const PlusFormula& formula, const std::string& rows) {
    const auto number = [&](const char* name, float value) {
        Matrix one(1, 1);
        one(0, 0) = value;
        graph.constant(name, one, true);
    };
    number("least_ratio", static_cast<float>(Calibration::kLeastRatio));
    number("typical_margin", formula.margin);
    number("negative_exponent", -formula.exponent);
    graph.node("ReduceMax", {rows}, "highest_score", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("ReduceMean", {rows}, "mean_score", {{"axes*", 1}, {"keepdims", 1}});
    graph.node("Sub", {"highest_score", "mean_score"}, "score_margin");
    graph.node("Div", {"score_margin", "typical_margin"}, "margin_ratio");
    graph.node("Add", {"margin_ratio", "least_ratio"}, "positive_ratio");
    graph.node("Pow", {"positive_ratio", "negative_exponent"}, "score_factor");
    graph.node("Mul", {rows, "score_factor"}, "scores");
}

Graph graph_of(const PlusFormula& formula, bool unit_length) {
    Graph graph;
    const bool random = formula.random.rows() > 0;
    std::string rows = add_input(
        graph, random ? formula.random.cols() * formula.frames : formula.center.cols(), unit_length);
    if (formula.root) rows = add_roots(graph, rows);
    if (random) rows = add_random(graph, formula, rows);
    graph.constant("negative_center", negated(formula.center), true);
    graph.node("Add", {rows, "negative_center"}, "centered");
    const bool own = formula.directions.rows() > 0, calibrated = formula.exponent > 0;
    const std::string scores = calibrated ? "plain_scores" : "scores", linear = own ? "linear" : scores;
    add_dense(graph, linear, "centered", formula.weights, formula.bias);
    if (own) {
        add_dense(graph, "projection", "centered", formula.directions, negated(formula.offsets));
        graph.node("Mul", {"projection", "projection"}, "squared_projection");
        add_dense(graph, "covariance", "squared_projection", formula.sums, Matrix(1, formula.sums.rows()));
        graph.node("Add", {"linear", "covariance"}, scores);
    }
    if (calibrated) add_calibration(graph, formula, scores);
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
    made.description = "All classes of a FearNet plus learner, including recent ones.";
    made.graph = [formula, unit_length] { return graph_of(*formula, unit_length); };
    return made;
}

}  // namespace fearnet::onnx
