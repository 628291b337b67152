// An ONNX model on disk.
#pragma once

#include <filesystem>

#include "fearnet/brain/brain.hpp"
#include "fearnet/learners/onnx.hpp"

namespace fearnet {

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
