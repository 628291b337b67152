// What is likely wrong with a file that can be read: labels that are measurements, columns that are no
// features. docs/formats/csv.md has the rules.
#pragma once

#include <string>
#include <vector>

#include "data/io/csv.hpp"
#include "fearnet/data/load.hpp"

namespace fearnet {

// "" when labels can be names of classes; else why they look like measurements, as half a sentence:
// at least a tenth of them are numbers with a fraction, or nearly every one of at least 20 rows has a label
// of its own.
std::string like_measurements(const std::vector<std::string>& labels);

// One sentence for each thing that is likely wrong with the rows of a CSV file. Throws Error starting with
// `what` when its labels look like measurements, unless options.label_column names their column, or the
// header does and they are text. Labels that do not count are not looked at.
std::vector<std::string> check_csv(const io::CsvTable& table, const LoadOptions& options, bool labels_count,
                                   const std::string& what);

// The same for rows of an array, whose labels the user chose: throws nothing. `labels` may be empty.
std::vector<std::string> check_array(MatrixView x, const std::vector<std::string>& labels);

// "column 'label'", or "column 3, the last".
std::string label_source(const io::CsvTable& table);

}  // namespace fearnet
