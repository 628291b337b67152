// Rows of a file that need not be in memory at once.
#pragma once

#include <memory>

#include "fearnet/data/rows.hpp"

namespace fearnet {

// Gives the rows that load_rows gives, some at a time. Of a .npy, .csv, .tsv or .txt file and of standard
// input
// ("-") only these are in memory; other data is read as a whole. Standard input is .npy, .npz or gzip if it
// begins so, else text if options.text says so, else CSV.
class RowBlocks {
  public:
    // Throws Error naming the file, as load_rows does.
    explicit RowBlocks(const std::string& data, const RowsOptions& options = {});
    ~RowBlocks();

    // The next rows, at most `most`; none at the end. Fewer when the others have not been written to the pipe
    // yet. Throws Error naming the file and the place of a number that is not finite.
    Matrix next(std::size_t most);
    // Labels of all rows given so far; none when the data has none, or options.labels is false. Of a .npy
    // file they are in a file beside it, whose length is checked.
    std::vector<std::string> labels() const;
    // Rows in all when that is known from the start, else 0.
    std::size_t total() const;

  private:
    struct Source;
    struct Whole;
    struct Npy;
    struct Csv;
    struct Text;
    static std::unique_ptr<Source> open(const std::string& data, const RowsOptions& options);

    std::string what_;
    std::unique_ptr<Source> source_;
    std::size_t done_ = 0;
};

}  // namespace fearnet
