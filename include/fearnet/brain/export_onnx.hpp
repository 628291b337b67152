// An ONNX model on disk.
#pragma once

#include <filesystem>

#include "fearnet/brain/brain.hpp"
#include "fearnet/learners/onnx.hpp"

namespace fearnet {

// Afterwards `path` holds onnx_model(learner, options); when this throws Error, `path` is as it was before.
void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path);

// The same for a brain: rows are scaled as it scales them, columns have its names (those of merged classes
// stand there several times; add them up). Returns the names of classes that are not in the model: a
// FearNet's recent ones. Throws Error also when there is none to put in it.
std::vector<std::string> export_onnx(const Brain& brain, const std::filesystem::path& path);

}  // namespace fearnet
