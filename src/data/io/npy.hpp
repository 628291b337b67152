// NumPy's .npy format, versions 1 to 3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/io/array.hpp"
#include "data/io/byte_stream.hpp"

namespace fearnet::io {

// What a .npy file says of itself before its data.
struct NpyHeader {
    ElementType type;
    std::vector<std::size_t> shape;
    bool fortran_order = false;
    std::size_t bytes = 0;  // of the header; the data follow
};

// No header takes more bytes than this.
inline constexpr std::size_t kMaxNpyHeader = 12 + 0xffff;

// Reads the header of a file from its first kMaxNpyHeader bytes, or all when there are fewer. Throws Error
// starting with `what` when it is truncated, damaged, or of a type we do not read (complex numbers, dates,
// records, pickled objects).
NpyHeader parse_npy_header(ByteView front, const std::string& what);

// Throws Error saying both numbers unless an array with this header fits into `max_bytes`: as it lies in the
// file, and once more as the rows or names made of it.
void check_memory(const NpyHeader& header, std::uint64_t max_bytes, const std::string& what);

// Reads one whole .npy file. Throws Error as parse_npy_header does, and when the header announces another
// number of bytes than follow it.
Array parse_npy(Bytes file, const std::string& what);

// The rows of a .npy file some at a time. Throws Error as parse_npy and to_matrix do; what a pipe has too
// little or too much of is told when its end is reached.
class NpyReader {
  public:
    // Reads the header. `stream` must outlive it.
    explicit NpyReader(ByteStream& stream);
    const NpyHeader& header() const { return header_; }
    std::size_t rows() const { return rows_; }
    // The next rows, at most `most`: fewer when the others have not arrived yet, none at the end.
    Matrix next(std::size_t most);

  private:
    Bytes in_order(std::size_t& rows);
    Bytes by_column(std::size_t rows) const;

    ByteStream& stream_;
    NpyHeader header_;
    Array array_;  // its data is what was read beyond the last whole row
    std::size_t rows_ = 0, row_bytes_ = 0, done_ = 0;
};

// What np.load reads back: float32 rows x cols; int8, int16, int64, float64, uint8 and text (as '<U') in one
// dimension. Text must be UTF-8.
Bytes npy_from(MatrixView matrix);
Bytes npy_from(std::span<const std::int8_t> integers);
Bytes npy_from(std::span<const std::int16_t> integers);
Bytes npy_from(std::span<const std::int64_t> integers);
Bytes npy_from(std::span<const double> numbers);
Bytes npy_from(ByteView bytes);
Bytes npy_from(const std::vector<std::string>& strings);

}  // namespace fearnet::io
