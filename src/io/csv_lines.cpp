#include "io/csv_lines.hpp"

#include <algorithm>

#include "fearnet/base/error.hpp"

namespace fearnet::io {
namespace {

constexpr std::string_view kDelimiters = ",;\t";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

char find_delimiter(std::string_view text) {
    std::size_t counts[kDelimiters.size()] = {};
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '\n') break;
        if (const std::size_t d = kDelimiters.find(c); d != std::string_view::npos) ++counts[d];
    }
    return kDelimiters[static_cast<std::size_t>(std::max_element(counts, counts + kDelimiters.size()) -
                                                counts)];
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

CsvLines::CsvLines(std::string_view text, const std::string& what) : rest_(text), what_(what) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    skip_empty_lines();
    delimiter_ = find_delimiter(rest_);
}

void CsvLines::fail(const std::string& message) const {
    throw Error(what_ + ", line " + std::to_string(line_) + ": " + message);
}

void CsvLines::skip_empty_lines() {
    while (!rest_.empty() && (rest_.front() == '\n' || rest_.starts_with("\r\n"))) {
        rest_.remove_prefix(rest_.front() == '\n' ? 1 : 2);
        ++next_line_;
    }
}

bool CsvLines::next(std::vector<std::string>& fields) {
    fields.clear();
    skip_empty_lines();
    line_ = next_line_;
    if (rest_.empty()) return false;
    for (;;) {
        fields.push_back(field());
        if (rest_.empty()) return true;
        const char ending = rest_.front();
        rest_.remove_prefix(1);
        if (ending == '\n') {
            ++next_line_;
            return true;
        }
    }
}

// Leaves `rest_` at the delimiter or line break behind the field.
std::string CsvLines::field() {
    const std::size_t start = std::min(rest_.find_first_not_of(' '), rest_.size());
    if (start < rest_.size() && rest_[start] == '"') {
        rest_.remove_prefix(start + 1);
        return quoted_field();
    }
    const char ends[] = {delimiter_, '\n', 0};
    const std::size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (value.ends_with('\r')) value.remove_suffix(1);
    return std::string(trimmed(value));
}

std::string CsvLines::quoted_field() {
    std::string value;
    for (;;) {
        const std::size_t quote = rest_.find('"');
        if (quote == std::string_view::npos) fail("a quoted field does not end");
        value += rest_.substr(0, quote);
        rest_.remove_prefix(quote + 1);
        if (!rest_.starts_with('"')) break;
        value += '"';
        rest_.remove_prefix(1);
    }
    next_line_ += static_cast<std::size_t>(std::count(value.begin(), value.end(), '\n'));
    while (rest_.starts_with(' ') || rest_.starts_with("\r\n")) rest_.remove_prefix(1);
    if (rest_ == "\r") rest_ = {};
    if (!rest_.empty() && rest_.front() != delimiter_ && rest_.front() != '\n')
        fail("text follows the closing quote of a field");
    return value;
}

}  // namespace fearnet::io
