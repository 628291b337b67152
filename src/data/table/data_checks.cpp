#include "data/table/data_checks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

namespace fearnet {
namespace {

// With fewer rows than this, one row per class or an increasing column may be a coincidence.
constexpr std::size_t kFewRows = 20;
constexpr double kNearlyEvery = 0.9;
constexpr double kFractionalShare = 0.1;
// Above this, float32 does not represent every integer.
constexpr float kMaxExactWhole = 0x1p24f;
constexpr std::size_t kShownColumns = 5;

bool is_number(const std::string& label, double& value) {
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
    return error == std::errc() && end == label.data() + label.size();
}

bool has_fraction(const std::string& label) {
    double value = 0;
    return is_number(label, value) && value != std::floor(value);
}

bool have_text(const std::vector<std::string>& labels) {
    double ignored = 0;
    return std::any_of(labels.begin(), labels.end(),
                       [&](const std::string& label) { return !is_number(label, ignored); });
}

// In at least a tenth of them.
bool have_fractions(const std::vector<std::string>& labels) {
    const auto fractional = std::count_if(labels.begin(), labels.end(), has_fraction);
    return fractional > 0 &&
           static_cast<double>(fractional) >= kFractionalShare * static_cast<double>(labels.size());
}

std::size_t distinct(const std::vector<std::string>& labels) {
    return std::set<std::string_view>(labels.begin(), labels.end()).size();
}

bool have_two_classes(const RawLabels& labels) {
    return std::visit(
        [](const auto& l) {
            return std::any_of(l.begin(), l.end(), [&](const auto& label) { return label != l.front(); });
        },
        labels);
}

std::vector<std::string> as_text(const RawLabels& labels) {
    if (const auto* text = std::get_if<std::vector<std::string>>(&labels)) return *text;
    std::vector<std::string> texts;
    for (const std::int64_t label : std::get<std::vector<std::int64_t>>(labels))
        texts.push_back(std::to_string(label));
    return texts;
}

bool counts_upward(MatrixView x, std::size_t column) {
    for (std::size_t i = 0; i < x.rows; ++i) {
        const float value = x(i, column);
        if (value != std::floor(value)) return false;
        if (i == 0) continue;
        const float before = x(i - 1, column);
        if (value < before || (value == before && value < kMaxExactWhole)) return false;
    }
    return x(0, column) < x(x.rows - 1, column);
}

bool is_constant(MatrixView x, std::size_t column) {
    for (std::size_t i = 1; i < x.rows; ++i)
        if (x(i, column) != x(0, column)) return false;
    return true;
}

bool all_alike(MatrixView x) {
    for (std::size_t i = 1; i < x.rows; ++i)
        if (!std::equal(x.row(i), x.row(i) + x.cols, x.row(0))) return false;
    return x.rows > 1;
}

std::vector<std::size_t> columns_that(MatrixView x, bool (*are)(MatrixView, std::size_t)) {
    std::vector<std::size_t> found;
    for (std::size_t j = 0; j < x.cols; ++j)
        if (are(x, j)) found.push_back(j);
    return found;
}

// "columns 'a', 'b' and 3 more"
std::string columns_text(const std::vector<std::size_t>& columns,
                         const std::function<std::string(std::size_t)>& name) {
    std::string text = columns.size() == 1 ? "column " : "columns ";
    for (std::size_t i = 0; i < std::min(columns.size(), kShownColumns); ++i)
        text += (i ? ", " : "") + name(columns[i]);
    if (columns.size() > kShownColumns)
        text += " and " + std::to_string(columns.size() - kShownColumns) + " more";
    return text;
}

std::string quoted(const io::CsvColumns::Column& column) {
    return column.name.empty() ? std::to_string(column.number) : "'" + column.name + "'";
}

std::string drop_text(const io::CsvColumns& table, const std::vector<std::size_t>& columns) {
    std::string text = "--drop ";
    for (std::size_t i = 0; i < std::min(columns.size(), kShownColumns); ++i) {
        const io::CsvColumns::Column& column = table.features[columns[i]];
        const bool by_number = column.name.empty() || column.name.find_first_of(" ,'\"") != std::string::npos;
        text += (i ? "," : "") + (by_number ? std::to_string(column.number) : column.name);
    }
    return text + (columns.size() > kShownColumns ? ",..." : "");
}

void warn_if_alike(MatrixView x, std::vector<std::string>& warnings) {
    if (all_alike(x))
        warnings.push_back("all " + std::to_string(x.rows) +
                           " rows are identical, so classes cannot be distinguished");
}

}  // namespace

std::string like_measurements(const std::vector<std::string>& labels) {
    const double rows = static_cast<double>(labels.size());
    if (have_fractions(labels))
        return "holds numbers with a fraction, such as " +
               *std::find_if(labels.begin(), labels.end(), has_fraction);
    const std::size_t classes = distinct(labels);
    if (labels.size() >= kFewRows && static_cast<double>(classes) >= kNearlyEvery * rows)
        return "holds " + std::to_string(classes) + " different labels in " + std::to_string(labels.size()) +
               " rows, such as " + labels.front();
    return "";
}

std::string label_source(const io::CsvColumns& columns) {
    if (columns.label.number == 0) return "";
    return "column " + quoted(columns.label) + (columns.label_is_guess ? ", the last" : "");
}

std::vector<std::string> check_csv_labels(const std::vector<std::string>& labels,
                                          const io::CsvColumns& columns, const TableOptions& options,
                                          const std::string& what) {
    const std::string doubt = like_measurements(labels);
    if (doubt.empty()) return {};
    const std::string source = label_source(columns);
    const bool named_text = !columns.label_is_guess && have_text(labels) && !have_fractions(labels);
    if (options.label_column.empty() && !named_text)
        throw Error(what + ": " + source + (columns.label_is_guess ? ", " : " ") + doubt +
                    ": hardly names of classes; name the column of the labels with "
                    "--label-column (this one: --label-column " +
                    (columns.label.name.empty() ? std::to_string(columns.label.number) : columns.label.name) +
                    "), or give the class of all rows with --label");
    return {source + " " + doubt + "; each different one is a class"};
}

std::vector<std::string> check_csv_rows(MatrixView x, const RawLabels& labels,
                                        const io::CsvColumns& columns) {
    std::vector<std::string> warnings;
    if (x.rows < kFewRows) return warnings;
    const auto name = [&](std::size_t j) { return quoted(columns.features[j]); };
    if (const auto ids = columns_that(x, counts_upward); !ids.empty())
        warnings.push_back(columns_text(ids, name) + (ids.size() == 1 ? " counts" : " count") +
                           " upward, as the numbers of rows do; " + drop_text(columns, ids) + " leaves " +
                           (ids.size() == 1 ? "it" : "them") + " out");
    if (const auto same = columns_that(x, is_constant);
        !same.empty() && same.size() < x.cols && have_two_classes(labels))
        warnings.push_back(columns_text(same, name) + (same.size() == 1 ? " has" : " have") +
                           " one value in all rows; " + drop_text(columns, same) + " leaves " +
                           (same.size() == 1 ? "it" : "them") + " out");
    warn_if_alike(x, warnings);
    return warnings;
}

std::vector<std::string> check_array_labels(const RawLabels& labels) {
    const std::string doubt = like_measurements(as_text(labels));
    if (doubt.empty()) return {};
    return {"the array of labels " + doubt + "; each different one is a class"};
}

std::vector<std::string> check_array(MatrixView x) {
    std::vector<std::string> warnings;
    if (x.rows < kFewRows || x.cols == 0) return warnings;
    if (const auto ids = columns_that(x, counts_upward); !ids.empty())
        warnings.push_back(columns_text(ids, [](std::size_t j) { return std::to_string(j); }) +
                           " (from 0) of the rows " + (ids.size() == 1 ? "counts" : "count") +
                           " upward, as the numbers of rows do; leave " + (ids.size() == 1 ? "it" : "them") +
                           " out unless that is measured");
    warn_if_alike(x, warnings);
    return warnings;
}

}  // namespace fearnet
