#include "fearnet/brain/export_onnx.hpp"

#include <algorithm>

#include "io/files.hpp"

namespace fearnet {

void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path) {
    io::write_file_atomically(path, io::as_bytes(onnx_model(learner, options)));
}

std::vector<std::string> export_onnx(const Brain& brain, const std::filesystem::path& path) {
    OnnxOptions options;
    options.unit_length = brain.settings().unit_length;
    const std::vector<ClassId> columns = onnx_classes(brain.learner());
    for (const ClassId id : columns) options.class_names.push_back(brain.name_of(id));
    export_onnx(brain.learner(), options, path);
    std::vector<std::string> left_out;
    for (const ClassId id : brain.learner().classes())
        if (!std::binary_search(columns.begin(), columns.end(), id)) left_out.push_back(brain.name_of(id));
    return left_out;
}

}  // namespace fearnet
