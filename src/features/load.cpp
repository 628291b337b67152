#include "fearnet/features/load.hpp"

#include <new>

#include "features/builtin.hpp"
#include "features/load_files.hpp"

namespace fearnet {
namespace {

FeatureSet load_file(const std::filesystem::path& path, const LoadOptions& options) {
    const std::string name = path.filename().string();
    const auto ends = [&](auto... endings) { return (name.ends_with(endings) || ...); };
    if (std::filesystem::is_directory(path)) return load_idx_folder(path);
    if (is_idx_name(name)) return load_idx_folder(path.has_parent_path() ? path.parent_path() : ".");
    if (ends(".npz")) return load_npz(path, options);
    if (ends(".npy")) return load_npy(path, options);
    if (ends(".csv", ".csv.gz", ".tsv", ".tsv.gz")) return load_csv(path, options);
    throw Error(path.string() +
                ": not a kind of file that is read; those end in .npz, .npy, .csv, .csv.gz, .tsv " +
                "or .tsv.gz, or are the four IDX files of the MNIST family");
}

FeatureSet load(const std::string& data, const LoadOptions& options) {
    for (const Builtin& builtin : builtins())
        if (data == builtin.name) return builtin.load(options);
    std::error_code ignored;
    if (std::filesystem::exists(data, ignored)) return load_file(data, options);
    std::string names;
    for (const Builtin& builtin : builtins())
        names += (names.empty() ? "" : ", ") + std::string(builtin.name);
    throw Error(data + ": no such file, and no built-in data set of that name (there are: " + names + ")");
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

std::vector<BuiltinDataset> builtin_datasets(const LoadOptions& options) {
    std::vector<BuiltinDataset> result;
    for (const Builtin& builtin : builtins())
        result.push_back({builtin.name, builtin.description, builtin.source, builtin.present(options)});
    return result;
}

}  // namespace fearnet
