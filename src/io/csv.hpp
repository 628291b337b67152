// Comma-separated text: one example per line, numbers and one label.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fearnet/base/matrix.hpp"
#include "io/byte_stream.hpp"
#include "io/files.hpp"

namespace fearnet::io {

struct CsvTable {
    Matrix x;                         // the columns that are neither label nor split
    std::vector<std::string> labels;  // one per row, as written; empty when the file has none
    std::vector<bool> is_test;        // one per row when the file has a 'split' column, else empty
};

// What a file without a column called a label means by its last column.
struct CsvOptions {
    std::size_t features = 0;  // with exactly so many columns all are features; 0: not known
    bool labels = true;        // a last column of numbers is the labels; else it is a feature
};

// Reads a CSV file, plain or gzip; docs/formats/csv.md has the rules. Throws Error naming file and line.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

// The same file some rows at a time.
class CsvReader {
  public:
    // Reads up to the first row. `stream` must outlive it.
    CsvReader(TextStream& stream, const std::string& what, const CsvOptions& options = {});
    ~CsvReader();

    // Replaces the rows of `table` by the next ones, at most `most`: fewer when the others have not arrived
    // yet, none at the end.
    void next(CsvTable& table, std::size_t most);

  private:
    friend CsvTable parse_csv(std::string_view text, const std::string& what, const CsvOptions& options);
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// The same from text that is already unpacked.
CsvTable parse_csv(std::string_view text, const std::string& what, const CsvOptions& options = {});

}  // namespace fearnet::io
