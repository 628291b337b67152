#include "fearnet/onnx.hpp"

#include <map>
#include <set>

#include "core/learners/onnx/exports.hpp"

namespace fearnet {
namespace {

// Maximum size of a protocol buffers message.
constexpr std::size_t kMaxBytes = 0x7fffffff;

onnx::Export exported(const Learner& learner, bool unit_length) {
    if (learner.name() == "fearnet") return onnx::fearnet_export(learner, unit_length);
    if (learner.name() == "fearnet-plus") return onnx::plus_export(learner, unit_length);
    throw Error("onnx_model: the learner is '" + learner.name() +
                "'; only 'fearnet' and 'fearnet-plus' can be exported");
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

// Each name once, in the order of their first columns.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    std::set<std::string> seen;
    for (const std::string& name : names)
        if (seen.insert(name).second) result.push_back(name);
    return result;
}

// One column per name: the sum of the columns that share it.
void add_sums(onnx::Graph& graph, const std::string& rows, const std::vector<std::string>& names,
              const std::vector<std::string>& outputs) {
    std::map<std::string, std::size_t> output_of;
    for (std::size_t i = 0; i < outputs.size(); ++i) output_of[outputs[i]] = i;
    Matrix sums(outputs.size(), names.size());
    for (std::size_t j = 0; j < names.size(); ++j) sums(output_of[names[j]], j) = 1;
    graph.constant("merged_weight", sums);
    graph.constant("merged_bias", Matrix(1, outputs.size()), true);
    onnx::add_dense(graph, "probabilities", rows, "merged_weight", "merged_bias");
}

std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
    return "[" + list + "]";
}

}  // namespace

std::vector<ClassId> onnx_classes(const Learner& learner) {
    return exported(learner, false).classes;
}

std::string onnx_model(const Learner& learner, const OnnxOptions& options) {
    const onnx::Export made = exported(learner, options.unit_length);
    std::vector<std::string> names = options.class_names;
    if (names.empty())
        for (const ClassId id : made.classes) names.push_back(std::to_string(index_of(id)));
    if (names.size() != made.classes.size())
        throw Error("onnx_model: " + std::to_string(names.size()) + " class names but " +
                    std::to_string(made.classes.size()) + " classes in the model" +
                    (made.left_out == 0 ? std::string()
                                        : "; " + std::to_string(made.left_out) +
                                              " recent classes are not included until the next sleep"));
    const std::vector<std::string> outputs = distinct(names);
    const bool merged = outputs.size() < names.size();
    const std::size_t bytes = made.bytes + (merged ? outputs.size() * names.size() * sizeof(float) : 0);
    if (bytes > kMaxBytes - (1u << 20))
        throw Error("onnx_model: the constants have " + std::to_string(bytes) +
                    " bytes; an ONNX file holds at most 2 GiB");
    onnx::Graph graph = made.graph();
    graph.node("Softmax", {"scores"}, merged ? "class_probabilities" : "probabilities", {{"axis", 1}});
    if (merged) add_sums(graph, "class_probabilities", names, outputs);
    graph.output("probabilities", outputs.size());
    onnx::Graph::Model about;
    about.name = "fearnet";
    about.producer = "fearnet";
    about.version = FEARNET_VERSION;
    about.description = made.description;
    about.metadata = {{"classes", json_list(outputs)},
                      {"recent_classes_left_out", std::to_string(made.left_out)}};
    return graph.model(about);
}

}  // namespace fearnet
