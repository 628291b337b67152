// An ONNX model on disk.
#pragma once

#include <filesystem>

#include "fearnet/learners/onnx.hpp"

namespace fearnet {

// Afterwards `path` holds onnx_model(learner, options); when this throws Error, `path` is as it was before.
void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path);

}  // namespace fearnet
