#include "features/load_files.hpp"

#include <algorithm>

#include "features/labels.hpp"
#include "features/split.hpp"
#include "io/csv.hpp"
#include "io/npz.hpp"

namespace fearnet {
namespace {

void check_rows(std::size_t rows, const std::vector<ClassId>& labels, const std::string& what) {
    if (rows != labels.size())
        throw Error(what + ": " + std::to_string(rows) + " rows but " + std::to_string(labels.size()) +
                    " labels");
}

// `key` as the file spells it: X_train is as good as x_train.
std::string spelled(const io::NpzFile& file, const std::string& key) {
    const auto same = [&](const std::string& k) {
        return std::equal(k.begin(), k.end(), key.begin(), key.end(),
                          [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    };
    const std::vector<std::string> keys = file.keys();
    const auto found = std::find_if(keys.begin(), keys.end(), same);
    return found == keys.end() ? key : *found;
}

FeatureSet split_by_seed(MatrixView x, RawLabels raw, const std::vector<std::string>& class_names,
                         const LoadOptions& options, const std::string& what) {
    FeatureSet set;
    MappedLabels labels = map_labels({std::move(raw)}, class_names, what);
    check_rows(x.rows, labels.parts[0], what);
    set.names = std::move(labels.names);
    split_rows(x, labels.parts[0],
               hold_out(labels.parts[0], set.names, options.test_fraction, options.split_seed, what), set);
    return set;
}

}  // namespace

FeatureSet load_npz(const std::filesystem::path& path, const LoadOptions& options) {
    const io::NpzFile file(path);
    const auto get = [&](const char* key) { return file.array(spelled(file, key)); };
    const auto has = [&](const char* key) { return file.has(spelled(file, key)); };
    std::vector<std::string> class_names;
    if (has("names")) class_names = io::to_strings(get("names"));

    if (!has("x_train") && has("x"))
        return split_by_seed(io::to_matrix(get("x")), labels_from(get("y")), class_names, options,
                             file.what());

    FeatureSet set;
    set.train.x = io::to_matrix(get("x_train"));
    set.test.x = io::to_matrix(get("x_test"));
    MappedLabels labels =
        map_labels({labels_from(get("y_train")), labels_from(get("y_test"))}, class_names, file.what());
    check_rows(set.train.x.rows(), labels.parts[0], file.what() + ": x_train and y_train");
    check_rows(set.test.x.rows(), labels.parts[1], file.what() + ": x_test and y_test");
    set.train.labels = std::move(labels.parts[0]);
    set.test.labels = std::move(labels.parts[1]);
    set.names = std::move(labels.names);
    return set;
}

FeatureSet load_npy(const std::filesystem::path& path, const LoadOptions& options) {
    std::filesystem::path beside = path;
    beside.replace_filename(path.stem().string() + "_labels.npy");
    if (!std::filesystem::exists(beside))
        throw Error(path.string() + ": a .npy file holds the features only; the labels are expected in " +
                    beside.string() + ", which does not exist (or use one .npz file with x and y)");
    const io::Array x = io::parse_npy(io::read_file(path), path.string());
    const io::Array y = io::parse_npy(io::read_file(beside), beside.string());
    return split_by_seed(io::to_matrix(x), labels_from(y), {}, options, path.string());
}

FeatureSet load_csv(const std::filesystem::path& path, const LoadOptions& options) {
    io::CsvTable table = io::read_csv(path);
    if (table.is_test.empty())
        return split_by_seed(table.x, std::move(table.labels), {}, options, path.string());
    FeatureSet set;
    MappedLabels labels = map_labels({std::move(table.labels)}, {}, path.string());
    set.names = std::move(labels.names);
    split_rows(table.x, labels.parts[0], table.is_test, set);
    return set;
}

}  // namespace fearnet
