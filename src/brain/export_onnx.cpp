#include "fearnet/brain/export_onnx.hpp"

#include <algorithm>
#include <fstream>

#include "io/files.hpp"

namespace fearnet {

namespace {

// A model starts with the version of its format, field 1 of the protocol buffer. Anything else is somebody's
// file: a brain, say.
void refuse_other_files(const std::filesystem::path& path) {
    constexpr char kFirst = 0x08;
    if (!std::filesystem::is_regular_file(path)) return;
    std::ifstream file(path, std::ios::binary);
    char first = kFirst;
    if (file.is_open() && file.get(first) && first != kFirst)
        throw Error(path.string() + ": there is a file of that name already that is no ONNX model; name " +
                    "another, or delete it first");
}

}  // namespace

void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path) {
    refuse_other_files(path);
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
