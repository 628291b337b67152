// RowSource, the reader of one format, and helpers that formats share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/io/byte_stream.hpp"
#include "data/io/npz.hpp"
#include "fearnet/data/table.hpp"

namespace fearnet {

// The rows of one file as they are read.
class RowSource {
  public:
    virtual ~RowSource() = default;
    // The next rows, at most `most`, with labels and split as the file has them: fewer when the others have
    // not arrived yet, none at the end. Labels come only if TableOptions::labels asks for them.
    virtual Table next(std::size_t most) = 0;
    // Rows in all if that is known from the start, else 0.
    virtual std::size_t total() const { return 0; }
    // Given the labels of all rows: throws Error when they are hardly names of classes; warnings.
    virtual std::vector<std::string> check_labels(const RawLabels&) const { return {}; }
    // Given the labels of all rows: makes numbers of text that is all whole numbers.
    virtual void settle_labels(RawLabels& labels) const;
    // Given all rows: warnings.
    virtual std::vector<std::string> check_rows(const Table&) const { return {}; }
};

// A table that is in memory already.
class WholeTable : public RowSource {
  public:
    explicit WholeTable(Table table) : table_(std::move(table)), rows_(table_.x.rows()) {}
    Table next(std::size_t most) override;
    std::size_t total() const override { return rows_; }
    void settle_labels(RawLabels&) const override {}  // they are: labels of other rows counted too

  private:
    Table table_;
    std::size_t rows_ = 0, done_ = 0;
};

// Opens `path` as its format, by its name; "-" by its first bytes. `whole`: all rows are wanted in memory, so
// that the limit on memory holds for formats that can be read in blocks too. Throws Error naming the file.
std::unique_ptr<RowSource> open_rows(const std::string& path, const TableOptions& options, bool whole);

// One function per format. `limit`: the largest number of bytes to hold in memory.
using OpenFormat = std::unique_ptr<RowSource>(const std::string& path, const TableOptions& options,
                                              std::uint64_t limit);
OpenFormat open_npz, open_npy, open_csv, open_text, open_idx, open_inputs;
// The same from a stream; `path` is "-" or the file's.
using Stream = std::unique_ptr<io::ByteStream>;
std::unique_ptr<RowSource> npz_source(Stream stream, const TableOptions& options, std::uint64_t limit);
std::unique_ptr<RowSource> npy_source(Stream stream, const std::string& path, const TableOptions& options,
                                      std::uint64_t limit);
std::unique_ptr<RowSource> csv_source(Stream stream, const TableOptions& options, std::uint64_t limit);
std::unique_ptr<RowSource> text_source(Stream stream, const TableOptions& options, std::uint64_t limit);

// True for a list of inputs, lines of text, and files of rows.
bool is_list_or_rows(const std::string& path);
// True for a file, folder or list of photographs, sounds and texts; false for rows and for lines of text.
bool is_inputs(const std::string& path);
// True for a folder that holds one of the four IDX files, and for the name of one, with or without ".gz".
bool is_idx(const std::string& path);

// options.max_bytes, or what it stands for.
std::uint64_t memory_limit(const TableOptions& options);
// Throws Error when the file is larger than that.
void check_file_size(const std::filesystem::path& path, std::uint64_t limit);

// Throws Error unless the header announces rows: two dimensions or more, and `width` features a row unless
// that is 0.
void check_is_table(const io::NpyHeader& x, std::size_t width, const std::string& what);

// Moves embedder, inputs and skipped of `more` behind those of `table`.
void append_inputs(Table& table, Table& more);
// Puts the rows of `more` behind those of `x`.
void append_rows(Matrix& x, Matrix more);
// Leaves only the rows of `split`.
void keep_split(Matrix& x, const std::vector<bool>& is_test, Split split);

// Calls `read` and turns what the system throws into an Error about `what`.
template <class Read>
auto with_errors_about(const std::string& what, const Read& read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        throw Error(what + ": not enough memory to load it");
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(what + ": " + error.what());
    }
}

}  // namespace fearnet
