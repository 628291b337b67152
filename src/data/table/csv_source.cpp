// Rows of a CSV or TSV file, plain or gzip.
#include "data/io/csv.hpp"
#include "data/table/data_checks.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

io::CsvOptions csv_options(const TableOptions& options) {
    io::CsvOptions csv;
    csv.label_column = options.label_column;
    csv.drop = options.drop;
    csv.features = options.width;
    csv.labels = options.labels;
    return csv;
}

class CsvSource : public RowSource {
  public:
    CsvSource(Stream stream, const TableOptions& options, std::uint64_t limit)
        : options_(options),
          bytes_(std::move(stream)),
          text_(*bytes_, limit),
          reader_(text_, bytes_->what(), csv_options(options)) {}
    Table next(std::size_t most) override {
        io::CsvTable csv;
        reader_.next(csv, most);
        Table block;
        block.x = std::move(csv.x);
        block.is_test = std::move(csv.is_test);
        if (options_.labels) block.labels = std::move(csv.labels);
        columns_ = std::move(csv.columns);
        if (options_.labels) block.label_source = label_source(columns_);
        return block;
    }
    std::vector<std::string> check_labels(const RawLabels& labels) const override {
        return check_csv_labels(std::get<std::vector<std::string>>(labels), columns_, options_,
                                bytes_->what());
    }
    std::vector<std::string> check_rows(const Table& table) const override {
        return check_csv_rows(table.x, table.labels, columns_);
    }

  private:
    TableOptions options_;
    Stream bytes_;
    io::TextStream text_;
    io::CsvReader reader_;
    io::CsvColumns columns_;
};

}  // namespace

std::unique_ptr<RowSource> csv_source(Stream stream, const TableOptions& options, std::uint64_t limit) {
    return std::make_unique<CsvSource>(std::move(stream), options, limit);
}

std::unique_ptr<RowSource> open_csv(const std::string& path, const TableOptions& options,
                                    std::uint64_t limit) {
    check_file_size(path, limit);
    return csv_source(std::make_unique<io::ByteStream>(path), options, limit);
}

}  // namespace fearnet
