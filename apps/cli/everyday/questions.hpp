// The rows that a brain is asked about, block by block.
#pragma once

#include <memory>

#include "everyday/brain_arguments.hpp"
#include "fearnet/data/row_blocks.hpp"

namespace fearnet::cli {

// The rows of DATA or of --text, checked against what the brain takes. Of data in files only a block is in
// memory.
class Questions {
  public:
    Questions(const Brain& brain, const BrainArguments& a, bool labels_count);
    // The next rows, as many as the brain answers at once, the first time fewer; none at the end.
    Matrix next();
    // Of the rows given so far: those of the data, or --label for all.
    std::vector<std::string> labels() const;
    // Rows in all; 0 when that is not known.
    std::size_t total() const { return blocks_ ? blocks_->total() : 1; }

  private:
    const Brain& brain_;
    const BrainArguments& arguments_;
    std::unique_ptr<RowBlocks> blocks_;  // none: the question is --text
    std::size_t done_ = 0;
};

}  // namespace fearnet::cli
