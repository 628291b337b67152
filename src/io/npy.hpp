// NumPy's .npy format, versions 1 to 3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/byte_stream.hpp"

namespace fearnet::io {

// Reads one whole .npy file. Throws Error starting with `what` when it is cut short, too long, damaged, or
// holds a type we do not read (complex numbers, dates, records, pickled objects).
Array parse_npy(ByteView file, const std::string& what);

// The rows of a .npy file some at a time. Throws Error as parse_npy and to_matrix do; what a pipe has too
// little or too much of is told when its end is reached.
class NpyReader {
  public:
    // Reads the header. `stream` must outlive it.
    explicit NpyReader(ByteStream& stream);
    std::size_t rows() const { return rows_; }
    // The next rows, at most `most`: fewer when the others have not arrived yet, none at the end.
    Matrix next(std::size_t most);

  private:
    Bytes in_order(std::size_t& rows);
    Bytes by_column(std::size_t rows) const;

    ByteStream& stream_;
    Array array_;              // its data is what was read beyond the last whole row
    std::uint64_t start_ = 0;  // of the elements in the file
    std::size_t rows_ = 0, row_bytes_ = 0, done_ = 0;
};

// What np.load reads back: float32 rows x cols; int64, uint8 and text (as '<U') in one dimension. Text must
// be UTF-8.
Bytes npy_from(MatrixView matrix);
Bytes npy_from(std::span<const std::int64_t> integers);
Bytes npy_from(ByteView bytes);
Bytes npy_from(const std::vector<std::string>& strings);

}  // namespace fearnet::io
