#include "fearnet/matrix.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <string>

#include "core/base/bytes.hpp"
#include "core/base/parallel.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kAlignment = 64;

// The error message names the requested size.
class TooLarge : public std::bad_alloc {
  public:
    TooLarge(std::size_t rows, std::size_t cols)
        : text_(
              "a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) + " numbers takes " +
              bytes_text(static_cast<std::uint64_t>(std::min(
                  static_cast<double>(sizeof(float)) * static_cast<double>(rows) * static_cast<double>(cols),
                  1e18))) +
              " and the machine has " + bytes_text(machine_memory())) {}
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

// Refuses more memory than the machine has: the system may grant it and kill the process later.
float* allocate(std::size_t floats, std::size_t rows, std::size_t cols) {
    if (floats > std::numeric_limits<std::size_t>::max() / sizeof(float) - kAlignment)
        throw TooLarge(rows, cols);
    const std::size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    static const std::uint64_t most = machine_memory();
    void* p = bytes > most ? nullptr : std::aligned_alloc(kAlignment, std::max(bytes, kAlignment));
    if (!p) throw TooLarge(rows, cols);
    return static_cast<float*>(p);
}

}  // namespace

void Matrix::resize(std::size_t rows, std::size_t cols) {
    if (cols != 0 && rows > std::numeric_limits<std::size_t>::max() / cols) throw TooLarge(rows, cols);
    if (rows * cols > capacity_) {
        data_.reset(allocate(rows * cols, rows, cols));
        capacity_ = rows * cols;
    }
    rows_ = rows, cols_ = cols;
}

void Matrix::reserve_rows(std::size_t rows) {
    if (rows * cols_ <= capacity_) return;
    const std::size_t grown = std::max(rows * cols_, capacity_ + capacity_ / 2);
    std::unique_ptr<float[], Free> bigger(allocate(grown, rows, cols_));
    if (size()) std::memcpy(bigger.get(), data(), bytes());
    data_ = std::move(bigger);
    capacity_ = grown;
}

void Matrix::resize_rows(std::size_t rows) {
    reserve_rows(rows);
    if (rows > rows_) std::memset(data() + size(), 0, (rows - rows_) * cols_ * sizeof(float));
    rows_ = rows;
}

void Matrix::append(MatrixView rows) {
    assert(rows.cols == cols_);
    reserve_rows(rows_ + rows.rows);
    // By several threads: most of the time goes into pages that are touched for the first time.
    parallel_range(rows.rows, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::memcpy(row(rows_ + i), rows.row(i), cols_ * sizeof(float));
    });
    rows_ += rows.rows;
}

}  // namespace fearnet
