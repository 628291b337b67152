// Checks for probable mistakes in readable files: labels that are measurements, columns that are not
// features. docs/formats/csv.md has the rules.
#pragma once

#include <string>
#include <vector>

#include "data/io/csv.hpp"
#include "fearnet/data/table.hpp"

namespace fearnet {

// "" when labels can be names of classes; else why they look like measurements, as half a sentence:
// at least a tenth of them are numbers with a fraction, or nearly every one of at least 20 rows has a label
// of its own.
std::string like_measurements(const std::vector<std::string>& labels);

// One sentence for each probable mistake in the labels of a CSV file. Throws Error starting with
// `what` when they look like measurements, unless options.label_column names their column, or the header does
// and they are text.
std::vector<std::string> check_csv_labels(const std::vector<std::string>& labels,
                                          const io::CsvColumns& columns, const TableOptions& options,
                                          const std::string& what);
// The same for its rows; `labels` may be empty. Throws nothing.
std::vector<std::string> check_csv_rows(MatrixView x, const RawLabels& labels, const io::CsvColumns& columns);

// The same for labels and rows of arrays, which the user chose: throws nothing.
std::vector<std::string> check_array_labels(const RawLabels& labels);
std::vector<std::string> check_array(MatrixView x);

// "column 'label'", or "column 3, the last"; "" without labels.
std::string label_source(const io::CsvColumns& columns);

}  // namespace fearnet
