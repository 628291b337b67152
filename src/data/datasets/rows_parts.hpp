// What reading rows as a whole and reading them in blocks share.
#pragma once

#include "data/io/csv.hpp"
#include "data/io/npz.hpp"
#include "data/table/labels.hpp"
#include "fearnet/data/rows.hpp"

namespace fearnet {

// What the labels are called: the entries of `class_names` if they number these, else the labels themselves.
std::vector<std::string> label_names(RawLabels raw, const std::vector<std::string>& class_names,
                                     const std::string& what);
// From NAME_labels.npy beside NAME.npy; none without that file.
std::vector<std::string> labels_beside(const std::filesystem::path& npy, const LoadOptions& options);
// Of a table with a 'split' column only the rows of one part.
void keep_part(io::CsvTable& table, Part part);
io::CsvOptions csv_options(const RowsOptions& options);
Rows npz_rows(const io::NpzFile& file, const RowsOptions& options);

}  // namespace fearnet
