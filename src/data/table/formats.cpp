// One line per format: the endings of its file names and its reader.
#include <algorithm>

#include "data/table/input_list.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

struct Format {
    std::vector<std::string> endings;  // of file names; none: is_idx tells
    bool columns;                      // --label-column and --drop mean something
    bool in_blocks;                    // can be read without holding all rows
    OpenFormat* open;
};

const std::vector<Format>& formats() {
    static const std::vector<Format> all = {
        {{".npz"}, false, false, open_npz},
        {{".npy"}, false, true, open_npy},
        {{".csv", ".csv.gz", ".tsv", ".tsv.gz"}, true, true, open_csv},
        {{".txt"}, false, true, open_text},
        {{}, false, false, open_idx},
    };
    return all;
}

bool is(const std::string& path, const Format& format) {
    if (format.endings.empty()) return is_idx(path);
    return std::any_of(format.endings.begin(), format.endings.end(),
                       [&](const std::string& ending) { return path.ends_with(ending); });
}

const Format* format_of(const std::string& path) {
    for (const Format& format : formats())
        if (is(path, format)) return &format;
    return nullptr;
}

std::string endings_text() {
    std::string text;
    for (const Format& format : formats())
        for (const std::string& ending : format.endings) text += (text.empty() ? "" : ", ") + ending;
    return text;
}

void check_has_no_columns(const std::string& what, const TableOptions& options) {
    if (!options.label_column.empty() || !options.drop.empty())
        throw Error(what + ": --label-column and --drop apply only to CSV and TSV files");
}

std::unique_ptr<RowSource> open_standard_input(const TableOptions& options, std::uint64_t limit) {
    auto stream = std::make_unique<io::ByteStream>("-");
    const bool npz = stream->starts_with("PK\x03\x04"), npy = !npz && stream->starts_with("\x93NUMPY");
    if (npz || npy || options.text) check_has_no_columns(stream->what(), options);
    if (npz) return npz_source(std::move(stream), options, memory_limit(options));
    if (npy) return npy_source(std::move(stream), "-", options, limit);
    return options.text ? text_source(std::move(stream), options, limit)
                        : csv_source(std::move(stream), options, limit);
}

}  // namespace

std::unique_ptr<RowSource> open_rows(const std::string& path, const TableOptions& options, bool whole) {
    const std::uint64_t limit = memory_limit(options);
    if (path == "-") return open_standard_input(options, whole ? limit : io::kNoLimit);
    if (!std::filesystem::exists(path)) throw Error(path + ": no such file");
    if (is_inputs(path)) {
        check_has_no_columns(path, options);
        return open_inputs(path, options, limit);
    }
    if (!options.more_files.empty())
        throw Error(path + ": rows are read alone; " + std::to_string(1 + options.more_files.size()) +
                    " files were given");
    const Format* format = format_of(path);
    if (format == nullptr)
        throw Error(path +
                    ": not a kind of file that is read; those are photographs, sounds, files that end in " +
                    endings_text() + ", .jsonl, .jsonl.gz, and the four IDX files of the MNIST family");
    if (!format->columns) check_has_no_columns(path, options);
    return format->open(path, options, whole || !format->in_blocks ? limit : io::kNoLimit);
}

bool is_list_or_rows(const std::string& path) {
    return path == "-" || format_of(path) != nullptr || is_input_list(path);
}

bool is_inputs(const std::string& path) {
    std::error_code none;
    if (format_of(path) != nullptr) return is_input_list(path);
    if (std::filesystem::is_directory(path, none)) return true;
    const EmbedderInput input{path, {}};
    return is_input_list(path) || kind_of({&input, 1}).has_value();
}

bool is_text_file(const std::string& file) {
    return file.ends_with(".txt");
}

std::string short_name(const std::string& file) {
    std::filesystem::path path(file);
    if (!path.has_filename()) path = path.parent_path();  // a folder with a slash at the end
    std::string name = path.filename().string();
    std::size_t longest = 0;
    for (const Format& format : formats())
        for (const std::string& ending : format.endings)
            if (name.ends_with(ending) && name.size() > ending.size())
                longest = std::max(longest, ending.size());
    name.resize(name.size() - longest);
    return name;
}

}  // namespace fearnet
