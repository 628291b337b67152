#include "everyday/input_rows.hpp"

#include <algorithm>

namespace fearnet::cli {

InputRows::InputRows(const Brain& brain, const BrainArguments& a, bool labels_count)
    : brain_(brain), arguments_(a) {
    if (a.data.empty() == !a.text)
        throw Error(a.data.empty()
                        ? "DATA is missing: give a file, a built-in data set, or --text for a brain of text"
                        : "DATA and --text: give only one of them");
    if (a.text && a.text->empty()) throw Error("--text: is empty; give the text to classify");
    if (!a.text)
        blocks_ = std::make_unique<RowBlocks>(
            load_row_blocks(a.data, table_options(brain, a, Split::test, labels_count)));
}

Matrix InputRows::next() {
    if (!blocks_ && done_ > 0) return {};
    constexpr std::size_t kFirst = 64;  // a small first block, so that the first answers come soon
    const std::size_t most = done_ == 0 ? std::min(kFirst, brain_.rows_at_once()) : brain_.rows_at_once();
    Matrix rows = blocks_ ? blocks_->next(most) : brain_.text_rows({*arguments_.text});
    if (rows.rows() > 0) check_width(brain_, arguments_, rows);
    done_ += rows.rows();
    return rows;
}

Matrix InputRows::rest() {
    std::vector<Matrix> blocks;
    std::size_t rows = 0;
    for (Matrix block = next(); block.rows() > 0; block = next()) {
        rows += block.rows();
        blocks.push_back(std::move(block));
    }
    Matrix all(rows, blocks.empty() ? 0 : blocks.front().cols());
    float* at = all.data();
    for (Matrix& block : blocks) {
        at = std::copy_n(block.data(), block.size(), at);
        block = Matrix();
    }
    return all;
}

std::vector<std::string> InputRows::labels() const {
    if (!arguments_.label.empty()) return std::vector<std::string>(done_, arguments_.label);
    return blocks_ ? blocks_->labels() : std::vector<std::string>{};
}

}  // namespace fearnet::cli
