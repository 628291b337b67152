#include "fearnet/data/rows.hpp"
#include "fearnet/brain.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "data/datasets/builtin.hpp"
#include "data/datasets/rows_parts.hpp"
#include "data/table/data_checks.hpp"
#include "data/table/load_files.hpp"
#include "data/table/text_reader.hpp"
#include "fearnet/data/row_blocks.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

bool ends(const std::string& name, std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* e) { return name.ends_with(e); });
}

}  // namespace

std::vector<std::string> label_names(RawLabels raw, const std::vector<std::string>& class_names,
                                     const std::string& what) {
    const MappedLabels mapped = map_labels({std::move(raw)}, class_names, what);
    std::vector<std::string> names;
    for (const ClassId id : mapped.parts[0])
        names.push_back(mapped.names[static_cast<std::size_t>(index_of(id))]);
    return names;
}

namespace {

Rows rows_of(const FeatureSet& set, Part part) {
    const Examples& examples = part == Part::train ? set.train : set.test;
    Rows rows{examples.x};
    for (const ClassId id : examples.labels)
        rows.labels.push_back(set.names[static_cast<std::size_t>(index_of(id))]);
    return rows;
}

// A class that goes by its number where others have names would be another class.
void check_named(const RawLabels& raw, const std::vector<std::string>& class_names, const std::string& what) {
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&raw);
    for (std::size_t i = 0; numbers && !class_names.empty() && i < numbers->size(); ++i)
        if (const std::int64_t label = (*numbers)[i];
            label < 0 || label >= static_cast<std::int64_t>(class_names.size()))
            throw Error(what + ": row " + std::to_string(i) + " has label " + std::to_string(label) +
                        " but 'names' has " + std::to_string(class_names.size()) +
                        ", for labels from 0 on; add the others, or leave 'names' out");
}

}  // namespace

Rows npz_rows(const io::NpzFile& file, const RowsOptions& options) {
    const std::string wanted = options.part == Part::train ? "_train" : "_test";
    const std::string suffix = !file.has("x") && file.has("x" + wanted) ? wanted : "";
    const std::string x = "x" + suffix, y = "y" + suffix;
    check_announced(file, x, file.has(y) ? y : "", options.width);
    Rows rows{io::to_matrix(file.array(x))};
    const std::vector<std::string> names =
        file.has("names") ? io::to_strings(file.array("names")) : std::vector<std::string>{};
    if (!file.has(y)) return rows;
    RawLabels labels = labels_from(file.array(y));
    if (options.labels) check_named(labels, names, file.what());
    rows.labels = label_names(std::move(labels), names, file.what());
    rows.label_source = "array '" + y + "'";
    return rows;
}

std::vector<std::string> labels_beside(const std::filesystem::path& npy, const LoadOptions& options) {
    const std::filesystem::path beside = npy_labels_of(npy);
    if (!std::filesystem::exists(beside)) return {};
    check_file_size(beside, options);
    return label_names(labels_from(io::parse_npy(io::read_file(beside), beside.string())), {}, npy.string());
}

void keep_part(io::CsvTable& table, Part part) {
    if (table.is_test.empty()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < table.is_test.size(); ++i) {
        if (table.is_test[i] != (part == Part::test)) continue;
        std::copy_n(table.x.row(i), table.x.cols(), table.x.row(kept));
        if (!table.labels.empty()) table.labels[kept] = table.labels[i];
        ++kept;
    }
    table.x.resize_rows(kept);
    if (!table.labels.empty()) table.labels.resize(kept);
}

io::CsvOptions csv_options(const RowsOptions& options) {
    io::CsvOptions csv = csv_options(options.load);
    csv.features = options.width;
    csv.labels = options.labels;
    return csv;
}

namespace {

Rows npy_rows(const std::filesystem::path& path, const RowsOptions& options) {
    Rows rows{npy_rows_of(path, options.load, options.width), labels_beside(path, options.load)};
    if (!rows.labels.empty()) rows.label_source = npy_labels_of(path).filename().string();
    return rows;
}

Rows csv_rows(const std::string& path, const RowsOptions& options) {
    io::CsvTable table = io::read_csv(path, csv_options(options));
    Rows rows;
    rows.warnings = check_csv(table, options.load, options.labels, path);
    rows.label_source = label_source(table);
    if (!table.labels.empty()) table.labels = label_names(std::move(table.labels), {}, path);
    keep_part(table, options.part);
    rows.x = std::move(table.x);
    rows.labels = std::move(table.labels);
    return rows;
}

Rows all_of(RowBlocks blocks) {
    constexpr std::size_t kAtOnce = 4096;
    Rows rows;
    for (Matrix block = blocks.next(kAtOnce); block.rows() > 0; block = blocks.next(kAtOnce)) {
        const std::size_t before = rows.x.rows();
        if (before == 0) rows.x = Matrix(0, block.cols());
        rows.x.resize_rows(before + block.rows());
        std::copy_n(block.data(), block.size(), rows.x.row(before));
    }
    rows.labels = blocks.labels();
    return rows;
}

Rows array_rows(const std::string& data, const RowsOptions& options) {
    Rows rows = ends(data, {".npz"}) ? npz_rows(io::NpzFile(data, memory_limit(options.load)), options)
                                     : npy_rows(data, options);
    if (rows.labels.empty() || rows.labels.size() == rows.x.rows())
        rows.warnings = check_array(rows.x, options.labels ? rows.labels : std::vector<std::string>{});
    return rows;
}

Rows read_rows(const std::string& data, const RowsOptions& options) {
    for (const Builtin& builtin : builtins())
        if (data == builtin.name) {
            check_has_no_columns(data, options.load);
            return rows_of(builtin.load(options.load), options.part);
        }
    if (data == "-") return all_of(RowBlocks(data, options));
    if (!std::filesystem::exists(data))
        throw Error(data + ": no such file, and no built-in data set of that name");
    check_file_size(data, options.load);
    if (is_csv_name(data)) return csv_rows(data, options);
    check_has_no_columns(data, options.load);
    if (is_text_file(data)) {
        TextLines lines = load_text(data);
        return {text_rows(lines.texts), std::move(lines.labels), "the text before the tab"};
    }
    if (ends(data, {".npz", ".npy"})) return array_rows(data, options);
    return rows_of(load_feature_set(data, options.load),
                   options.part);  // IDX, or an error that says what is read
}

}  // namespace

Rows load_rows(const std::string& data, const RowsOptions& options) {
    try {
        RowsOptions plain = options;
        plain.load.unit_length = false;
        Rows rows = read_rows(data, plain);
        if (rows.x.rows() == 0) throw Error(data + ": 0 rows of the part asked for; at least one is needed");
        if (!rows.labels.empty() && rows.labels.size() != rows.x.rows())
            throw Error(data + ": " + std::to_string(rows.x.rows()) + " rows but " +
                        std::to_string(rows.labels.size()) + " labels");
        check_finite_rows(rows.x, data);
        return rows;
    } catch (const std::bad_alloc&) {
        throw Error(data + ": not enough memory to load it");
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(data + ": " + error.what());
    }
}

bool is_text_file(const std::string& data) {
    return ends(data, {".txt"});
}

TextLines load_text(const std::string& file) {
    io::ByteStream bytes(file);
    io::TextStream text(bytes);
    TextLines lines;
    TextReader(text, file).next(lines, std::numeric_limits<std::size_t>::max());
    if (lines.texts.empty()) throw Error(file + ": no line of text in it");
    return lines;
}

}  // namespace fearnet
