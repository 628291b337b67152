// Reading a file in blocks of rows, for data that need not fit into memory.
#pragma once

#include <memory>

#include "fearnet/data/table.hpp"

namespace fearnet {

// Returns the same rows and labels as read_table, in blocks:
//
//     RowBlocks blocks("birds.csv");
//     for (Matrix x = blocks.next(1000); x.rows() > 0; x = blocks.next(1000)) use(x);
//
// Files ending in .npy, .csv, .tsv, .csv.gz, .tsv.gz and .txt are never in memory as a whole, and
// options.max_bytes does not limit them. All other data is read as a whole first.
//
// "-" is standard input. Its first bytes tell .npy, .npz and gzip; otherwise it is lines of text if
// options.text is set, else CSV. All but .npz is read in blocks.
//
// Not thread-safe.
class RowBlocks {
  public:
    // Opens the file. Throws Error as read_table does.
    explicit RowBlocks(const std::string& file, const TableOptions& options = {});
    // The rows of a table that is already in memory.
    explicit RowBlocks(Table table);
    RowBlocks(RowBlocks&& other) noexcept;
    ~RowBlocks();

    // The next 1 to `most` rows, or no row at the end. From a pipe it returns the rows that have arrived
    // instead of waiting for `most` of them. Throws Error for numbers that are not finite, and at the end if
    // there was no row at all or the labels do not look like class names (docs/formats/csv.md).
    Matrix next(std::size_t most);
    // The class names of all rows returned so far; empty if the data has no labels or options.labels is
    // false.
    std::vector<std::string> labels() const;
    // As Table::inputs, Table::skipped and Table::embedder, for the rows returned so far.
    const std::vector<std::string>& inputs() const;
    const std::vector<SkippedInput>& skipped() const;
    const std::shared_ptr<const Embedder>& embedder() const;
    // The number of rows if it is known from the start, else 0. Skipped inputs are counted.
    std::size_t total() const;

  private:
    struct Reading;
    std::unique_ptr<Reading> reading_;
};

}  // namespace fearnet
