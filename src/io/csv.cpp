#include "io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "fearnet/base/error.hpp"
#include "io/csv_lines.hpp"
#include "io/deflate.hpp"

namespace fearnet::io {
namespace {

constexpr std::string_view kLabelNames[] = {"label", "class", "y", "target"};
constexpr std::string_view kSplitName = "split";

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

bool read_number(std::string_view text, float& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double wide = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wide);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return false;
    value = static_cast<float>(wide);
    return true;
}

bool is_label_name(std::string_view field) {
    return std::find(std::begin(kLabelNames), std::end(kLabelNames), lower(field)) != std::end(kLabelNames);
}

// A first line is a header when a field before the last is no number, or when it counts its columns 0, 1, 2,
// ... and ends in a label's name, as data frames without column names are saved. The last field alone decides
// nothing: it may be a label.
bool is_header(const std::vector<std::string>& fields) {
    float ignored = 0;
    bool counts = true;
    for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
        if (!read_number(fields[i], ignored)) return true;
        counts = counts && fields[i] == std::to_string(i);
    }
    return counts && is_label_name(fields.back());
}

struct Columns {
    std::size_t count = 0;
    std::optional<std::size_t> label;
    std::optional<std::size_t> split;
    std::vector<std::string> names;  // empty without a header

    std::string describe(std::size_t i) const {
        return "column " + std::to_string(i + 1) + (names.empty() ? "" : " ('" + names[i] + "')");
    }
};

// `row` is the first that is no header; without one the same as `first`.
Columns columns_from(const std::vector<std::string>& first, bool header, const std::vector<std::string>& row,
                     const CsvOptions& options, const CsvLines& lines) {
    Columns columns;
    columns.count = first.size();
    if (header) columns.names = first;
    std::optional<std::size_t> label;
    for (std::size_t i = 0; header && i < first.size(); ++i) {
        if (is_label_name(first[i])) {
            if (label) lines.fail("two label columns, '" + first[*label] + "' and '" + first[i] + "'");
            label = i;
        }
        if (lower(first[i]) == kSplitName) columns.split = i;
    }
    columns.label = label;
    const std::size_t others = first.size() - (columns.split ? 1 : 0);
    if (!label && options.features != 0 && others == options.features) return columns;
    const std::size_t last = columns.split == first.size() - 1 ? first.size() - 2 : first.size() - 1;
    float ignored = 0;
    if (!label && !options.labels && options.features == 0 && others > 0 && last < row.size() &&
        read_number(row[last], ignored))
        return columns;
    if (!label) columns.label = last;
    if (first.size() < (columns.split ? 3u : 2u))
        lines.fail("expected at least one feature and a label, separated by , ; or a tab; found " +
                   std::to_string(first.size()) + " column" + (first.size() == 1 ? "" : "s"));
    return columns;
}

bool read_split(const std::string& field, const CsvLines& lines) {
    const std::string value = lower(field);
    if (value != "train" && value != "test") lines.fail("split is '" + field + "', not train or test");
    return value == "test";
}

void append_row(const std::vector<std::string>& fields, const Columns& columns, const CsvLines& lines,
                CsvTable& table) {
    if (fields.size() != columns.count)
        lines.fail("expected " + std::to_string(columns.count) + " columns, found " +
                   std::to_string(fields.size()));
    const std::size_t row = table.x.rows();
    table.x.resize_rows(row + 1);
    std::size_t feature = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i == columns.label) {
            if (fields[i].empty()) lines.fail(columns.describe(i) + ": the label is empty");
            table.labels.push_back(fields[i]);
        } else if (i == columns.split) {
            table.is_test.push_back(read_split(fields[i], lines));
        } else if (float& value = table.x(row, feature++);
                   !read_number(fields[i], value) || !std::isfinite(value)) {
            lines.fail(columns.describe(i) + ": '" + fields[i] + "' is " +
                       (read_number(fields[i], value) ? "not a finite number" : "not a number"));
        }
    }
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options) {
    return parse_csv(as_text(read_maybe_gzip(path)), path.string(), options);
}

struct CsvReader::Parts {
    // Reads up to the first row.
    Parts(CsvLines text, const std::string& what, const CsvOptions& options) : lines(std::move(text)) {
        if (!lines.next(fields)) throw Error(what + ": the file is empty");
        const bool header = is_header(fields);
        const std::vector<std::string> first = fields;
        const CsvLines at_first = lines;  // errors about columns name its line
        if (header) any = lines.next(fields);
        columns = columns_from(first, header, fields, options, at_first);
        if (!any) throw Error(what + ": a header line but no rows");
    }
    void next(CsvTable& table, std::size_t most) {
        table = {};
        table.x = Matrix(0, columns.count - (columns.split ? 1 : 0) - (columns.label ? 1 : 0));
        while (table.x.rows() < most && (any = any || lines.next(fields))) {
            append_row(fields, columns, lines, table);
            any = false;
            if (!lines.ready()) break;
        }
    }
    CsvLines lines;
    Columns columns;
    std::vector<std::string> fields;  // of the next row, if there is any
    bool any = true;
};

CsvReader::CsvReader(TextStream& stream, const std::string& what, const CsvOptions& options)
    : parts_(std::make_unique<Parts>(CsvLines(stream, what), what, options)) {}
CsvReader::~CsvReader() = default;

void CsvReader::next(CsvTable& table, std::size_t most) {
    parts_->next(table, most);
}

CsvTable parse_csv(std::string_view text, const std::string& what, const CsvOptions& options) {
    CsvReader::Parts reader(CsvLines(text, what), what, options);
    CsvTable table;
    reader.next(table, std::numeric_limits<std::size_t>::max());
    return table;
}

}  // namespace fearnet::io
