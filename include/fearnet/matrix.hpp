// Matrices and labels. All data is float32 and row-major; rows are examples, columns are features.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace fearnet {

// A read-only view of a matrix that someone else owns and that must outlive the view. `stride` is the
// distance between the starts of two rows, in floats. Indexes are not checked.
struct MatrixView {
    const float* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t stride = 0;

    MatrixView() = default;
    MatrixView(const float* d, std::size_t r, std::size_t c) : data(d), rows(r), cols(c), stride(c) {}
    MatrixView(const float* d, std::size_t r, std::size_t c, std::size_t s)
        : data(d), rows(r), cols(c), stride(s) {}

    const float* row(std::size_t i) const { return data + i * stride; }
    std::span<const float> row_span(std::size_t i) const { return {row(i), cols}; }
    float operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
    MatrixView slice(std::size_t first, std::size_t count) const {
        assert(first + count <= rows);
        return {data + first * stride, count, cols, stride};
    }
    bool empty() const { return rows == 0 || cols == 0; }
};

// A view of `numbers` as rows of `width` features, one row after another. The numbers must outlive the view.
// Throws Error unless width > 0 and width divides numbers.size().
MatrixView rows(std::span<const float> numbers, std::size_t width);

// A MatrixView through which the numbers can be changed.
struct MutableMatrixView {
    float* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t stride = 0;

    MutableMatrixView() = default;
    MutableMatrixView(float* d, std::size_t r, std::size_t c) : data(d), rows(r), cols(c), stride(c) {}
    MutableMatrixView(float* d, std::size_t r, std::size_t c, std::size_t s)
        : data(d), rows(r), cols(c), stride(s) {}

    float* row(std::size_t i) const { return data + i * stride; }
    float& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
    MutableMatrixView slice(std::size_t first, std::size_t count) const {
        assert(first + count <= rows);
        return {data + first * stride, count, cols, stride};
    }
    operator MatrixView() const { return {data, rows, cols, stride}; }
};

// A matrix that owns its numbers: contiguous, 64-byte aligned, initially zero. Copying copies the numbers.
// Converts to MatrixView and MutableMatrixView; resizing or destroying the matrix invalidates the views.
class Matrix {
  public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t cols) { resize(rows, cols), zero(); }
    explicit Matrix(MatrixView v) { *this = v; }
    Matrix(const Matrix& other) { *this = other.view(); }
    Matrix(Matrix&& other) noexcept { swap(other); }
    Matrix& operator=(const Matrix& other) { return this == &other ? *this : *this = other.view(); }
    Matrix& operator=(Matrix&& other) noexcept { return swap(other), *this; }
    Matrix& operator=(MatrixView v) {
        resize(v.rows, v.cols);
        for (std::size_t i = 0; i < v.rows; ++i)
            if (v.cols) std::memcpy(row(i), v.row(i), v.cols * sizeof(float));
        return *this;
    }

    // Changes the shape; the contents are unspecified afterwards. Allocates only if the new shape exceeds the
    // capacity. Throws std::bad_alloc, whose what() says how much memory was needed.
    void resize(std::size_t rows, std::size_t cols);
    // Changes the number of rows. Existing rows keep their contents, new rows are zero. The capacity grows
    // geometrically, so appending row by row takes amortized constant time per number. Throws as resize does.
    void resize_rows(std::size_t rows);
    // Adds rows at the end. They must be as wide as the matrix.
    void append(MatrixView rows);
    void zero() {
        if (size()) std::memset(data(), 0, size() * sizeof(float));
    }

    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }
    std::size_t size() const { return rows_ * cols_; }
    std::size_t bytes() const { return size() * sizeof(float); }
    bool empty() const { return size() == 0; }
    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    float* row(std::size_t i) { return data() + i * cols_; }
    const float* row(std::size_t i) const { return data() + i * cols_; }
    float& operator()(std::size_t i, std::size_t j) { return data()[i * cols_ + j]; }
    float operator()(std::size_t i, std::size_t j) const { return data()[i * cols_ + j]; }
    MatrixView view() const { return {data(), rows_, cols_}; }
    MutableMatrixView view() { return {data(), rows_, cols_}; }
    operator MatrixView() const { return view(); }
    operator MutableMatrixView() { return view(); }

  private:
    void reserve_rows(std::size_t rows);
    void swap(Matrix& other) noexcept {
        std::swap(data_, other.data_), std::swap(capacity_, other.capacity_);
        std::swap(rows_, other.rows_), std::swap(cols_, other.cols_);
    }
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };
    std::unique_ptr<float[], Free> data_;
    std::size_t capacity_ = 0;  // in floats
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
};

// The number of a class, >= 0. Learners know classes by number; Brain and FeatureSet map numbers to names.
enum class ClassId : std::int32_t {};

constexpr std::int32_t index_of(ClassId id) {
    return static_cast<std::int32_t>(id);
}

// Examples with their labels: labels.size() == x.rows.
struct LabeledView {
    MatrixView x;
    std::span<const ClassId> labels;
};

// Memory in bytes by kind of contents: "networks", "statistics", "examples", ...
using MemoryUse = std::map<std::string, std::size_t>;

// Throws Error if a number is NaN or infinite. The message starts with `where` and names the row and column
// of the first such number, both counted from 0; `first` is the number of the first row of x.
void check_finite_rows(MatrixView x, const std::string& where, std::size_t first = 0);

// Divides every row by its Euclidean length. Rows of zeros stay zero.
void scale_rows_to_unit_length(Matrix& x);

}  // namespace fearnet
