#include "data/io/csv_lines.hpp"

#include <algorithm>

#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

constexpr std::string_view kDelimiters = ",;\t";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// False when the first line goes on behind the text.
bool find_delimiter(std::string_view text, char& delimiter) {
    std::size_t counts[kDelimiters.size()] = {};
    bool quoted = false, ended = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        ended = c == '\n';
        if (ended) break;
        if (const std::size_t d = kDelimiters.find(c); d != std::string_view::npos) ++counts[d];
    }
    delimiter =
        kDelimiters[static_cast<std::size_t>(std::max_element(counts, counts + kDelimiters.size()) - counts)];
    return ended;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

CsvLines::CsvLines(std::string_view text, const std::string& what) : rest_(text), what_(what) {
    start();
}

CsvLines::CsvLines(TextStream& stream, const std::string& what) : stream_(&stream), what_(what) {
    start();
}

void CsvLines::start() {
    while (rest_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(rest_) && refill()) {
    }
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    do skip_empty_lines();
    while (!find_delimiter(rest_, delimiter_) && refill());
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

bool CsvLines::ready() {
    while (rest_.find('\n') == rest_.npos) {
        if (stream_ == nullptr) return true;
        if (!stream_->ready()) return false;
        if (!refill()) return true;
    }
    return true;
}

bool CsvLines::next(std::vector<std::string>& fields) {
    for (;;) {
        skip_empty_lines();
        line_ = next_line_;
        const std::size_t length = rest_.size();
        const std::string_view all = rest_;
        if (length > 0 && record(fields)) return true;
        // The text ended first: read the record again with more of it, or take it as the last one.
        const bool unfinished = unfinished_;
        rest_ = all;
        next_line_ = line_;
        if (refill()) continue;
        if (length > 0 && unfinished) fail("a quoted field does not end");
        rest_ = {};
        return length > 0;
    }
}

// False when the text ends before the line does.
bool CsvLines::record(std::vector<std::string>& fields) {
    fields.clear();
    unfinished_ = false;
    for (;;) {
        fields.push_back(field());
        if (rest_.empty()) return false;
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
        if (quote == std::string_view::npos) {
            unfinished_ = true;
            rest_ = {};
            return value;
        }
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
