#include "fearnet/brain.hpp"
#include "fearnet/onnx.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "fearnet/output_file.hpp"

namespace fearnet {

namespace {

// An ONNX model starts with its format version, field 1 of the protocol buffer. A file that starts otherwise,
// such as a brain, is not replaced.
void refuse_other_files(const std::filesystem::path& path) {
    constexpr char kFirst = 0x08;
    check_replaceable(path);
    std::ifstream file(path, std::ios::binary);
    char first = kFirst;
    if (file.is_open() && file.get(first) && first != kFirst)
        throw Error(path.string() + ": there is a file of that name already that is no ONNX model; name " +
                    "another, or delete it first");
}

}  // namespace

void export_onnx(const Learner& learner, const OnnxOptions& options, const std::filesystem::path& path) {
    refuse_other_files(path);
    write_file_atomically(path, onnx_model(learner, options));
}

BrainModel onnx_model(const Brain& brain) {
    OnnxOptions options;
    options.unit_length = brain.settings().unit_length;
    const std::vector<ClassId> columns = onnx_classes(brain.learner());
    for (const ClassId id : columns) options.class_names.push_back(brain.name_of(id));
    std::set<std::string> left_out;
    for (const ClassId id : brain.learner().classes())
        if (!std::binary_search(columns.begin(), columns.end(), id)) left_out.insert(brain.name_of(id));
    return {onnx_model(brain.learner(), options), {left_out.begin(), left_out.end()}};
}

std::vector<std::string> export_onnx(const Brain& brain, const std::filesystem::path& path) {
    refuse_other_files(path);
    BrainModel model = onnx_model(brain);
    write_file_atomically(path, model.bytes);
    return std::move(model.left_out);
}

}  // namespace fearnet
