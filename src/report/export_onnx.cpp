#include "fearnet/report/export_onnx.hpp"

#include "io/files.hpp"

namespace fearnet {

void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path) {
    io::write_file_atomically(path, io::as_bytes(onnx_model(learner, options)));
}

}  // namespace fearnet
