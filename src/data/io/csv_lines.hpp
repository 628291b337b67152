// Splits CSV text into fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/io/byte_stream.hpp"

namespace fearnet::io {

// Goes through CSV text record by record. A record is a line, unless a quoted field holds line breaks; empty
// lines are passed over. The delimiter is the one of , ; and tab that the first line has most of outside
// quotes.
class CsvLines {
  public:
    CsvLines(std::string_view text, const std::string& what);
    // The same as the text arrives; `stream` must outlive it.
    CsvLines(TextStream& stream, const std::string& what);

    // Reads the next record into `fields`; false at the end. Throws Error with the line number for a quote
    // that does not end or is followed by text.
    bool next(std::vector<std::string>& fields);
    // Where the record last read starts, from 1.
    std::size_t line() const { return line_; }
    [[noreturn]] void fail(const std::string& message) const;
    // Whether `next` need not wait for text to arrive. Takes in what has arrived.
    bool ready();

  private:
    void start();
    bool refill() { return stream_ != nullptr && stream_->refill(rest_); }
    void skip_empty_lines();
    bool record(std::vector<std::string>& fields);
    std::string field();
    std::string quoted_field();

    TextStream* stream_ = nullptr;  // none: rest_ is all there is
    std::string_view rest_;
    std::string what_;
    bool unfinished_ = false;  // the text ended inside quotes
    char delimiter_ = ',';
    std::size_t line_ = 0;
    std::size_t next_line_ = 1;
};

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace fearnet::io
