// An array as it lies in a file: an element type, a shape and bytes. What the .npy and IDX readers give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/io/files.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet::io {

// The kinds NumPy writes that hold features, labels or names.
enum class ElementKind { kFloat, kSigned, kUnsigned, kBool, kUnicode, kBytes };

struct ElementType {
    ElementKind kind = ElementKind::kFloat;
    std::size_t bytes = 4;  // of one element; four per character for kUnicode
    bool big_endian = false;
};

// data.size() == elements() * type.bytes, always: the readers refuse anything else.
struct Array {
    ElementType type;
    std::vector<std::size_t> shape;  // empty: a single value
    bool fortran_order = false;      // first index fastest
    Bytes data;
    std::string what;  // "features.npz: x_train", for messages

    std::size_t elements() const;
    std::string shape_text() const;  // "3 x 4"
    bool is_text() const { return type.kind == ElementKind::kUnicode || type.kind == ElementKind::kBytes; }
};

// Throws Error unless `shape` with elements of `type` takes exactly `bytes` bytes; safe against overflow.
// Called before anything is allocated.
void check_shape(const ElementType& type, const std::vector<std::size_t>& shape, std::uint64_t bytes,
                 const std::string& what);

// Rows x features: one dimension is one column, and all dimensions behind the first are flattened, last
// fastest. Numbers of any type become float32. Throws Error for text and for a single value.
Matrix to_matrix(const Array& array);

// One-dimensional (or n x 1) whole numbers; floating point is taken when every value is whole. Throws Error
// otherwise.
std::vector<std::int64_t> to_integers(const Array& array);

// One-dimensional (or n x 1) text as UTF-8. Throws Error otherwise, and for what is not Unicode.
std::vector<std::string> to_strings(const Array& array);

}  // namespace fearnet::io
