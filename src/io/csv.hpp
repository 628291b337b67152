// Comma-separated text: one example per line, numbers and one label.
#pragma once

#include <string>
#include <vector>

#include "fearnet/base/matrix.hpp"
#include "io/files.hpp"

namespace fearnet::io {

struct CsvTable {
    Matrix x;                         // the columns that are neither label nor split
    std::vector<std::string> labels;  // one per row, as written; empty when the file has none
    std::vector<bool> is_test;        // one per row when the file has a 'split' column, else empty
};

// Reads a CSV file, plain or gzip; docs/formats/csv.md has the rules. A file of exactly `features` columns
// none of which is called a label has no labels; with 0 there must be some. Throws Error naming file and
// line.
CsvTable read_csv(const std::filesystem::path& path, std::size_t features = 0);

// The same from text that is already unpacked.
CsvTable parse_csv(std::string_view text, const std::string& what, std::size_t features = 0);

}  // namespace fearnet::io
