// Rows to teach, to ask about or to test with: from a file, a built-in data set or text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fearnet/data/load.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

struct Rows {
    Matrix x;
    std::vector<std::string> labels = {};    // one per row, or none when the source has no labels
    std::string label_source = {};           // where they stand: "column 'label'", "y_train"; may be empty
    std::vector<std::string> warnings = {};  // what is likely wrong with the data, one sentence each
};

// Which rows of a data set that has training and test rows.
enum class Part { train, test };

struct RowsOptions {
    Part part = Part::train;
    std::size_t width = 0;  // features expected, when that is known: tells a CSV file without labels
    bool labels = true;     // those of the file count: else they need no names, and a CSV file's last column
                            // of numbers is a feature
    bool text = false;      // standard input is lines of text rather than CSV
    LoadOptions load = {};  // the split is not used: a file without a split is taken whole
};

// Reads what load_feature_set reads (see there), but asks for less: labels may be missing, one class is
// enough, and rows stay as they are (unit_length is not applied). .txt is text, see text_rows. "-" is
// standard input, see RowBlocks, which also gives rows without holding all of them. Throws Error naming the
// file; for arrays of another width than the one expected before they are unpacked.
Rows load_rows(const std::string& data, const RowsOptions& options = {});

// True for a file of text: its name ends in .txt.
bool is_text_file(const std::string& data);
// One example per line, empty lines passed over: "text", or "label<TAB>text" in all lines.
struct TextLines {
    std::vector<std::string> texts;
    std::vector<std::string> labels;  // as many, or none
};
TextLines load_text(const std::string& file);

}  // namespace fearnet
