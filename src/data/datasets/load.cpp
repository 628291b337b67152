#include "fearnet/data/load.hpp"

#include <algorithm>

#include "data/datasets/builtin.hpp"
#include "data/table/row_source.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

std::string builtin_names() {
    std::string names;
    for (const Builtin& builtin : builtins())
        names += (names.empty() ? "" : ", ") + std::string(builtin.name);
    return names;
}

const Builtin* find_builtin(const std::string& name) {
    const auto known = builtins();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Builtin& b) { return name == b.name; });
    return found == known.end() ? nullptr : &*found;
}

// The built-in data set of that name; none for a file. Throws Error when there is neither.
const Builtin* builtin_or_file(const std::string& data, const TableOptions& options) {
    if (const Builtin* builtin = find_builtin(data)) {
        if (!options.label_column.empty() || !options.drop.empty())
            throw Error(data + ": --label-column and --drop apply only to CSV and TSV files");
        if (!options.more_files.empty()) throw Error(data + ": a built-in data set is read alone");
        return builtin;
    }
    std::error_code ignored;
    if (data == "-" || std::filesystem::exists(data, ignored)) return nullptr;
    throw Error(data +
                ": no such file, and no built-in data set of that name (there are: " + builtin_names() + ")");
}

void add(Examples examples, bool is_test, const TableOptions& options, Table& table) {
    auto& labels = std::get<std::vector<std::int64_t>>(table.labels);
    for (std::size_t i = 0; options.labels && i < examples.size(); ++i)
        labels.push_back(index_of(examples.labels[i]));
    table.is_test.insert(table.is_test.end(), examples.size(), is_test);
    append_rows(table.x, std::move(examples.x));
}

Table table_of(FeatureSet set, const TableOptions& options) {
    Table table;
    table.class_names = std::move(set.names);
    if (options.only != Split::test) add(std::move(set.train), false, options, table);
    if (options.only != Split::train) add(std::move(set.test), true, options, table);
    return table;
}

FeatureSet load_unscaled(const std::string& data, const LoadOptions& options) {
    if (const Builtin* builtin = builtin_or_file(data, options.table)) {
        FeatureSet set = builtin->load(options);
        set.name = data;
        return set;
    }
    TableOptions all = options.table;
    all.only = {};
    all.labels = true;
    return feature_set_of(read_table(data, all), options.test_fraction, options.split_seed);
}

}  // namespace

FeatureSet load_feature_set(const std::string& data, const LoadOptions& options) {
    FeatureSet set = with_errors_about(data, [&] { return load_unscaled(data, options); });
    check_feature_set(set);
    set.name = short_name(data);
    if (options.unit_length && set.width() == 1)
        throw Error(data +
                    ": rows of 1 feature, which scaled to length one are all -1, 0 or 1; leave them as "
                    "they are with --raw (LoadOptions::unit_length = false)");
    if (options.unit_length) {
        scale_rows_to_unit_length(set.train.x);
        scale_rows_to_unit_length(set.test.x);
    }
    return set;
}

Table load_table(const std::string& data, const LoadOptions& options) {
    const Builtin* builtin = builtin_or_file(data, options.table);
    if (builtin == nullptr) return read_table(data, options.table);
    Table table = with_errors_about(data, [&] { return table_of(builtin->load(options), options.table); });
    table.name = data;
    return table;
}

NamedRows load_rows(const std::string& data, const TableOptions& options) {
    return named_rows(load_table(data, {.table = options}));
}

RowBlocks load_row_blocks(const std::string& data, const TableOptions& options) {
    if (builtin_or_file(data, options) == nullptr) return RowBlocks(data, options);
    return RowBlocks(load_table(data, {.table = options}));
}

void fetch_dataset(const std::string& name, const LoadOptions& options,
                   const std::function<void(const std::string&)>& say) {
    const Builtin* found = find_builtin(name);
    if (found == nullptr)
        throw Error(name + ": no built-in data set of that name (there are: " + builtin_names() + ")");
    if (found->present(options)) return;
    if (found->fetch)
        found->fetch(options, say);
    else
        found->load(options);  // throws, saying the command that installs it
}

std::vector<BuiltinDataset> builtin_datasets(const LoadOptions& options) {
    std::vector<BuiltinDataset> result;
    for (const Builtin& builtin : builtins())
        result.push_back({builtin.name, builtin.description, builtin.source, builtin.present(options)});
    return result;
}

}  // namespace fearnet
