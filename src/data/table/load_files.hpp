// One reader per file format. They give labels and rows as the file has them; load_feature_set checks and
// scales.
#pragma once

#include <filesystem>

#include "data/io/csv.hpp"
#include "data/io/npz.hpp"
#include "fearnet/data/feature_set.hpp"
#include "fearnet/data/load.hpp"

namespace fearnet {

// All throw Error naming the file. docs/formats has the rules of each.
FeatureSet load_npz(const std::filesystem::path& path, const LoadOptions& options);
FeatureSet load_npy(const std::filesystem::path& path, const LoadOptions& options);
FeatureSet load_csv(const std::filesystem::path& path, const LoadOptions& options);

// A folder with the four files of the MNIST family. Bytes are divided by 255. `class_names` as in map_labels.
FeatureSet load_idx_folder(const std::filesystem::path& folder, const LoadOptions& options,
                           const std::vector<std::string>& class_names = {});
// options.max_bytes, or what it stands for.
std::uint64_t memory_limit(const LoadOptions& options);
// Throws Error when the file is larger than that.
void check_file_size(const std::filesystem::path& path, const LoadOptions& options);

io::CsvOptions csv_options(const LoadOptions& options);
bool is_csv_name(const std::string& file_name);
// Throws Error when options name columns: only CSV and TSV files have any.
void check_has_no_columns(const std::string& data, const LoadOptions& options);

// Throws Error unless the header announces rows: two dimensions or more, and `width` features a row unless
// that is 0.
void check_is_table(const io::NpyHeader& x, std::size_t width, const std::string& what);
// The array of features `x` of an .npz file, and `y` of its labels unless that is empty; from their headers,
// so that nothing is unpacked in vain. Throws Error when x is no table of rows, when rows have another width
// than `width`, unless that is 0, or when there are not as many labels.
void check_announced(const io::NpzFile& file, const std::string& x, const std::string& y,
                     std::size_t width = 0);
// Rows of a .npy file. Throws Error for an array of one dimension, which may be one row or one column.
Matrix npy_rows_of(const std::filesystem::path& path, const LoadOptions& options, std::size_t width = 0);
// Its labels, which lie in <stem>_labels.npy beside it, whether they do or not.
std::filesystem::path npy_labels_of(const std::filesystem::path& path);

// True for the name of one of these files, with or without ".gz".
bool is_idx_name(const std::string& file_name);

}  // namespace fearnet
