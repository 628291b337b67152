// Lines of text with or without labels.
#pragma once

#include "data/io/byte_stream.hpp"
#include "fearnet/data/rows.hpp"

namespace fearnet {

// Reads what load_text describes some lines at a time.
class TextReader {
  public:
    // `stream` must outlive it.
    explicit TextReader(io::TextStream& stream, const std::string& what) : stream_(stream), what_(what) {}
    // Replaces `lines` by the next ones, at most `most`: fewer when the others have not arrived yet, none at
    // the end. Throws Error naming the line.
    void next(TextLines& lines, std::size_t most);

  private:
    bool next_line(std::string_view& line);
    void add(std::string_view line, TextLines& lines);

    io::TextStream& stream_;
    std::string what_;
    std::string_view rest_;
    std::size_t number_ = 0;  // of the line last read, from 1
    bool any_ = false, labelled_ = false;
};

}  // namespace fearnet
