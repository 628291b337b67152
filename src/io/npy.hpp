// NumPy's .npy format, versions 1 to 3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/array.hpp"

namespace fearnet::io {

// Reads one whole .npy file. Throws Error starting with `what` when it is cut short, too long, damaged, or
// holds a type we do not read (complex numbers, dates, records, pickled objects).
Array parse_npy(ByteView file, const std::string& what);

// What np.load reads back: float32 rows x cols; int64, uint8 and text (as '<U') in one dimension. Text must
// be UTF-8.
Bytes npy_from(MatrixView matrix);
Bytes npy_from(std::span<const std::int64_t> integers);
Bytes npy_from(ByteView bytes);
Bytes npy_from(const std::vector<std::string>& strings);

}  // namespace fearnet::io
