#include "fearnet/data/table.hpp"

#include <algorithm>
#include <limits>

#include "core/base/utf8.hpp"
#include "data/io/npy.hpp"
#include "data/io/npz.hpp"
#include "data/table/labels.hpp"
#include "data/table/row_source.hpp"
#include "fearnet/output_file.hpp"

namespace fearnet {
namespace {

// All rows of a source; files give them at once.
Table all_rows(RowSource& source, const std::string& what) {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    Table all = source.next(kAll);
    for (Table more = source.next(kAll); more.x.rows() > 0; more = source.next(kAll)) {
        append_rows(all.x, std::move(more.x));
        append(all.labels, std::move(more.labels), what);
        all.is_test.insert(all.is_test.end(), more.is_test.begin(), more.is_test.end());
        append_inputs(all, more);
    }
    return all;
}

template <class Value>
std::vector<Value> of_split(const std::vector<Value>& values, const std::vector<bool>& is_test, Split split) {
    std::vector<Value> kept;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (is_test[i] == (split == Split::test)) kept.push_back(values[i]);
    return kept;
}

void keep_only(Table& table, Split split) {
    keep_split(table.x, table.is_test, split);
    table.labels =
        std::visit([&](auto& l) -> RawLabels { return of_split(l, table.is_test, split); }, table.labels);
    table.is_test.assign(table.x.rows(), split == Split::test);
}

Table read(const std::string& file, const TableOptions& options, const std::string& what) {
    const std::unique_ptr<RowSource> source = open_rows(file, options, true);
    Table table = all_rows(*source, what);
    table.name = what;
    if (table.has_labels()) table.warnings = source->check_labels(table.labels);
    for (std::string& warning : source->check_rows(table)) table.warnings.push_back(std::move(warning));
    source->settle_labels(table.labels);
    if (options.only && !table.is_test.empty()) keep_only(table, *options.only);
    if (table.x.rows() == 0) throw Error(what + ": the selected split has 0 rows; at least one is needed");
    if (table.x.cols() == 0) throw Error(what + ": rows have no features");
    check_finite_rows(table.x, what);
    return table;
}

}  // namespace

Table read_table(const std::string& file, const TableOptions& options) {
    const std::string what = file == "-" ? "standard input" : file;
    return with_errors_about(what, [&] { return read(file, options, what); });
}

std::vector<std::string> label_names(const Table& table) {
    const MappedLabels mapped = map_labels(table.labels, table.class_names, table.name);
    std::vector<std::string> names;
    names.reserve(mapped.ids.size());
    for (const ClassId id : mapped.ids) names.push_back(mapped.names[static_cast<std::size_t>(index_of(id))]);
    return names;
}

Matrix rows_of_npy(std::string_view bytes, const std::string& name) {
    Matrix rows = io::to_matrix(io::parse_npy(io::Bytes(bytes.begin(), bytes.end()), name));
    check_finite_rows(rows, name);
    return rows;
}

void write_rows(const std::string& file, MatrixView x) {
    const io::Bytes bytes = io::npy_from(x);
    write_file_atomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_table(const std::string& file, const Table& table) {
    const std::vector<std::string> labels = label_names(table);
    io::NpzWriter npz;
    const auto add = [&](const std::string& end, const std::vector<std::size_t>& rows) {
        if (rows.empty()) return;
        Matrix x(rows.size(), table.x.cols());
        std::vector<std::string> y, inputs;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::copy_n(table.x.row(rows[i]), x.cols(), x.row(i));
            if (!labels.empty()) y.push_back(labels[rows[i]]);
            // The name of a file may be any bytes.
            if (!table.inputs.empty()) {
                const std::string& name = table.inputs[rows[i]];
                inputs.push_back(is_utf8(name) ? name : printable(name));
            }
        }
        npz.add("x" + end, MatrixView(x));
        if (!y.empty()) npz.add("y" + end, y);
        if (!inputs.empty()) npz.add("inputs" + end, inputs);
    };
    std::vector<std::size_t> train, test;
    for (std::size_t i = 0; i < table.x.rows(); ++i)
        (!table.is_test.empty() && table.is_test[i] ? test : train).push_back(i);
    add(table.is_test.empty() ? "" : "_train", train);
    add("_test", test);
    const io::Bytes bytes = npz.finish();
    write_file_atomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

NamedRows named_rows(Table table) {
    std::vector<std::string> labels = label_names(table);
    return {std::move(table.x),        std::move(labels),         std::move(table.label_source),
            std::move(table.warnings), std::move(table.embedder), std::move(table.inputs),
            std::move(table.skipped)};
}

}  // namespace fearnet
