// Table: the rows of a data file with their labels and split. read_table reads a whole file; RowBlocks
// (fearnet/data/row_blocks.hpp) reads one in blocks. Both read the same formats (docs/formats).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fearnet/data/embedder.hpp"
#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// The training rows or the test rows of data that has a split.
enum class Split { train, test };

// The labels of a file: integers or texts. If every text is an integer ("3", "3.0"), all become integers.
using RawLabels = std::variant<std::vector<std::int64_t>, std::vector<std::string>>;

struct Table {
    Matrix x;
    RawLabels labels = {};                      // one per row; empty for unlabeled data
    std::vector<std::string> class_names = {};  // class_names[i] is the name of label i; may be empty
    std::vector<bool> is_test = {};             // one per row; empty for data without a split
    std::string name = {};                      // the file, for messages
    std::string label_source = {};  // where labels are, or are expected: "column 'label'", "array 'y'"
    std::vector<std::string> warnings = {};  // what is probably wrong with the data, one sentence each
    // For photographs, sounds and texts that an embedder turned into rows; otherwise empty.
    std::shared_ptr<const Embedder> embedder = {};
    std::vector<std::string> inputs = {};    // the name of the input of each row
    std::vector<SkippedInput> skipped = {};  // inputs without a row

    bool has_labels() const {
        return std::visit([](const auto& l) { return !l.empty(); }, labels);
    }
};

struct TableOptions {
    // For CSV and TSV only; other formats refuse these two. Columns are given by name, or by number from 1.
    std::string label_column = {};  // the column with the labels; empty: the rules of docs/formats/csv.md
    std::vector<std::string> drop = {};  // columns to ignore
    // Limit on the memory that a file, or an array in it, may take; larger ones are refused before they are
    // unpacked. 0: half of the machine's memory.
    std::uint64_t max_bytes = 0;
    // Read only these rows. Has no effect on data without a split.
    std::optional<Split> only = {};
    // Expected number of features; 0: unknown. A CSV file with exactly this many columns, none of which is
    // named as a label column, is unlabeled. Arrays of another width are refused.
    std::size_t width = 0;
    // False: do not read labels. With width 0, a numeric last column of a CSV file without a named label
    // column is then a feature.
    bool labels = true;
    bool text = false;  // standard input is lines of text (as in a .txt file) instead of CSV
    // Turns photographs, sounds and texts into rows. Without one, photographs and sounds are embedded by the
    // default model of their kind, and texts become rows as in Brain::text_rows.
    std::shared_ptr<const Embedder> embedder = {};
    // Photographs, sounds or texts, each a file, that follow the one that is read; other data have none.
    std::vector<std::string> more_files = {};
    Progress progress = {};  // called while inputs are embedded
};

// Reads a file. The end of its name tells the format; "-" is standard input, see RowBlocks.
//   .npz                x_train, y_train, x_test, y_test and optionally names; or x and y
//   .npy                features; the labels are in <stem>_labels.npy beside it
//   .csv .tsv [.gz]     one row per line; an optional column 'split' tells training rows from test rows
//   .txt                one text per line, or "label<TAB>text"; becomes rows as in Brain::text_rows
//   photographs, sounds a file (JPEG, PNG, WebP; WAV, FLAC, OGG, MP3), or a folder with one folder of files
//   per class .jsonl, .csv, .tsv  with a key or column "path" or "text": a list of photographs, sounds or
//   texts IDX                 a folder with the four files of the MNIST family, or one of these files
// docs/formats describes each.
//
// Rows are in the order of the file. If training and test rows are separate arrays or files, the training
// rows come first. The result has at least one row and only finite numbers. Throws Error, which says what was
// expected and what was found, and nothing else, whatever the file contains.
Table read_table(const std::string& file, const TableOptions& options = {});

// The class name of each row: the label as text, or its entry in class_names. Empty without labels. Throws
// Error for a label that is not a valid class name (name_problem) or has no entry in class_names.
std::vector<std::string> label_names(const Table& table);

// Rows to teach to a brain or to predict: a table with class names as labels.
struct NamedRows {
    Matrix x;
    std::vector<std::string> labels = {};           // one per row; empty for unlabeled data
    std::string label_source = {};                  // as in Table
    std::vector<std::string> warnings = {};         // as in Table
    std::shared_ptr<const Embedder> embedder = {};  // these three as in Table
    std::vector<std::string> inputs = {};
    std::vector<SkippedInput> skipped = {};
};
// Throws Error as label_names does.
NamedRows named_rows(Table table);

// The rows of a .npy file whose bytes are in memory; messages call it `name`. Throws Error as read_table does.
Matrix rows_of_npy(std::string_view bytes, const std::string& name);

// Writes rows as a .npy file, which read_table reads. The file appears whole or not at all. Throws Error as
// OutputFile (fearnet/output_file.hpp) does.
void write_rows(const std::string& file, MatrixView x);

// Writes rows, labels (as class names) and split as a .npz file, which read_table reads; arrays called inputs have the names
// of the inputs. The file appears whole or not at all. Throws Error as OutputFile does, and for invalid class names.
void write_table(const std::string& file, const Table& table);

// True if the name ends in .txt.
bool is_text_file(const std::string& file);

// The kind of the photographs, sounds or texts that read_table would embed; none for a file of rows. For a
// folder, and for a list, the kind of its first input. Throws Error if `file` cannot be read.
std::optional<InputKind> input_kind(const std::string& file);

// Whether read_table would find labels of the photographs, sounds or texts that it would embed. Reads none of
// them; true for a file of rows, whose labels only reading shows.
bool inputs_have_labels(const std::string& file);

// The name of a file without folder and ending: "data/birds.csv.gz" -> "birds".
std::string short_name(const std::string& file);

}  // namespace fearnet
