// Lists of inputs: CSV, TSV and JSON lines.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/io/csv_lines.hpp"
#include "data/table/input_list.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {
namespace {

constexpr const char* kPath = "path";
constexpr const char* kText = "text";
constexpr const char* kLabel = "label";
constexpr const char* kSplit = "split";

// One line of a list. What the line does not have is empty.
struct Line {
    std::string path, text, label, split;
    std::string* field(std::string_view name) {
        if (name == kPath) return &path;
        if (name == kText) return &text;
        if (name == kLabel) return &label;
        return name == kSplit ? &split : nullptr;
    }
};

bool is_json_lines(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
}

std::string lower(std::string_view text) {
    std::string result(io::trimmed(text));
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return result;
}

class List {
  public:
    List(const std::string& path, bool labels)
        : what_(path), folder_(std::filesystem::path(path).parent_path()), labels_(labels) {}

    void add(Line line, std::size_t number) {
        const std::string where = what_ + ": line " + std::to_string(number) + ": ";
        if (line.path.empty() == line.text.empty()) throw Error(where + "needs either a path or a text");
        if (labels_ && line.label.empty() != list.labels.empty() && !list.inputs.empty())
            throw Error(where + (line.label.empty() ? "has no label, but the lines before have one"
                                                    : "has a label, but the lines before have none"));
        if (line.split.empty() != list.is_test.empty() && !list.inputs.empty())
            throw Error(where + "only some lines say whether they are of the split train or test");
        if (!line.split.empty() && line.split != "train" && line.split != "test")
            throw Error(where + "the split is '" + line.split.substr(0, 40) + "', but must be train or test");
        if (line.path.empty())
            list.inputs.push_back({what_ + ":" + std::to_string(number), std::move(line.text)});
        else
            list.inputs.push_back({(folder_ / line.path).string(), {}});
        if (labels_ && !line.label.empty()) list.labels.push_back(std::move(line.label));
        if (!line.split.empty()) list.is_test.push_back(line.split == "test");
    }

    InputList list;

  private:
    std::string what_;
    std::filesystem::path folder_;
    bool labels_;
};

void read_columns(io::TextStream& text, const std::string& what, List& list) {
    io::CsvLines lines(text, what);
    std::vector<std::string> header, fields;
    if (!lines.next(header)) return;
    for (std::string& name : header) name = lower(name);
    while (lines.next(fields)) {
        if (fields.size() != header.size())
            lines.fail(std::to_string(fields.size()) + " fields, but the header names " +
                       std::to_string(header.size()));
        Line line;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (std::string* field = line.field(header[i])) *field = std::move(fields[i]);
        list.add(std::move(line), lines.line());
    }
}

Line parse_line(std::string_view text, const std::string& where) {
    const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object())
        throw Error(where + "not a JSON object such as {\"path\": \"a.jpg\", \"label\": \"owl\"}");
    Line line;
    for (const auto& [key, value] : object.items()) {
        std::string* field = line.field(key);
        if (field == nullptr) continue;
        if (!value.is_string()) throw Error(where + "'" + key + "' must be a text");
        *field = value.get<std::string>();
    }
    return line;
}

void read_json_lines(io::TextStream& text, const std::string& what, List& list) {
    std::string_view rest;
    std::size_t number = 0;
    for (bool more = true; more;) {
        std::size_t end = rest.find('\n');
        while (end == rest.npos && (more = text.refill(rest))) end = rest.find('\n');
        const std::string_view line = io::trimmed(rest.substr(0, end));
        ++number;
        if (!line.empty())
            list.add(parse_line(line, what + ": line " + std::to_string(number) + ": "), number);
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        more = more || !rest.empty();
    }
}

}  // namespace

bool is_input_list(const std::string& path) {
    if (is_json_lines(path)) return true;
    const auto has_ending = [&](const char* ending) { return path.ends_with(ending); };
    constexpr const char* kEndings[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    if (std::none_of(std::begin(kEndings), std::end(kEndings), has_ending)) return false;
    // The first line of a pipe can be read only once.
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return false;
    io::ByteStream bytes(path);
    io::TextStream text(bytes);
    io::CsvLines lines(text, path);
    std::vector<std::string> header;
    if (!lines.next(header)) return false;
    return std::any_of(header.begin(), header.end(), [](const std::string& name) {
        const std::string column = lower(name);
        return column == kPath || column == kText;
    });
}

InputList read_input_list(const std::string& path, bool labels, std::uint64_t max_bytes) {
    io::ByteStream bytes(path);
    io::TextStream text(bytes, max_bytes);
    List list(path, labels);
    is_json_lines(path) ? read_json_lines(text, path, list) : read_columns(text, path, list);
    if (list.list.inputs.empty()) throw Error(path + ": lists no input; at least one is needed");
    if (!list.list.labels.empty())
        list.list.label_source = is_json_lines(path) ? "key 'label'" : "column 'label'";
    return std::move(list.list);
}

}  // namespace fearnet
