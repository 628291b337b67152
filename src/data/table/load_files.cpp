#include "data/table/load_files.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "data/table/data_checks.hpp"
#include "data/table/labels.hpp"
#include "data/table/split.hpp"

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

void check_is_table(const io::NpyHeader& x, std::size_t width, const std::string& what) {
    if (x.shape.empty()) throw Error(what + ": expected rows of numbers, found a single value");
    const std::string count = std::to_string(x.shape[0]);
    if (x.shape.size() == 1)
        throw Error(what + ": has one dimension of " + count +
                    ", but rows of features are needed; save x.reshape(1, -1) for one row of " + count +
                    " features, or x.reshape(-1, 1) for " + count + " rows of one feature");
    double features = 1;
    for (std::size_t d = 1; d < x.shape.size(); ++d) features *= static_cast<double>(x.shape[d]);
    if (width != 0 && features != static_cast<double>(width))
        throw Error(what + ": rows have " +
                    std::to_string(static_cast<std::uint64_t>(std::min(features, 1e18))) + " features but " +
                    std::to_string(width) + " are expected");
}

std::uint64_t memory_limit(const LoadOptions& options) {
    return options.max_bytes != 0 ? options.max_bytes : machine_memory() / 2;
}

void check_file_size(const std::filesystem::path& path, const LoadOptions& options) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return;
    if (const std::uint64_t size = std::filesystem::file_size(path); size > memory_limit(options))
        throw Error(path.string() + ": a file of " + bytes_text(size) + ", more than the limit of " +
                    bytes_text(memory_limit(options)) + "; raise it with --max-bytes, or split the file");
}

io::CsvOptions csv_options(const LoadOptions& options) {
    io::CsvOptions csv;
    csv.label_column = options.label_column;
    csv.drop = options.drop;
    csv.max_bytes = memory_limit(options);
    return csv;
}

bool is_csv_name(const std::string& name) {
    const auto ends = [&](auto... endings) { return (name.ends_with(endings) || ...); };
    return ends(".csv", ".csv.gz", ".tsv", ".tsv.gz");
}

void check_has_no_columns(const std::string& data, const LoadOptions& options) {
    if (!options.label_column.empty() || !options.drop.empty())
        throw Error(data + ": --label-column and --drop are for CSV and TSV files; this is none");
}

void check_announced(const io::NpzFile& file, const std::string& x, const std::string& y, std::size_t width) {
    const io::NpyHeader rows = file.header(x);
    check_is_table(rows, width, file.what() + ": " + x);
    if (y.empty()) return;
    const io::NpyHeader labels = file.header(y);
    const std::size_t count = labels.shape.empty() ? 1 : labels.shape[0];
    if (count != rows.shape[0])
        throw Error(file.what() + ": " + x + " and " + y + ": " + std::to_string(rows.shape[0]) +
                    " rows but " + std::to_string(count) + " labels");
}

FeatureSet load_npz(const std::filesystem::path& path, const LoadOptions& options) {
    const io::NpzFile file(path, memory_limit(options));
    const auto get = [&](const char* key) { return file.array(spelled(file, key)); };
    const auto has = [&](const char* key) { return file.has(spelled(file, key)); };
    const auto check = [&](const char* x, const char* y) {
        check_announced(file, spelled(file, x), spelled(file, y));
    };
    std::vector<std::string> class_names;
    if (has("names")) class_names = io::to_strings(get("names"));

    if (!has("x_train") && has("x")) {
        check("x", "y");
        return split_by_seed(io::to_matrix(get("x")), labels_from(get("y")), class_names, options,
                             file.what());
    }
    check("x_train", "y_train");
    check("x_test", "y_test");
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

std::filesystem::path npy_labels_of(const std::filesystem::path& path) {
    std::filesystem::path beside = path;
    return beside.replace_filename(path.stem().string() + "_labels.npy");
}

Matrix npy_rows_of(const std::filesystem::path& path, const LoadOptions& options, std::size_t width) {
    io::Bytes file = io::read_file(path);
    const io::NpyHeader header = io::parse_npy_header(file, path.string());
    check_is_table(header, width, path.string());
    io::check_memory(header, memory_limit(options), path.string());
    return io::to_matrix(io::parse_npy(std::move(file), path.string()));
}

FeatureSet load_npy(const std::filesystem::path& path, const LoadOptions& options) {
    const std::filesystem::path beside = npy_labels_of(path);
    if (!std::filesystem::exists(beside))
        throw Error(path.string() + ": a .npy file holds the features only; the labels are expected in " +
                    beside.string() + ", which does not exist (or use one .npz file with x and y)");
    const Matrix x = npy_rows_of(path, options);
    check_file_size(beside, options);
    return split_by_seed(x, labels_from(io::parse_npy(io::read_file(beside), beside.string())), {}, options,
                         path.string());
}

FeatureSet load_csv(const std::filesystem::path& path, const LoadOptions& options) {
    io::CsvTable table = io::read_csv(path, csv_options(options));
    FeatureSet set;
    const std::vector<std::string> warnings = check_csv(table, options, true, path.string());
    const std::string source = label_source(table);
    MappedLabels labels = map_labels({std::move(table.labels)}, {}, path.string());
    set.names = std::move(labels.names);
    split_rows(table.x, labels.parts[0],
               table.is_test.empty() ? hold_out(labels.parts[0], set.names, options.test_fraction,
                                                options.split_seed, path.string())
                                     : table.is_test,
               set);
    set.label_source = source;
    set.warnings = warnings;
    return set;
}

}  // namespace fearnet
