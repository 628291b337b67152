// Images of the MNIST family: a folder of four IDX files.
#include <array>

#include "data/io/idx.hpp"
#include "data/table/labels.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

struct Part {
    const char* images;
    const char* labels;
    Split split;
};
constexpr Part kParts[] = {{"train-images", "train-labels", Split::train},
                           {"t10k-images", "t10k-labels", Split::test}};
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

void add_part(const std::filesystem::path& folder, const Part& part, const TableOptions& options,
              std::uint64_t limit, Table& table) {
    const std::filesystem::path images = find_file(folder, part.images, 3);
    check_file_size(images, limit);
    Matrix x = read_images(images, limit);
    if (table.x.rows() > 0 && table.x.cols() != x.cols())
        throw Error(folder.string() + ": training rows have " + std::to_string(table.x.cols()) +
                    " features but test rows have " + std::to_string(x.cols()));
    if (options.labels) {
        std::vector<std::int64_t> labels =
            io::to_integers(io::read_idx(find_file(folder, part.labels, 1), limit));
        if (labels.size() != x.rows())
            throw Error(images.string() + ": " + std::to_string(x.rows()) + " images but " +
                        std::to_string(labels.size()) + " labels beside it");
        append(table.labels, std::move(labels), folder.string());
    }
    table.is_test.insert(table.is_test.end(), x.rows(), part.split == Split::test);
    append_rows(table.x, std::move(x));
}

}  // namespace

std::unique_ptr<RowSource> open_idx(const std::string& path, const TableOptions& options,
                                    std::uint64_t limit) {
    std::filesystem::path folder(path);
    if (!std::filesystem::is_directory(folder))
        folder = folder.has_parent_path() ? folder.parent_path() : ".";
    Table table;
    for (const Part& part : kParts)
        if (!options.only || *options.only == part.split) add_part(folder, part, options, limit, table);
    return std::make_unique<WholeTable>(std::move(table));
}

bool is_idx(const std::string& path) {
    std::error_code none;
    const bool folder = std::filesystem::is_directory(path, none);
    const std::string file_name = std::filesystem::path(path).filename().string();
    for (const Part& part : kParts)
        for (const auto& [start, dimensions] : {std::pair{part.images, 3}, std::pair{part.labels, 1}})
            for (const std::string& name : spellings(start, dimensions))
                if (folder ? std::filesystem::exists(std::filesystem::path(path) / name, none)
                           : file_name == name)
                    return true;
    return false;
}

}  // namespace fearnet
