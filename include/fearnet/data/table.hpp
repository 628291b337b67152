// The rows of a file, with their labels and their split as the file has them. Every command and every binding
// reads data through read_table or, some rows at a time, through RowBlocks (row_blocks.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Training rows or test rows, for data that tells them apart.
enum class Split { train, test };

// Labels as a file has them: whole numbers or text. Text that is all whole numbers ("3", "3.0") is read as
// numbers.
using RawLabels = std::variant<std::vector<std::int64_t>, std::vector<std::string>>;

struct Table {
    Matrix x;
    RawLabels labels = {};                      // one per row, or none
    std::vector<std::string> class_names = {};  // class_names[i] is what label i is called; may be empty
    std::vector<bool> is_test = {};             // one per row if the data has a split, else empty
    std::string name = {};                      // the file, for messages
    std::string label_source = {};              // where labels are or would be: "column 'label'", "array 'y'"
    std::vector<std::string> warnings = {};     // what is likely wrong with the data, one sentence each

    bool has_labels() const {
        return std::visit([](const auto& l) { return !l.empty(); }, labels);
    }
};

struct TableOptions {
    // CSV and TSV files only: columns by name, or by number from 1.
    std::string label_column = {};       // holds the labels; empty: the rules of docs/formats/csv.md
    std::vector<std::string> drop = {};  // neither features nor labels
    // A file, or an array in it, that takes more memory than this is refused before it is unpacked; 0: half
    // of the machine's memory.
    std::uint64_t max_bytes = 0;
    // Only these rows of data that has a split. Data without a split is read whole.
    std::optional<Split> only = {};
    std::size_t width = 0;  // features expected, if known: tells a CSV file without labels
    bool labels = true;     // false: labels are not read, and a numeric last column of a CSV file without a
                            // label column is a feature
    bool text = false;      // standard input is lines of text instead of CSV
};

// Reads a file by the end of its name; "-" is standard input, told by its first bytes (see RowBlocks).
//   .npz                x_train, y_train, x_test, y_test and perhaps names; or x and y
//   .npy                features, with labels in <stem>_labels.npy beside it
//   .csv .tsv [.gz]     one row per line; a 'split' column tells training rows from test rows
//   .txt                one text per line, or "label<TAB>text"; becomes rows as in Brain::rows_of
//   IDX                 a folder with the four files of the MNIST family, or one of these files
// docs/formats describes each. Rows come in the order of the file, training rows before test rows where these
// are arrays or files of their own. At least one row; all numbers are finite. Throws Error naming the file,
// what was expected and what was found; never anything else, whatever the bytes.
Table read_table(const std::string& file, const TableOptions& options = {});

// What the class of each row is called: the label, or its entry in class_names. Empty without labels. Throws
// Error for labels that cannot be names of classes, or that class_names has no entry for.
std::vector<std::string> label_names(const Table& table);

// Rows to teach to a brain or to ask it about: a table with names for labels.
struct NamedRows {
    Matrix x;
    std::vector<std::string> labels = {};  // one per row, or none
    std::string label_source = {};
    std::vector<std::string> warnings = {};
};
NamedRows named_rows(Table table);

// True for a file of text: its name ends in .txt.
bool is_text_file(const std::string& file);

// "data/birds.csv.gz" -> "birds": the name without folder and ending, for tables and pictures.
std::string short_name(const std::string& file);

}  // namespace fearnet
