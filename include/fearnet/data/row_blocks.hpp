// Rows of a file that need not be in memory at once.
#pragma once

#include <memory>

#include "fearnet/data/table.hpp"

namespace fearnet {

// Gives the rows and labels that read_table gives, some rows at a time. Of a .npy, .csv, .tsv or .txt file
// and of standard input ("-") only these rows are in memory, and max_bytes does not limit the file; other
// data is read as a whole. Standard input is .npy, .npz or gzip if it begins so, else text if options.text
// says so, else CSV.
class RowBlocks {
  public:
    // Throws Error naming the file, as read_table does.
    explicit RowBlocks(const std::string& file, const TableOptions& options = {});
    // The rows of a table that is in memory already.
    explicit RowBlocks(Table table);
    RowBlocks(RowBlocks&& other) noexcept;
    ~RowBlocks();

    // The next rows, at most `most`; none at the end. Fewer when the others have not been written to the pipe
    // yet. Throws Error naming the file and the place of a number that is not finite, and at the end when the
    // labels are not names of classes.
    Matrix next(std::size_t most);
    // Names of the classes of all rows given so far; none when the data has no labels, or options.labels is
    // false.
    std::vector<std::string> labels() const;
    // Rows in all if that is known from the start, else 0.
    std::size_t total() const;

  private:
    struct Reading;
    std::unique_ptr<Reading> reading_;
};

}  // namespace fearnet
