#include "fearnet/learners/onnx.hpp"

#include "learners/onnx/exports.hpp"

namespace fearnet {
namespace {

// A protocol buffers message ends here.
constexpr std::size_t kMostBytes = 0x7fffffff;

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
    if (made.bytes > kMostBytes - (1u << 20))
        throw Error("onnx_model: numbers of " + std::to_string(made.bytes) + " bytes; a model holds 2 GiB");
    onnx::Graph graph = made.graph();
    graph.node("Softmax", {"scores"}, "probabilities", {{"axis", 1}});
    graph.output("probabilities", made.classes.size());
    onnx::Graph::Model about;
    about.name = "fearnet";
    about.producer = "fearnet";
    about.version = FEARNET_VERSION;
    about.description = made.description;
    about.metadata = {{"classes", json_list(names)},
                      {"recent_classes_left_out", std::to_string(made.left_out)}};
    return graph.model(about);
}

}  // namespace fearnet
