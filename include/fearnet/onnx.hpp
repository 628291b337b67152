// Export to ONNX, for programs that predict without this library. Learners "fearnet" and "fearnet-plus" can
// be exported. docs/formats/onnx.md describes the model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/learner.hpp"

namespace fearnet {

class Brain;

struct OnnxOptions {
    bool unit_length = true;  // the model scales rows to length one, as load_feature_set does by default
    // Names of onnx_classes(learner), in that order, UTF-8. Empty: the class numbers. Classes with the same
    // name share one output column, the sum of their probabilities.
    std::vector<std::string> class_names;
};

// The classes that a model of `learner` predicts, ascending. For "fearnet-plus" these are all classes. For
// "fearnet" they are the classes of the long-term memory: a model does not contain recent examples, so call
// sleep first to include recent classes. Throws Error for other learners and if there is no such class.
std::vector<ClassId> onnx_classes(const Learner& learner);

// The bytes of an ONNX model with one input, "features" (batch x width(), float32), and one output,
// "probabilities" (batch x names, float32; one column per class or distinct name, in the order of
// onnx_classes). The same learner and options give the same bytes. Throws Error as onnx_classes does, if
// there are not as many names as classes, and if the model would exceed 2 GiB.
std::string onnx_model(const Learner& learner, const OnnxOptions& options = {});

// Writes onnx_model(learner, options) to `path`. An existing file is replaced only if it is a regular file
// that is an ONNX model. If this throws Error, `path` is unchanged.
void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path);

struct BrainModel {
    std::string bytes;
    // Names of the classes that are missing from the model, wholly or in part: those that a "fearnet" has
    // learned since its last sleep.
    std::vector<std::string> left_out;
};
// The model of a brain. It scales rows as the brain does and has one output column per class name; the
// probabilities of merged classes are summed. Throws Error if there is no class to export.
BrainModel onnx_model(const Brain& brain);

// Writes the model of a brain to `path`, as export_onnx above. Returns BrainModel::left_out.
std::vector<std::string> export_onnx(const Brain& brain, const std::filesystem::path& path);

}  // namespace fearnet
