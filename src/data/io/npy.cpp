#include "data/io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/bytes.hpp"
#include "core/base/utf8.hpp"
#include "data/io/little_endian.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kShortest = kMagic.size() + 4;  // magic, version and the header's length
constexpr std::size_t kMaxDimensions = 32;            // as NumPy's own limit

struct Header {
    std::optional<ElementType> type;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;
};

// The header is a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
  public:
    HeaderParser(std::string_view text, const std::string& what) : text_(text), what_(what) {}

    Header parse() {
        Header header;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr")
                header.type = descr();
            else if (key == "fortran_order")
                header.fortran_order = boolean();
            else if (key == "shape")
                header.shape = shape();
            else
                fail("unknown entry '" + key + "'");
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!text_.empty()) fail("text behind the closing brace");
        if (!header.type || !header.fortran_order || !header.shape)
            fail("one of descr, fortran_order and shape is missing");
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(what_ + ": the .npy header is not understood: " + message);
    }
    void skip_space() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
    }
    bool accept(char c) {
        skip_space();
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected '") + c + "'");
    }
    std::string quoted() {
        const char quote = accept('\'') ? '\'' : '"';
        if (quote == '"') expect('"');
        const std::size_t end = text_.find(quote);
        if (end == std::string_view::npos) fail("a string does not end");
        std::string value(text_.substr(0, end));
        text_.remove_prefix(end + 1);
        return value;
    }
    bool boolean() {
        skip_space();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (!text_.starts_with(word)) continue;
            text_.remove_prefix(word.size());
            return value;
        }
        fail("fortran_order is neither True nor False");
    }
    std::size_t number() {
        skip_space();
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc()) fail("the shape holds something that is not a size");
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        accept('L');  // Python 2 wrote (3L, 4L)
        return value;
    }
    std::vector<std::size_t> shape() {
        std::vector<std::size_t> value;
        expect('(');
        while (!accept(')')) {
            value.push_back(number());
            if (value.size() > kMaxDimensions) fail("more than 32 dimensions");
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return value;
    }
    ElementType descr() {
        skip_space();
        if (!text_.empty() && text_.front() == '[') fail("arrays of records are not read");
        const std::string descr = quoted();
        if (descr.size() > 1 && descr[1] == 'O')
            throw Error(what_ +
                        ": holds Python objects (dtype object), which are not read; convert before saving: "
                        "labels, such as those of pandas, with .astype(str), numbers with "
                        ".astype('float32')");
        const auto refuse = [&] {
            fail("element type '" + descr +
                 "'; read are float16/32/64, integers, bool and '<U' or '|S' text");
        };
        if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) refuse();
        std::size_t size = 0;
        const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
        if (error != std::errc() || end != descr.data() + descr.size()) refuse();
        const bool big = descr[0] == '>' || (descr[0] == '=' && std::endian::native == std::endian::big);
        const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
        // A text element is bounded by the file itself; the bound only keeps the product below from
        // overflowing.
        const bool text = size > 0 && size < (std::size_t{1} << 40);
        switch (descr[1]) {
            case 'f':
                if (whole && size > 1) return {ElementKind::kFloat, size, big};
                break;
            case 'i':
                if (whole) return {ElementKind::kSigned, size, big};
                break;
            case 'u':
                if (whole) return {ElementKind::kUnsigned, size, big};
                break;
            case 'b':
                if (size == 1) return {ElementKind::kBool, size, big};
                break;
            case 'U':
                if (text) return {ElementKind::kUnicode, size * 4, big};
                break;
            case 'S':
            case 'a':
                if (text) return {ElementKind::kBytes, size, big};
                break;
            default:
                break;
        }
        refuse();
        return {};
    }

    std::string_view text_;
    const std::string& what_;
};

Bytes start_npy(const std::string& descr, const std::string& shape) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    const std::size_t before = kMagic.size() + 4;
    header.append(kAlignment - 1 - (before + header.size()) % kAlignment, ' ');
    header += '\n';
    Bytes out(kMagic.begin(), kMagic.end());
    out.push_back(1);
    out.push_back(0);
    append_little(out, static_cast<std::uint16_t>(header.size()));
    out.insert(out.end(), header.begin(), header.end());
    return out;
}

std::string shape_literal(std::initializer_list<std::size_t> shape) {
    std::string text = "(";
    for (const std::size_t d : shape) text.append(std::to_string(d)).append(",");
    return text + ")";
}

}  // namespace

