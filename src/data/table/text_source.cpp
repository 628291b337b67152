// Lines of text as rows of hashed character n-grams.
#include "data/io/text_lines.hpp"
#include "data/table/row_source.hpp"
#include "fearnet/brain.hpp"

namespace fearnet {
namespace {

class TextSource : public RowSource {
  public:
    TextSource(Stream stream, const TableOptions& options, std::uint64_t limit)
        : bytes_(std::move(stream)), text_(*bytes_, limit), reader_(text_, bytes_->what()) {
        labels_ = options.labels;
        embedder_ = options.embedder;
        progress_ = options.progress;
    }
    Table next(std::size_t most) override {
        io::TextLines lines;
        reader_.next(lines, most);
        Table block;
        block.x = rows_of(lines.texts, block);
        if (labels_) block.labels = std::move(lines.labels);
        block.label_source = "the text before the tab";
        return block;
    }

  private:
    Matrix rows_of(const std::vector<std::string>& texts, Table& block) const {
        if (!embedder_) return text_rows(texts);
        std::vector<EmbedderInput> inputs;
        for (const std::string& text : texts) inputs.push_back({bytes_->what(), text});
        EmbeddedInputs made = embedder_->embed(inputs, progress_);
        if (!made.skipped.empty()) throw Error(bytes_->what() + ": " + made.skipped.front().reason);
        block.embedder = embedder_;
        return std::move(made.rows);
    }

    Stream bytes_;
    io::TextStream text_;
    io::TextReader reader_;
    bool labels_;
    std::shared_ptr<const Embedder> embedder_;
    Progress progress_;
};

}  // namespace

std::unique_ptr<RowSource> text_source(Stream stream, const TableOptions& options, std::uint64_t limit) {
    return std::make_unique<TextSource>(std::move(stream), options, limit);
}

std::unique_ptr<RowSource> open_text(const std::string& path, const TableOptions& options,
                                     std::uint64_t limit) {
    check_file_size(path, limit);
    return text_source(std::make_unique<io::ByteStream>(path), options, limit);
}

}  // namespace fearnet
