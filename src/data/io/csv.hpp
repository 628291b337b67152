// Comma-separated text: one example per line, numbers and one label.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/io/byte_stream.hpp"
#include "data/io/files.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet::io {

struct CsvColumns {
    struct Column {
        std::string name;        // "" without a header line
        std::size_t number = 0;  // from 1
    };
    std::vector<Column> features;  // one per column of CsvTable::x
    Column label;                  // number 0: the file has no labels
    bool label_is_guess = false;   // the last column, for want of one called a label
};

struct CsvTable {
    Matrix x;                         // the columns that are neither label nor split
    std::vector<std::string> labels;  // one per row, as written; empty when the file has none
    std::vector<bool> is_test;        // one per row when the file has a 'split' column, else empty
    CsvColumns columns;
};

struct CsvOptions {
    // What a file without a column called a label means by its last column:
    std::size_t features = 0;  // a file with exactly this many columns has no label column; 0: unknown
    bool labels = true;        // a last column of numbers is the labels; else it is a feature
    // Columns by name, or by number from 1 (digits only are a number):
    std::string label_column = {};       // holds the labels; empty: the rules of docs/formats/csv.md
    std::vector<std::string> drop = {};  // are passed over, whatever they hold
};

// Reads a CSV file some rows at a time; docs/formats/csv.md has the rules. Throws Error naming file and line.
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

// All rows of a text.
CsvTable parse_csv(std::string_view text, const std::string& what, const CsvOptions& options = {});

}  // namespace fearnet::io
