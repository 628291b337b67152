#include <array>
#include <optional>

#include "data/io/idx.hpp"
#include "data/table/labels.hpp"
#include "data/table/load_files.hpp"

namespace fearnet {
namespace {

struct Part {
    const char* images;
    const char* labels;
};
constexpr Part kTrain{"train-images", "train-labels"};
constexpr Part kTest{"t10k-images", "t10k-labels"};
constexpr float kWhite = 255;

// The usual spellings: train-images-idx3-ubyte, train-images.idx3-ubyte, with or without .gz.
std::array<std::string, 4> spellings(const std::string& start, int dimensions) {
    const std::string end = "idx" + std::to_string(dimensions) + "-ubyte";
    return {start + "-" + end, start + "-" + end + ".gz", start + "." + end, start + "." + end + ".gz"};
}

std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& start,
                                int dimensions) {
    for (const std::string& name : spellings(start, dimensions))
        if (std::filesystem::exists(folder / name)) return folder / name;
    throw Error(folder.string() + ": no file " + spellings(start, dimensions)[0] + " or " +
                spellings(start, dimensions)[1] +
                "; a folder of IDX files holds train and t10k images and labels");
}

Matrix read_images(const std::filesystem::path& path, std::uint64_t max_bytes) {
    const io::Array array = io::read_idx(path, max_bytes);
    if (array.shape.size() < 2)
        throw Error(path.string() + ": expected images, one per row, but the shape is " + array.shape_text());
    Matrix x = io::to_matrix(array);
    if (array.type.kind == io::ElementKind::kUnsigned)
        for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] /= kWhite;
    return x;
}

Matrix read_part(const std::filesystem::path& folder, const Part& part, std::uint64_t max_bytes,
                 RawLabels& labels) {
    const std::filesystem::path images = find_file(folder, part.images, 3);
    Matrix x = read_images(images, max_bytes);
    std::vector<std::int64_t> values =
        io::to_integers(io::read_idx(find_file(folder, part.labels, 1), max_bytes));
    if (values.size() != x.rows())
        throw Error(images.string() + ": " + std::to_string(x.rows()) + " images but " +
                    std::to_string(values.size()) + " labels beside it");
    labels = std::move(values);
    return x;
}

}  // namespace

FeatureSet load_idx_folder(const std::filesystem::path& folder, const LoadOptions& options,
                           const std::vector<std::string>& class_names) {
    FeatureSet set;
    RawLabels train, test;
    set.train.x = read_part(folder, kTrain, memory_limit(options), train);
    set.test.x = read_part(folder, kTest, memory_limit(options), test);
    MappedLabels labels = map_labels({std::move(train), std::move(test)}, class_names, folder.string());
    set.train.labels = std::move(labels.parts[0]);
    set.test.labels = std::move(labels.parts[1]);
    set.names = std::move(labels.names);
    return set;
}

bool is_idx_name(const std::string& file_name) {
    for (const Part& part : {kTrain, kTest})
        for (const auto& [start, dimensions] : {std::pair{part.images, 3}, std::pair{part.labels, 1}})
            for (const std::string& name : spellings(start, dimensions))
                if (file_name == name) return true;
    return false;
}

}  // namespace fearnet
