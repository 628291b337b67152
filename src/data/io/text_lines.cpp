#include "data/io/text_lines.hpp"

#include "core/base/utf8.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {

bool TextReader::next_line(std::string_view& line) {
    std::size_t end = rest_.find('\n');
    while (end == rest_.npos && stream_.refill(rest_)) end = rest_.find('\n');
    if (rest_.empty()) return false;
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
}

void TextReader::add(std::string_view line, TextLines& lines) {
    const std::string where = what_ + ", line " + std::to_string(number_);
    if (!is_utf8(line)) throw Error(where + ": the text is not UTF-8");
    const std::size_t tab = line.find('\t');
    const bool labelled = tab != line.npos;
    if (any_ && labelled != labelled_)
        throw Error(where + ": " +
                    (labelled ? "a tab, but the lines above have no label before one"
                              : "no label before a tab, but the lines above have one"));
    any_ = true;
    labelled_ = labelled;
    if (labelled) lines.labels.emplace_back(line.substr(0, tab));
    lines.texts.emplace_back(labelled ? line.substr(tab + 1) : line);
}

void TextReader::next(TextLines& lines, std::size_t most) {
    lines = {};
    std::string_view line;
    while (lines.texts.size() < most) {
        const bool waits = rest_.find('\n') == rest_.npos && !stream_.ready();
        if ((waits && !lines.texts.empty()) || !next_line(line)) return;
        if (line.find_first_not_of(" \t") != line.npos) add(line, lines);
    }
}

}  // namespace fearnet::io
