// Rows of a .npy file, with labels in <stem>_labels.npy beside it.
#include "data/table/data_checks.hpp"
#include "data/table/labels.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

class NpySource : public RowSource {
  public:
    NpySource(Stream stream, const std::string& path, const TableOptions& options, std::uint64_t limit)
        : stream_(std::move(stream)), reader_(*stream_) {
        check_is_table(reader_.header(), options.width, stream_->what());
        io::check_memory(reader_.header(), limit, stream_->what());
        if (path == "-") return;
        std::filesystem::path beside(path);
        beside.replace_filename(beside.stem().string() + "_labels.npy");
        label_source_ = beside.filename().string();
        if (options.labels && std::filesystem::exists(beside)) read_labels(beside, memory_limit(options));
    }
    Table next(std::size_t most) override {
        Table block;
        block.x = reader_.next(most);
        if (has_labels_) block.labels = slice(labels_, done_, block.x.rows());
        block.label_source = label_source_;
        done_ += block.x.rows();
        return block;
    }
    std::size_t total() const override { return reader_.rows(); }
    std::vector<std::string> check_labels(const RawLabels& labels) const override {
        return check_array_labels(labels);
    }
    std::vector<std::string> check_rows(const Table& table) const override { return check_array(table.x); }

  private:
    void read_labels(const std::filesystem::path& beside, std::uint64_t limit) {
        check_file_size(beside, limit);
        labels_ = labels_from(io::parse_npy(io::read_file(beside), beside.string()));
        has_labels_ = true;
        if (count(labels_) != reader_.rows())
            throw Error(stream_->what() + ": " + std::to_string(reader_.rows()) + " rows but " +
                        std::to_string(count(labels_)) + " labels in " + beside.filename().string());
    }

    Stream stream_;
    io::NpyReader reader_;
    std::string label_source_;
    RawLabels labels_;
    bool has_labels_ = false;
    std::size_t done_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> npy_source(Stream stream, const std::string& path, const TableOptions& options,
                                      std::uint64_t limit) {
    return std::make_unique<NpySource>(std::move(stream), path, options, limit);
}

std::unique_ptr<RowSource> open_npy(const std::string& path, const TableOptions& options,
                                    std::uint64_t limit) {
    check_file_size(path, limit);
    return npy_source(std::make_unique<io::ByteStream>(path), path, options, limit);
}

}  // namespace fearnet
