// What a learner has consolidated as an ONNX model, for programs that know nothing of FearNet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/learner.hpp"

namespace fearnet {

class Brain;

struct OnnxOptions {
    bool unit_length = true;  // the model scales its rows to length one, as load_feature_set does by default
    // UTF-8, by onnx_classes; empty: the classes' numbers. Classes of one name become one output, their sum.
    std::vector<std::string> class_names;
};

// The classes of the model, ascending: one output column each, unless they share a name. Of a "fearnet" those
// the long-term memory knows: recent examples are not part of a model, so classes() that are missing here are
// not in it; sleep first to have them. Of a "fearnet-plus" all. Throws Error for other learners and before
// the first session.
std::vector<ClassId> onnx_classes(const Learner& learner);

// The bytes of a model that maps "features" (batch x width(), float32) to "probabilities" (batch x
// classes: a column per name, in the order of onnx_classes). docs/formats/onnx.md describes it. The same
// learner and options give the same bytes. Throws Error as onnx_classes does, when there are not as many
// names as classes, and past the 2 GiB that a model can hold.
std::string onnx_model(const Learner& learner, const OnnxOptions& options = {});

// Afterwards `path` holds onnx_model(learner, options); when this throws Error, `path` is as it was before.
// Only a regular file that is an ONNX model is replaced.
void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path);

// The bytes of the model of a brain: rows are scaled as it scales them, and each of its class names has one
// output; those of merged classes are summed.
struct BrainModel {
    std::string bytes;
    std::vector<std::string> left_out;  // classes that are not in it, or not wholly: a FearNet's recent ones
};
// Throws Error when there is no class to put in it.
BrainModel onnx_model(const Brain& brain);

// The same into a file. Returns BrainModel::left_out.
std::vector<std::string> export_onnx(const Brain& brain, const std::filesystem::path& path);

}  // namespace fearnet
