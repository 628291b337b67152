// The rows to classify, read block by block.
#pragma once

#include <memory>
#include <optional>

#include "everyday/brain_arguments.hpp"
#include "fearnet/data/row_blocks.hpp"

namespace fearnet::cli {

// The rows of DATA or of --text, with the width that the brain expects. Only one block of a file is in
// memory.
class InputRows {
  public:
    // `progress` is called while photographs, sounds and texts are embedded.
    InputRows(const Brain& brain, const BrainArguments& a, bool labels_count, const Progress& progress = {});
    // The next block of at most Brain::rows_at_once() rows, the first one smaller; no rows at the end.
    Matrix next();
    // All rows that are left, at once.
    Matrix rest();
    // What the rows are made of; none for numeric rows, and for texts as hashed n-grams.
    std::optional<InputKind> kind() const { return kind_; }
    // As RowBlocks::inputs and RowBlocks::skipped.
    std::vector<std::string> inputs() const;
    std::vector<SkippedInput> skipped() const;
    // The labels of the rows returned so far: those of DATA, or --label for all.
    std::vector<std::string> labels() const;
    // The total number of rows; 0 if unknown.
    std::size_t total() const { return blocks_ ? blocks_->total() : 1; }

  private:
    Matrix text_row() const;

    const Brain& brain_;
    const BrainArguments& arguments_;
    std::unique_ptr<RowBlocks> blocks_;  // none: the only row is --text
    std::optional<InputKind> kind_;
    std::size_t done_ = 0;
};

}  // namespace fearnet::cli