namespace {

constexpr std::size_t kPreamble = kMagic.size() + 2;

// The length of magic and header; 0 if more bytes are needed to know it.
std::size_t header_end(ByteView file, const std::string& what) {
    if (!as_text(file).starts_with(kMagic.substr(0, std::min(kMagic.size(), file.size()))) || file.empty())
        throw Error(what + ": not a .npy array (it does not start with \\x93NUMPY)");
    if (file.size() < kPreamble) return 0;
    const int version = file[kMagic.size()];
    if (version < 1 || version > 3 || file[kMagic.size() + 1] != 0)
        throw Error(what + ": .npy version " + std::to_string(version) + "." +
                    std::to_string(file[kMagic.size() + 1]) + "; 1.0, 2.0 and 3.0 are read");
    const std::size_t start = kPreamble + (version == 1 ? 2 : 4);
    if (file.size() < start) return 0;
    const std::size_t length = version == 1 ? read_little<std::uint16_t>(file.data() + kPreamble)
                                            : read_little<std::uint32_t>(file.data() + kPreamble);
    if (length > kMaxNpyHeader - start)
        throw Error(what + ": a .npy header of " + std::to_string(length) + " bytes; at most " +
                    std::to_string(kMaxNpyHeader - start) + " are read");
    return start + length;
}

[[noreturn]] void cut_short(std::size_t needed, std::size_t there, const std::string& what) {
    throw Error(what + ": the .npy header needs " + std::to_string(needed) + " bytes but only " +
                std::to_string(there) + " are there");
}

}  // namespace

NpyHeader parse_npy_header(ByteView file, const std::string& what) {
    const std::size_t end = header_end(file, what);
    if (end == 0 || end > file.size()) cut_short(std::max(end, kShortest), file.size(), what);
    const std::size_t start = kPreamble + (file[kMagic.size()] == 1 ? 2 : 4);
    Header header = HeaderParser(as_text(file.subspan(start, end - start)), what).parse();
    return {*header.type, std::move(*header.shape), *header.fortran_order, end};
}

void check_memory(const NpyHeader& header, std::uint64_t max_bytes, const std::string& what) {
    const Array array{header.type, header.shape, false, {}, {}};
    const double made = array.is_text() ? sizeof(std::string) : sizeof(float);
    double needed = made + static_cast<double>(header.type.bytes);
    for (const std::size_t d : header.shape) needed *= static_cast<double>(d);
    if (needed > static_cast<double>(max_bytes))
        throw Error(what + ": " + array.shape_text() + " elements take " +
                    bytes_text(static_cast<std::uint64_t>(std::min(needed, 1e18))) +
                    " to read, more than the limit of " + bytes_text(max_bytes) +
                    "; raise it with --max-bytes, or split the file");
}

Array parse_npy(Bytes file, const std::string& what) {
    NpyHeader header = parse_npy_header(file, what);
    check_shape(header.type, header.shape, file.size() - header.bytes, what);
    file.erase(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(header.bytes));
    return {header.type, std::move(header.shape), header.fortran_order, std::move(file), what};
}

NpyReader::NpyReader(ByteStream& stream) : stream_(stream) {
    Bytes head;
    std::size_t end = 0;
    for (std::size_t wanted = 1; end == 0 || head.size() < end; wanted = end == 0 ? 1 : end - head.size()) {
        const std::size_t before = head.size();
        head.resize(before + wanted);
        const std::size_t n = stream.read(head.data() + before, wanted);
        head.resize(before + n);
        if (n == 0 && before > 0) cut_short(std::max(end, kShortest), before, stream.what());
        if (end == 0) end = header_end(head, stream.what());
    }
    header_ = parse_npy_header(head, stream.what());
    array_ = {header_.type, header_.shape, header_.fortran_order, {}, stream.what()};
    if (stream.size()) check_shape(array_.type, array_.shape, *stream.size() - end, stream.what());
    if (array_.shape.empty() || array_.is_text()) to_matrix(array_);  // says what is wrong
    rows_ = array_.shape[0];
    row_bytes_ = array_.type.bytes;
    for (std::size_t d = 1; d < array_.shape.size(); ++d)
        if (__builtin_mul_overflow(row_bytes_, array_.shape[d], &row_bytes_))
            throw Error(array_.what + ": rows of " + array_.shape_text() + " elements are too long");
    if (rows_ > 0 && row_bytes_ == 0)
        throw Error(array_.what + ": " + std::to_string(rows_) + " rows of 0 features");
    if (array_.fortran_order && array_.shape.size() > 1 && !stream.size())
        throw Error(array_.what +
                    ": the array is stored column by column (Fortran order), which cannot be read " +
                    "from a pipe; give the file's name, or save np.ascontiguousarray(x)");
}

