#include "fearnet/data/row_blocks.hpp"
#include "fearnet/brain.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "data/datasets/rows_parts.hpp"
#include "data/table/load_files.hpp"
#include "data/table/text_reader.hpp"
#include "fearnet/data/feature_set.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

bool ends(const std::string& name, std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* e) { return name.ends_with(e); });
}

// An archive's directory is at its end.
Rows npz_of(io::ByteStream& stream, const RowsOptions& options) {
    constexpr std::size_t kChunk = 1 << 20;
    io::Bytes all;
    for (;;) {
        const std::size_t before = all.size();
        all.resize(before + kChunk);
        const std::size_t n = stream.read(all.data() + before, kChunk);
        all.resize(before + n);
        if (n == 0) break;
    }
    return npz_rows(io::NpzFile(std::move(all), stream.what(), memory_limit(options.load)), options);
}

}  // namespace

struct RowBlocks::Source {
    virtual ~Source() = default;
    virtual Matrix next(std::size_t most) = 0;
    virtual std::vector<std::string> labels() const = 0;
    virtual std::size_t total() const { return 0; }
};

struct RowBlocks::Whole : Source {
    explicit Whole(Rows loaded) : rows(std::move(loaded)) {}
    Matrix next(std::size_t most) override {
        const std::size_t n = std::min(most, rows.x.rows() - done);
        done += n;
        return Matrix(rows.x.view().slice(done - n, n));
    }
    std::vector<std::string> labels() const override {
        if (rows.labels.empty()) return {};
        return {rows.labels.begin(), rows.labels.begin() + static_cast<std::ptrdiff_t>(done)};
    }
    std::size_t total() const override { return rows.x.rows(); }
    Rows rows;
    std::size_t done = 0;
};

struct RowBlocks::Npy : Source {
    Npy(std::unique_ptr<io::ByteStream> bytes, const std::string& data, const RowsOptions& options)
        : stream(std::move(bytes)), reader(*stream) {
        check_is_table(reader.header(), options.width, stream->what());
        if (options.labels && data != "-") names = labels_beside(data, options.load);
        if (!names.empty() && names.size() != reader.rows())
            throw Error(data + ": " + std::to_string(reader.rows()) + " rows but " +
                        std::to_string(names.size()) + " labels");
    }
    Matrix next(std::size_t most) override {
        Matrix rows = reader.next(most);
        done += rows.rows();
        return rows;
    }
    std::vector<std::string> labels() const override {
        if (names.empty()) return {};
        return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(done)};
    }
    std::size_t total() const override { return reader.rows(); }
    std::unique_ptr<io::ByteStream> stream;
    io::NpyReader reader;
    std::vector<std::string> names;
    std::size_t done = 0;
};

struct RowBlocks::Csv : Source {
    Csv(std::unique_ptr<io::ByteStream> source, const RowsOptions& o)
        : options(o),
          bytes(std::move(source)),
          text(*bytes),
          reader(text, bytes->what(), csv_options(options)) {}
    // With a 'split' column only rows of the part that is asked for.
    Matrix next(std::size_t most) override {
        io::CsvTable table;
        for (;;) {
            reader.next(table, most);
            const bool end = table.x.rows() == 0;
            keep_part(table, options.part);
            if (!end && table.x.rows() == 0) continue;
            if (options.labels) raw.insert(raw.end(), table.labels.begin(), table.labels.end());
            return std::move(table.x);
        }
    }
    // As a whole: labels are numbers only if all are.
    std::vector<std::string> labels() const override {
        return raw.empty() ? raw : label_names(raw, {}, bytes->what());
    }
    RowsOptions options;
    std::unique_ptr<io::ByteStream> bytes;
    io::TextStream text;
    io::CsvReader reader;
    std::vector<std::string> raw;
};

struct RowBlocks::Text : Source {
    Text(std::unique_ptr<io::ByteStream> source, bool keep_labels)
        : bytes(std::move(source)), text(*bytes), reader(text, bytes->what()), keep(keep_labels) {}
    Matrix next(std::size_t most) override {
        TextLines lines;
        reader.next(lines, most);
        if (keep) names.insert(names.end(), lines.labels.begin(), lines.labels.end());
        return text_rows(lines.texts);
    }
    std::vector<std::string> labels() const override { return names; }
    std::unique_ptr<io::ByteStream> bytes;
    io::TextStream text;
    TextReader reader;
    bool keep;
    std::vector<std::string> names;
};

std::unique_ptr<RowBlocks::Source> RowBlocks::open(const std::string& data, const RowsOptions& options) {
    const bool input = data == "-";
    const bool npy = ends(data, {".npy"}), csv = is_csv_name(data);
    if (!input && (!std::filesystem::exists(data) || !(npy || csv || is_text_file(data))))
        return std::make_unique<Whole>(load_rows(data, options));
    if (!csv && !input) check_has_no_columns(data, options.load);
    auto stream = std::make_unique<io::ByteStream>(data);
    if (input && stream->starts_with("PK\x03\x04")) return std::make_unique<Whole>(npz_of(*stream, options));
    if (npy || (input && stream->starts_with("\x93NUMPY")))
        return std::make_unique<Npy>(std::move(stream), data, options);
    if (csv || (input && !options.text)) return std::make_unique<Csv>(std::move(stream), options);
    return std::make_unique<Text>(std::move(stream), options.labels);
}

RowBlocks::RowBlocks(const std::string& data, const RowsOptions& options)
    : what_(data == "-" ? "standard input" : data) {
    try {
        source_ = open(data, options);
    } catch (const std::bad_alloc&) {
        throw Error(what_ + ": not enough memory to load it");
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(what_ + ": " + error.what());
    }
}
RowBlocks::~RowBlocks() = default;

Matrix RowBlocks::next(std::size_t most) {
    Matrix rows = source_->next(most);
    if (rows.rows() == 0 && done_ == 0)
        throw Error(what_ + ": 0 rows of the part asked for; at least one is needed");
    check_finite_rows(rows, what_, done_);
    done_ += rows.rows();
    return rows;
}

std::vector<std::string> RowBlocks::labels() const {
    return source_->labels();
}

std::size_t RowBlocks::total() const {
    return source_->total();
}

}  // namespace fearnet
