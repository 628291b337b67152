#include "fearnet/data/load.hpp"

#include <algorithm>
#include <new>

#include "data/datasets/builtin.hpp"
#include "data/table/data_checks.hpp"
#include "data/table/load_files.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

FeatureSet load_file(const std::filesystem::path& path, const LoadOptions& options) {
    const std::string name = path.filename().string();
    check_file_size(path, options);
    if (std::filesystem::is_directory(path)) return load_idx_folder(path, options);
    if (is_idx_name(name)) return load_idx_folder(path.has_parent_path() ? path.parent_path() : ".", options);
    if (name.ends_with(".npz") || name.ends_with(".npy")) {
        FeatureSet set = name.ends_with(".npz") ? load_npz(path, options) : load_npy(path, options);
        set.warnings = check_array(set.train.x, {});
        return set;
    }
    if (is_csv_name(name)) return load_csv(path, options);
    throw Error(path.string() +
                ": not a kind of file that is read; those end in .npz, .npy, .csv, .csv.gz, .tsv " +
                "or .tsv.gz, or are the four IDX files of the MNIST family");
}

std::string builtin_names() {
    std::string names;
    for (const Builtin& builtin : builtins())
        names += (names.empty() ? "" : ", ") + std::string(builtin.name);
    return names;
}

FeatureSet load(const std::string& data, const LoadOptions& options) {
    if (!is_csv_name(data)) check_has_no_columns(data, options);
    for (const Builtin& builtin : builtins())
        if (data == builtin.name) return builtin.load(options);
    std::error_code ignored;
    if (std::filesystem::exists(data, ignored)) return load_file(data, options);
    throw Error(data +
                ": no such file, and no built-in data set of that name (there are: " + builtin_names() + ")");
}

// "data/birds.csv.gz" -> "birds": what tables and pictures say.
std::string short_name(const std::string& data) {
    std::filesystem::path path(data);
    if (!path.has_filename()) path = path.parent_path();  // a folder with a slash at the end
    std::string name = path.filename().string();
    for (const char* ending : {".gz", ".npz", ".npy", ".csv"})
        if (name.ends_with(ending) && name.size() > std::string_view(ending).size())
            name.resize(name.size() - std::string_view(ending).size());
    return name;
}

}  // namespace

FeatureSet load_feature_set(const std::string& data, const LoadOptions& options) {
    try {
        FeatureSet set = load(data, options);
        set.name = data;  // the whole path while it may still be complained about
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
    } catch (const std::bad_alloc&) {
        throw Error(data + ": not enough memory to load it");
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error(data + ": " + error.what());
    }
}

void fetch_dataset(const std::string& name, const LoadOptions& options,
                   const std::function<void(const std::string&)>& say) {
    const auto known = builtins();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Builtin& b) { return name == b.name; });
    if (found == known.end())
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
