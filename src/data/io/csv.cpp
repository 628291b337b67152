#include "data/io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "data/io/csv_lines.hpp"
#include "fearnet/error.hpp"

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

// 0 unless `column` is digits only; too large a number is larger than any count of columns.
std::size_t column_number(const std::string& column) {
    if (column.empty() || column.find_first_not_of("0123456789") != column.npos) return 0;
    std::size_t number = 0;
    const auto result = std::from_chars(column.data(), column.data() + column.size(), number);
    return result.ec == std::errc() ? number : std::numeric_limits<std::size_t>::max();
}

// A first line is a header when a field that must be a number is none, or when it counts its columns 0, 1, 2,
// ... and ends in a label's name, as data frames without column names are saved. The label, which is the last
// field unless the options say which, decides nothing, and dropped columns neither: they may hold text. A
// column that the options call by name needs a header.
bool is_header(const std::vector<std::string>& fields, const CsvOptions& options) {
    std::vector<bool> may_be_text(fields.size());
    std::vector<std::string> chosen = options.drop;
    if (options.label_column.empty())
        may_be_text.back() = true;
    else
        chosen.push_back(options.label_column);
    for (const std::string& column : chosen) {
        const std::size_t number = column_number(column);
        if (number == 0 && std::find(fields.begin(), fields.end(), column) != fields.end()) return true;
        if (number > 0 && number <= fields.size()) may_be_text[number - 1] = true;
    }
    float ignored = 0;
    bool counts = true;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (may_be_text[i]) continue;
        if (!read_number(fields[i], ignored)) return true;
        counts = counts && fields[i] == std::to_string(i);
    }
    return counts && is_label_name(fields.back());
}

struct Columns {
    std::size_t count = 0;
    std::optional<std::size_t> label;
    std::optional<std::size_t> split;
    bool label_is_guess = false;
    std::vector<bool> dropped;
    std::vector<std::string> names;  // empty without a header

    std::string describe(std::size_t i) const {
        return "column " + std::to_string(i + 1) + (names.empty() ? "" : " ('" + names[i] + "')");
    }
    CsvColumns::Column column(std::size_t i) const { return {names.empty() ? "" : names[i], i + 1}; }
    bool is_feature(std::size_t i) const { return i != label && i != split && !dropped[i]; }
    std::size_t features() const {
        std::size_t n = 0;
        for (std::size_t i = 0; i < count; ++i) n += is_feature(i);
        return n;
    }
    // The column that the user calls `column` with this flag.
    std::size_t find(const std::string& column, const char* flag, const CsvLines& lines) const {
        const std::string where = std::string(flag) + " '" + column + "': ";
        if (const std::size_t number = column_number(column); number > 0 || column == "0") {
            if (number >= 1 && number <= count) return number - 1;
            lines.fail(where + "columns have the numbers 1 to " + std::to_string(count));
        }
        if (names.empty())
            lines.fail(where + "there is no header line; give the number of the column, counted from 1");
        const auto found = std::find(names.begin(), names.end(), column);
        if (found == names.end()) {
            constexpr std::size_t kShown = 20;
            std::string all;
            for (std::size_t i = 0; i < std::min(count, kShown); ++i) all += (i ? ", " : "") + names[i];
            lines.fail(where + "no such column; there are " + all + (count > kShown ? ", ..." : ""));
        }
        if (std::find(found + 1, names.end(), column) != names.end())
            lines.fail(where + "two columns have this name; give the number of the column, counted from 1");
        return static_cast<std::size_t>(found - names.begin());
    }
};

// The columns that a header calls a label or a split.
void find_by_name(Columns& columns, const CsvLines& lines, bool label_is_known) {
    for (std::size_t i = 0; i < columns.names.size(); ++i) {
        if (columns.dropped[i] || i == columns.label) continue;
        const std::string& name = columns.names[i];
        if (!label_is_known && is_label_name(name)) {
            if (columns.label)
                lines.fail("two label columns, '" + columns.names[*columns.label] + "' and '" + name +
                           "'; --label-column says which, --drop leaves the other out");
            columns.label = i;
        }
        if (lower(name) == kSplitName) columns.split = i;
    }
}

// `row` is the first that is no header; without one the same as `first`.
Columns columns_from(const std::vector<std::string>& first, bool header, const std::vector<std::string>& row,
                     const CsvOptions& options, const CsvLines& lines) {
    Columns columns;
    columns.count = first.size();
    columns.dropped.resize(first.size());
    if (header) columns.names = first;
    for (const std::string& column : options.drop)
        columns.dropped[columns.find(column, "--drop", lines)] = true;
    const bool label_is_known = !options.label_column.empty();
    if (label_is_known) {
        columns.label = columns.find(options.label_column, "--label-column", lines);
        if (columns.dropped[*columns.label])
            lines.fail(columns.describe(*columns.label) + ": both --label-column and --drop name it");
    }
    find_by_name(columns, lines, label_is_known);
    if (!columns.label && options.features != 0 && columns.features() == options.features) return columns;
    if (!columns.label && columns.features() > 0) {
        std::size_t last = columns.count - 1;
        while (!columns.is_feature(last)) --last;
        float ignored = 0;
        if (!options.labels && options.features == 0 && last < row.size() && read_number(row[last], ignored))
            return columns;
        columns.label = last;
        columns.label_is_guess = true;
    }
    if (columns.features() == 0)
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
        } else if (columns.dropped[i]) {
            continue;
        } else if (float& value = table.x(row, feature++);
                   !read_number(fields[i], value) || !std::isfinite(value)) {
            lines.fail(columns.describe(i) + ": '" + fields[i] + "' is " +
                       (read_number(fields[i], value) ? "not a finite number" : "not a number"));
        }
    }
}

}  // namespace

struct CsvReader::Parts {
    // Reads up to the first row.
    Parts(CsvLines text, const std::string& what, const CsvOptions& options) : lines(std::move(text)) {
        if (!lines.next(fields)) throw Error(what + ": the file is empty");
        const bool header = is_header(fields, options);
        const std::vector<std::string> first = fields;
        const CsvLines at_first = lines;  // errors about columns name its line
        if (header) any = lines.next(fields);
        columns = columns_from(first, header, fields, options, at_first);
        if (!any) throw Error(what + ": a header line but no rows");
    }
    void next(CsvTable& table, std::size_t most) {
        table = {};
        table.x = Matrix(0, columns.features());
        for (std::size_t i = 0; i < columns.count; ++i)
            if (columns.is_feature(i)) table.columns.features.push_back(columns.column(i));
        if (columns.label) table.columns.label = columns.column(*columns.label);
        table.columns.label_is_guess = columns.label_is_guess;
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
