#include "everyday/input_rows.hpp"

#include <algorithm>

namespace fearnet::cli {

InputRows::InputRows(const Brain& brain, const BrainArguments& a, bool labels_count, const Progress& progress)
    : brain_(brain), arguments_(a) {
    if (a.data.empty() == !a.text)
        throw Error(a.data.empty()
                        ? "DATA is missing: give a file, a built-in data set, or --text for a brain of text"
                        : "DATA and --text: give only one of them");
    if (a.text && a.text->empty()) throw Error("--text: is empty; give the text to classify");
    if (a.text) return;
    TableOptions options = table_options(brain, a, Split::test, labels_count);
    options.progress = progress;
    if (options.embedder) kind_ = options.embedder->kind();
    blocks_ = std::make_unique<RowBlocks>(load_row_blocks(a.data, options));
}

// The row of --text.
Matrix InputRows::text_row() const {
    if (brain_.front_end().name.empty()) return brain_.text_rows({*arguments_.text});
    const Embedder embedder(brain_.front_end());
    const std::vector<float> row = embedder.embed_one({"--text", *arguments_.text});
    return Matrix(MatrixView(row.data(), 1, row.size()));
}

Matrix InputRows::next() {
    if (!blocks_ && done_ > 0) return {};
    constexpr std::size_t kFirst = 64;  // a small first block, so that the first answers come soon
    constexpr std::size_t kSlow = 16;   // the same for rows that take long
    std::size_t most = brain_.rows_at_once();
    if (done_ == 0) most = std::min(kFirst, most);
    if (kind_) most = std::min(kSlow, most);
    Matrix rows = blocks_ ? blocks_->next(most) : text_row();
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

std::vector<std::string> InputRows::inputs() const {
    return blocks_ ? blocks_->inputs() : std::vector<std::string>{};
}
std::vector<SkippedInput> InputRows::skipped() const {
    return blocks_ ? blocks_->skipped() : std::vector<SkippedInput>{};
}

std::vector<std::string> InputRows::labels() const {
    if (!arguments_.label.empty()) return std::vector<std::string>(done_, arguments_.label);
    return blocks_ ? blocks_->labels() : std::vector<std::string>{};
}

}  // namespace fearnet::cli
