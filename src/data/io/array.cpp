#include "data/io/array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/utf8.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

// Arrays without a single element still may not announce this many rows: nobody should loop over them.
constexpr std::uint64_t kMaxEmptyRows = 1u << 31;

std::uint64_t bits_of(const std::uint8_t* p, const ElementType& type) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < type.bytes; ++i)
        value = value << 8 | p[type.big_endian ? i : type.bytes - 1 - i];
    return value;
}

double half_value(std::uint32_t h) {
    const double sign = h & 0x8000 ? -1 : 1;
    const int exponent = static_cast<int>(h >> 10 & 0x1f);
    const double fraction = h & 0x3ff;
    if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double float_value(std::uint64_t bits, std::size_t bytes) {
    if (bytes == 2) return half_value(static_cast<std::uint32_t>(bits));
    if (bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<double>(bits);
}

std::int64_t sign_extended(std::uint64_t bits, std::size_t bytes) {
    const std::size_t unused = 64 - 8 * bytes;
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

float number(const std::uint8_t* p, const ElementType& type) {
    const std::uint64_t bits = bits_of(p, type);
    switch (type.kind) {
        case ElementKind::kFloat:
            return static_cast<float>(float_value(bits, type.bytes));
        case ElementKind::kSigned:
            return static_cast<float>(sign_extended(bits, type.bytes));
        case ElementKind::kBool:
            return bits != 0 ? 1.0f : 0.0f;
        default:
            return static_cast<float>(bits);
    }
}

// Where element (row 0, feature j) lies, counted in elements; and how far the next row is.
struct Layout {
    std::size_t rows = 0;
    std::size_t row_step = 0;
    std::vector<std::size_t> column;
};

Layout layout_of(const Array& array) {
    Layout layout;
    layout.rows = array.shape[0];
    std::size_t cols = 1;
    for (std::size_t d = 1; d < array.shape.size(); ++d) cols *= array.shape[d];
    layout.row_step = array.fortran_order ? 1 : cols;
    layout.column.resize(cols);
    for (std::size_t j = 0; j < cols; ++j) {
        if (!array.fortran_order) {
            layout.column[j] = j;
            continue;
        }
        std::size_t offset = 0, rest = j;
        for (std::size_t d = array.shape.size(); d-- > 1;) {
            // Horner's rule from the last dimension down would need the indices reversed; strides are
            // clearer.
            std::size_t stride = layout.rows;
            for (std::size_t e = 1; e < d; ++e) stride *= array.shape[e];
            offset += rest % array.shape[d] * stride;
            rest /= array.shape[d];
        }
        layout.column[j] = offset;
    }
    return layout;
}

// float32 and bytes are nearly all files: copied without looking at every element's type.
bool copy_common_types(const Array& array, Matrix& result) {
    if (array.fortran_order && array.shape.size() > 1) return false;
    if (array.type.kind == ElementKind::kFloat && array.type.bytes == 4 &&
        array.type.big_endian == (std::endian::native == std::endian::big)) {
        std::memcpy(result.data(), array.data.data(), array.data.size());
        return true;
    }
    if (array.type.kind != ElementKind::kUnsigned || array.type.bytes != 1) return false;
    std::copy(array.data.begin(), array.data.end(), result.data());
    return true;
}

void require_list(const Array& array, const char* of) {
    const bool column = array.shape.size() == 2 && array.shape[1] == 1;
    if (array.shape.size() != 1 && !column)
        throw Error(array.what + ": expected a list of " + of + " but the shape is " + array.shape_text());
}

std::string unicode_item(const std::uint8_t* p, const ElementType& type, const std::string& what) {
    const ElementType character{ElementKind::kUnsigned, 4, type.big_endian};
    std::u32string text;
    for (std::size_t i = 0; i < type.bytes; i += 4) text += static_cast<char32_t>(bits_of(p + i, character));
    while (!text.empty() && text.back() == 0) text.pop_back();
    std::string out;
    for (const char32_t c : text)
        if (!append_utf8(out, c))
            throw Error(what + ": holds " + std::to_string(c) + ", which is not Unicode");
    return out;
}

}  // namespace

std::size_t Array::elements() const {
    std::size_t n = 1;
    for (const std::size_t d : shape) n *= d;
    return n;
}

std::string Array::shape_text() const {
    if (shape.empty()) return "a single value";
    std::string text;
    for (const std::size_t d : shape) text += (text.empty() ? "" : " x ") + std::to_string(d);
    return text;
}

void check_shape(const ElementType& type, const std::vector<std::size_t>& shape, std::uint64_t bytes,
                 const std::string& what) {
    bool none = false;
    std::uint64_t nonzero = 1;
    const auto refuse = [&] {
        throw Error(what + ": the header announces " + Array{type, shape, false, {}, {}}.shape_text() +
                    " elements of " + std::to_string(type.bytes) + " bytes but " + std::to_string(bytes) +
                    " bytes follow");
    };
    for (const std::size_t d : shape) {
        none = none || d == 0;
        if (d != 0 && nonzero > std::numeric_limits<std::uint64_t>::max() / d) refuse();
        if (d != 0) nonzero *= d;
    }
    if (none) {
        if (bytes != 0 || nonzero > kMaxEmptyRows) refuse();
        return;
    }
    if (type.bytes == 0 || nonzero > bytes / type.bytes || nonzero * type.bytes != bytes) refuse();
}

Matrix to_matrix(const Array& array) {
    if (array.is_text()) throw Error(array.what + ": expected numbers, found text");
    if (array.shape.empty()) throw Error(array.what + ": expected rows of numbers, found a single value");
    if (array.elements() == 0) {
        Matrix none;
        none.resize(array.shape[0], array.shape.size() == 2   ? array.shape[1]
                                    : array.shape.size() == 1 ? 1
                                                              : 0);
        return none;
    }
    const Layout layout = layout_of(array);
    Matrix result;
    result.resize(layout.rows, layout.column.size());
    if (copy_common_types(array, result)) return result;
    for (std::size_t i = 0; i < layout.rows; ++i) {
        const std::uint8_t* first = array.data.data() + i * layout.row_step * array.type.bytes;
        float* row = result.row(i);
        for (std::size_t j = 0; j < layout.column.size(); ++j)
            row[j] = number(first + layout.column[j] * array.type.bytes, array.type);
    }
    return result;
}

std::vector<std::int64_t> to_integers(const Array& array) {
    if (array.is_text()) throw Error(array.what + ": expected whole numbers, found text");
    require_list(array, "whole numbers");
    std::vector<std::int64_t> result;
    result.reserve(array.elements());
    for (std::size_t i = 0; i < array.elements(); ++i) {
        const std::uint64_t bits = bits_of(array.data.data() + i * array.type.bytes, array.type);
        const auto refuse = [&](const std::string& value) {
            throw Error(array.what + ": entry " + std::to_string(i) + " is " + value +
                        ", not a whole number of 64 bits");
        };
        if (array.type.kind == ElementKind::kSigned) {
            result.push_back(sign_extended(bits, array.type.bytes));
        } else if (array.type.kind == ElementKind::kFloat) {
            const double value = float_value(bits, array.type.bytes);
            if (!(std::abs(value) < 0x1p63) || value != std::floor(value)) refuse(std::to_string(value));
            result.push_back(static_cast<std::int64_t>(value));
        } else {
            if (bits > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) refuse(std::to_string(bits));
            result.push_back(static_cast<std::int64_t>(bits));
        }
    }
    return result;
}

std::vector<std::string> to_strings(const Array& array) {
    if (!array.is_text()) throw Error(array.what + ": expected text, found numbers");
    require_list(array, "text");
    std::vector<std::string> result;
    result.reserve(array.elements());
    for (std::size_t i = 0; i < array.elements(); ++i) {
        const std::uint8_t* p = array.data.data() + i * array.type.bytes;
        const std::string where = array.what + ": entry " + std::to_string(i);
        if (array.type.kind == ElementKind::kUnicode) {
            result.push_back(unicode_item(p, array.type, where));
            continue;
        }
        std::string text(as_text({p, array.type.bytes}));
        text.erase(text.find_last_not_of('\0') + 1);
        if (!is_utf8(text)) throw Error(where + ": is not UTF-8");
        result.push_back(text);
    }
    return result;
}

}  // namespace fearnet::io
