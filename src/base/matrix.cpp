#include "fearnet/base/matrix.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace fearnet {
namespace {

constexpr std::size_t kAlignment = 64;

float* allocate(std::size_t floats) {
    if (floats > std::numeric_limits<std::size_t>::max() / sizeof(float) - kAlignment) throw std::bad_alloc();
    const std::size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    void* p = std::aligned_alloc(kAlignment, std::max(bytes, kAlignment));
    if (!p) throw std::bad_alloc();
    return static_cast<float*>(p);
}

}  // namespace

void Matrix::resize(std::size_t rows, std::size_t cols) {
    if (cols != 0 && rows > std::numeric_limits<std::size_t>::max() / cols) throw std::bad_alloc();
    if (rows * cols > capacity_) {
        data_.reset(allocate(rows * cols));
        capacity_ = rows * cols;
    }
    rows_ = rows, cols_ = cols;
}

void Matrix::resize_rows(std::size_t rows) {
    if (rows * cols_ > capacity_) {
        const std::size_t grown = std::max(rows * cols_, capacity_ + capacity_ / 2);
        std::unique_ptr<float[], Free> bigger(allocate(grown));
        if (size()) std::memcpy(bigger.get(), data(), bytes());
        data_ = std::move(bigger);
        capacity_ = grown;
    }
    if (rows > rows_) std::memset(data() + size(), 0, (rows - rows_) * cols_ * sizeof(float));
    rows_ = rows;
}

}  // namespace fearnet
