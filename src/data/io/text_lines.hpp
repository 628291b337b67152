// Lines of text with or without labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/io/byte_stream.hpp"

namespace fearnet::io {

// One example per line, empty lines passed over: "text", or "label<TAB>text" in all lines.
struct TextLines {
    std::vector<std::string> texts;
    std::vector<std::string> labels;  // as many, or none
};

// Reads them some lines at a time.
class TextReader {
  public:
    // `stream` must outlive it.
    explicit TextReader(TextStream& stream, const std::string& what) : stream_(stream), what_(what) {}
    // Replaces `lines` by the next ones, at most `most`: fewer when the others have not arrived yet, none at
    // the end. Throws Error naming the line.
    void next(TextLines& lines, std::size_t most);

  private:
    bool next_line(std::string_view& line);
    void add(std::string_view line, TextLines& lines);

    TextStream& stream_;
    std::string what_;
    std::string_view rest_;
    std::size_t number_ = 0;  // of the line last read, from 1
    bool any_ = false, labelled_ = false;
};

}  // namespace fearnet::io
