// Rows of an .npz file. docs/formats/npz.md has the rule for the names of its arrays.
#include <algorithm>

#include "data/table/data_checks.hpp"
#include "data/table/labels.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

// `key` as the file spells it: X_train is as good as x_train, which wins where both are there.
std::string spelled(const io::NpzFile& file, const std::string& key) {
    if (file.has(key)) return key;
    const auto same = [&](const std::string& k) {
        return std::equal(k.begin(), k.end(), key.begin(), key.end(),
                          [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    };
    const std::vector<std::string> keys = file.keys();
    const auto found = std::find_if(keys.begin(), keys.end(), same);
    return found == keys.end() ? key : *found;
}

// The arrays of some rows.
struct Part {
    std::string x, y;
    std::optional<Split> split;
    bool wanted = true;
};

std::vector<Part> parts_of(const io::NpzFile& file, const TableOptions& options) {
    const auto part = [&](const char* x, const char* y, std::optional<Split> split) {
        return Part{spelled(file, x), spelled(file, y), split,
                    !split || !options.only || *options.only == *split};
    };
    const Part train = part("x_train", "y_train", Split::train), test = part("x_test", "y_test", Split::test);
    if (file.has(train.x) || file.has(test.x)) return {train, test};
    const Part whole = part("x", "y", {});
    if (file.has(whole.x)) return {whole};
    std::string keys;
    for (const std::string& key : file.keys()) keys += (keys.empty() ? "" : ", ") + key;
    throw Error(file.what() + ": no array called 'x_train' or 'x'; it holds " +
                (keys.empty() ? "nothing" : keys));
}

// From the headers, so that nothing is unpacked in vain. Throws Error when x is no table of rows, when rows
// have another width than `width`, unless that is 0, or when there are not as many labels.
void check_announced(const io::NpzFile& file, const Part& part, const TableOptions& options) {
    const io::NpyHeader rows = file.header(part.x);
    check_is_table(rows, options.width, file.what() + ": " + part.x);
    if (!options.labels || !file.has(part.y)) return;
    const io::NpyHeader labels = file.header(part.y);
    const std::size_t count = labels.shape.empty() ? 1 : labels.shape[0];
    if (count != rows.shape[0])
        throw Error(file.what() + ": " + part.x + " and " + part.y + ": " + std::to_string(rows.shape[0]) +
                    " rows but " + std::to_string(count) + " labels");
}

// Labels of the wanted parts. Those of all parts are read: text is numbers only if all of it is.
RawLabels labels_of(const io::NpzFile& file, const std::vector<Part>& parts) {
    RawLabels all, wanted;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const Part& part : parts) {
        if (!file.has(part.y)) continue;
        const std::size_t before = count(all);
        append(all, labels_from(file.array(part.y)), file.what());
        if (part.wanted) ranges.emplace_back(before, count(all) - before);
    }
    as_numbers_if_whole(all);
    for (const auto& [first, n] : ranges) append(wanted, slice(all, first, n), file.what());
    return wanted;
}

void add_rows(const io::NpzFile& file, const Part& part, Table& table) {
    Matrix x = io::to_matrix(file.array(part.x));
    if (table.x.rows() > 0 && table.x.cols() != x.cols())
        throw Error(file.what() + ": training rows have " + std::to_string(table.x.cols()) +
                    " features but test rows have " + std::to_string(x.cols()));
    if (part.split) table.is_test.insert(table.is_test.end(), x.rows(), *part.split == Split::test);
    append_rows(table.x, std::move(x));
}

Table npz_table(const io::NpzFile& file, const TableOptions& options) {
    const std::vector<Part> parts = parts_of(file, options);
    Table table;
    bool labels = false;
    std::vector<std::string> sources;
    for (const Part& part : parts) {
        if (!part.wanted) continue;
        check_announced(file, part, options);
        labels = labels || (options.labels && file.has(part.y));
        sources.push_back("'" + part.y + "'");
    }
    table.label_source =
        sources.size() == 1 ? "array " + sources[0] : "arrays " + sources[0] + " and " + sources[1];
    for (const Part& part : parts)
        if (part.wanted && labels) file.header(part.y);  // says which is missing when only one has labels
    if (labels) table.labels = labels_of(file, parts);
    const std::string names = spelled(file, "names");
    if (labels && file.has(names)) table.class_names = io::to_strings(file.array(names));
    for (const Part& part : parts)
        if (part.wanted) add_rows(file, part, table);
    return table;
}

class NpzSource : public WholeTable {
  public:
    using WholeTable::WholeTable;
    std::vector<std::string> check_labels(const RawLabels& labels) const override {
        return check_array_labels(labels);
    }
    // An id may start anew in the test rows: each array is looked at by itself, the first of them here.
    std::vector<std::string> check_rows(const Table& table) const override {
        const auto test = std::find(table.is_test.begin(), table.is_test.end(), true);
        const auto train_rows = static_cast<std::size_t>(test - table.is_test.begin());
        return check_array(table.x.view().slice(0, train_rows == 0 ? table.x.rows() : train_rows));
    }
};

}  // namespace

std::unique_ptr<RowSource> open_npz(const std::string& path, const TableOptions& options,
                                    std::uint64_t limit) {
    check_file_size(path, limit);
    return std::make_unique<NpzSource>(npz_table(io::NpzFile(path, limit), options));
}

// An archive's directory is at its end.
std::unique_ptr<RowSource> npz_source(Stream stream, const TableOptions& options, std::uint64_t limit) {
    io::Bytes all = io::read_all(*stream, limit);
    return std::make_unique<NpzSource>(
        npz_table(io::NpzFile(std::move(all), stream->what(), limit), options));
}

}  // namespace fearnet