Matrix NpyReader::next(std::size_t most) {
    std::size_t n = std::min(most, rows_ - done_);
    Array block{array_.type, array_.shape, array_.fortran_order, {}, array_.what};
    block.data = n == 0 || !array_.fortran_order || array_.shape.size() == 1 ? in_order(n) : by_column(n);
    block.shape[0] = n;
    done_ += n;
    return to_matrix(block);
}

// Rows are contiguous. Returns fewer than requested if the others have not arrived yet.
Bytes NpyReader::in_order(std::size_t& rows) {
    std::uint8_t more = 0;
    if (rows == 0 && !stream_.size() && stream_.read(&more, 1) != 0)
        throw Error(array_.what + ": more bytes follow than the header announces (" + array_.shape_text() +
                    " elements)");
    if (rows == 0) return {};
    Bytes data = std::move(array_.data);
    std::size_t used = data.size();
    const std::size_t wanted = rows * row_bytes_;
    data.resize(std::max(wanted, used));
    while (used < wanted && (used < row_bytes_ || stream_.ready())) {
        const std::size_t n = stream_.read(data.data() + used, wanted - used);
        if (n == 0)
            throw Error(array_.what + ": the header announces " + array_.shape_text() +
                        " elements but only " + std::to_string(done_ + used / row_bytes_) + " rows follow");
        used += n;
    }
    rows = std::min(rows, used / row_bytes_);
    const auto whole = data.begin() + static_cast<std::ptrdiff_t>(rows * row_bytes_);
    array_.data.assign(whole, data.begin() + static_cast<std::ptrdiff_t>(used));
    data.erase(whole, data.end());
    return data;
}

// Fortran order: columns are contiguous.
Bytes NpyReader::by_column(std::size_t rows) const {
    const std::size_t piece = rows * array_.type.bytes, columns = row_bytes_ / array_.type.bytes;
    Bytes data(rows * row_bytes_);
    for (std::size_t c = 0; c < columns; ++c)
        stream_.read_at(header_.bytes + (c * rows_ + done_) * array_.type.bytes, data.data() + c * piece,
                        piece);
    return data;
}

Bytes npy_from(MatrixView matrix) {
    Bytes out = start_npy("<f4", shape_literal({matrix.rows, matrix.cols}));
    out.reserve(out.size() + matrix.rows * matrix.cols * sizeof(float));
    for (std::size_t i = 0; i < matrix.rows && matrix.cols > 0; ++i)
        for (const float value : matrix.row_span(i)) append_little(out, std::bit_cast<std::uint32_t>(value));
    return out;
}

Bytes npy_from(std::span<const std::int8_t> integers) {
    Bytes out = start_npy("|i1", shape_literal({integers.size()}));
    for (const std::int8_t value : integers) out.push_back(static_cast<std::uint8_t>(value));
    return out;
}

Bytes npy_from(std::span<const std::int16_t> integers) {
    Bytes out = start_npy("<i2", shape_literal({integers.size()}));
    for (const std::int16_t value : integers) append_little(out, static_cast<std::uint16_t>(value));
    return out;
}

Bytes npy_from(std::span<const double> numbers) {
    Bytes out = start_npy("<f8", shape_literal({numbers.size()}));
    for (const double value : numbers) append_little(out, std::bit_cast<std::uint64_t>(value));
    return out;
}

Bytes npy_from(std::span<const std::int64_t> integers) {
    Bytes out = start_npy("<i8", shape_literal({integers.size()}));
    for (const std::int64_t value : integers) append_little(out, static_cast<std::uint64_t>(value));
    return out;
}

Bytes npy_from(ByteView bytes) {
    Bytes out = start_npy("|u1", shape_literal({bytes.size()}));
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

Bytes npy_from(const std::vector<std::string>& strings) {
    std::vector<std::u32string> decoded;
    std::size_t longest = 1;
    for (const std::string& s : strings) {
        std::u32string& text = decoded.emplace_back();
        std::string_view rest = s;
        for (char32_t c = 0; next_code_point(rest, c);) text += c;
        if (!rest.empty()) throw Error("npy_from: '" + s + "' is not UTF-8");
        longest = std::max(longest, text.size());
    }
    Bytes out = start_npy("<U" + std::to_string(longest), shape_literal({strings.size()}));
    for (std::u32string& text : decoded) {
        text.resize(longest);
        for (const char32_t c : text) append_little(out, static_cast<std::uint32_t>(c));
    }
    return out;
}

}  // namespace fearnet::io
