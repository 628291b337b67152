// TensorFlow Lite files of a few operators.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/frontends/models/tflite_model.hpp"

namespace fearnet::test {

// A FlatBuffers value that a field refers to, written with its parts behind it.
struct FlatTable;
using FlatTables = std::vector<FlatTable>;

struct FlatTable {
    std::map<int, std::string> inside;         // the bytes of numbers
    std::map<int, std::string> vectors;        // the bytes of the elements
    std::map<int, std::size_t> element_bytes;  // of `vectors`; 1 if missing
    std::map<int, FlatTables> tables;          // vectors of tables
    std::map<int, FlatTables> table;           // one table each

    template <class Number>
    FlatTable& number(int field, Number value) {
        inside[field] = bytes_of_number(value);
        return *this;
    }
    template <class Number>
    FlatTable& numbers(int field, const std::vector<Number>& values) {
        std::string& bytes = vectors[field];
        for (const Number value : values) bytes += bytes_of_number(value);
        element_bytes[field] = sizeof(Number);
        return *this;
    }

    template <class Number>
    static std::string bytes_of_number(Number value) {
        std::string bytes(sizeof value, '\0');
        std::memcpy(bytes.data(), &value, sizeof value);
        return bytes;
    }
};

class FlatWriter {
  public:
    // The file with this root and a four-letter identifier.
    static std::string file(const FlatTable& root, const std::string& identifier) {
        FlatWriter writer;
        writer.out_ = std::string(4, '\0') + identifier;
        writer.point(0, writer.add(root));
        return writer.out_;
    }

  private:
    void align(std::size_t to) { out_.resize((out_.size() + to - 1) / to * to); }
    // Writes at `place` how far `target` is from it.
    void point(std::size_t place, std::size_t target) {
        const auto distance = static_cast<std::uint32_t>(target - place);
        std::memcpy(out_.data() + place, &distance, 4);
    }
    std::size_t add(const FlatTable& t) {
        int last = -1;
        for (const auto* keys : {&t.inside, &t.vectors})
            if (!keys->empty()) last = std::max(last, keys->rbegin()->first);
        for (const auto* keys : {&t.tables, &t.table})
            if (!keys->empty()) last = std::max(last, keys->rbegin()->first);
        // All values of a table take four bytes.
        std::vector<std::uint16_t> fields{static_cast<std::uint16_t>(4 + 2 * (last + 1)), 0};
        std::map<int, std::size_t> place_in_table;
        std::uint16_t size = 4;
        for (int f = 0; f <= last; ++f) {
            const bool used =
                t.inside.contains(f) || t.vectors.contains(f) || t.tables.contains(f) || t.table.contains(f);
            fields.push_back(used ? size : 0);
            if (used) place_in_table[f] = size, size = static_cast<std::uint16_t>(size + 4);
        }
        fields[1] = size;
        align(4);
        const std::size_t list = out_.size();
        for (const std::uint16_t entry : fields) out_ += FlatTable::bytes_of_number(entry);
        align(4);
        const std::size_t start = out_.size();
        out_ += FlatTable::bytes_of_number(static_cast<std::int32_t>(start - list));
        out_.resize(start + size);
        for (const auto& [field, bytes] : t.inside)
            std::memcpy(out_.data() + start + place_in_table[field], bytes.data(), bytes.size());
        for (const auto& [field, bytes] : t.vectors) {
            const auto found = t.element_bytes.find(field);
            const std::size_t element = found == t.element_bytes.end() ? 1 : found->second;
            align(4);
            if (element == 8 && out_.size() % 8 != 4) out_.resize(out_.size() + 4);
            point(start + place_in_table[field], out_.size());
            out_ += FlatTable::bytes_of_number(static_cast<std::uint32_t>(bytes.size() / element)) + bytes;
        }
        for (const auto& [field, tables] : t.tables) {
            align(4);
            const std::size_t vector = out_.size();
            point(start + place_in_table[field], vector);
            out_ += FlatTable::bytes_of_number(static_cast<std::uint32_t>(tables.size()));
            out_.resize(vector + 4 + 4 * tables.size());
            for (std::size_t i = 0; i < tables.size(); ++i) {
                const std::size_t target = add(tables[i]);
                point(vector + 4 + 4 * i, target);
            }
        }
        for (const auto& [field, one] : t.table) {
            const std::size_t target = add(one.front());
            point(start + place_in_table[field], target);
        }
        return start;
    }

    std::string out_;
};

// Collects tensors and operators; bytes() makes the file. Field numbers are those of schema.fbs.
class TfliteFile {
  public:
    using Numbers = std::vector<std::int32_t>;

    // Returns the number of the tensor. `data`: of a constant; empty: computed.
    std::int32_t tensor(const Numbers& shape, tflite::Type type, const std::string& data = {},
                        const std::vector<float>& scale = {}, const std::vector<std::int64_t>& zero = {},
                        std::int32_t axis = 0) {
        FlatTable t;
        t.numbers(0, shape).number(1, static_cast<std::uint8_t>(type));
        t.number(2, static_cast<std::uint32_t>(data.empty() ? 0 : buffers_.size()));
        if (!data.empty()) buffers_.emplace_back().vectors[0] = data;
        if (!scale.empty()) {
            FlatTable quantization;
            quantization.numbers(2, scale).number(6, axis);
            if (!zero.empty()) quantization.numbers(3, zero);
            t.table[4] = {quantization};
        }
        tensors_.push_back(t);
        return static_cast<std::int32_t>(tensors_.size() - 1);
    }
    std::int32_t floats(const Numbers& shape, const std::vector<float>& values = {}) {
        std::string data;
        for (const float value : values) data += FlatTable::bytes_of_number(value);
        return tensor(shape, tflite::Type::float32, data);
    }
    void add(tflite::Op op, const Numbers& inputs, std::int32_t output, const FlatTable& options = {}) {
        FlatTable code, o;
        code.number(0, static_cast<std::uint8_t>(op)).number(3, static_cast<std::int32_t>(op));
        o.number(0, static_cast<std::uint32_t>(codes_.size()))
            .numbers(1, inputs)
            .numbers(2, Numbers{output})
            .number(3, std::uint8_t{1});
        o.table[4] = {options};
        codes_.push_back(code);
        operators_.push_back(o);
    }
    static FlatTable convolution(bool same, int stride, tflite::Activation activation,
                                 bool depthwise = false) {
        FlatTable t;
        t.number(0, std::uint8_t{same ? std::uint8_t{0} : std::uint8_t{1}})
            .number(1, stride)
            .number(2, stride);
        t.number(depthwise ? 4 : 3, static_cast<std::uint8_t>(activation));
        return t;
    }
    std::string bytes(std::int32_t input) const {
        FlatTable graph, model;
        graph.tables[0] = tensors_;
        graph.numbers(1, Numbers{input}).numbers(2, Numbers{});
        graph.tables[3] = operators_;
        model.number(0, std::uint32_t{3});
        model.tables[1] = codes_;
        model.tables[2] = {graph};
        model.tables[4] = buffers_;
        return FlatWriter::file(model, "TFL3");
    }

  private:
    FlatTables tensors_, operators_, codes_, buffers_{FlatTable()};
};

// An image of 4 x 4 pixels, a convolution of 1 x 1 from 3 to 2 channels with weights from -128 to 127, a sum
// with itself, the average, and the fully connected layer whose input the features are.
inline std::string small_tflite() {
    TfliteFile file;
    const auto image = file.floats({1, 4, 4, 3});
    const auto weights = file.tensor({2, 1, 1, 3}, tflite::Type::int8,
                                     std::string("\x02\x00\x00\x00\xfc\x01", 6), {0.5f, 0.25f}, {0, 0}, 0);
    const auto bias = file.floats({2}, {0.125f, -0.5f});
    const auto convolved = file.floats({1, 4, 4, 2}), sum = file.floats({1, 4, 4, 2});
    const auto average = file.floats({1, 1, 1, 2}), row = file.floats({1, 2}), answer = file.floats({1, 5});
    const auto axes = file.tensor({2}, tflite::Type::int32, std::string("\1\0\0\0\2\0\0\0", 8));
    file.add(tflite::Op::convolution, {image, weights, bias}, convolved,
             TfliteFile::convolution(true, 1, tflite::Activation::none));
    file.add(tflite::Op::add, {convolved, convolved}, sum);
    file.add(tflite::Op::mean, {sum, axes}, average);
    file.add(tflite::Op::reshape, {average}, row);
    file.add(tflite::Op::fully_connected, {row}, answer);
    return file.bytes(image);
}

}  // namespace fearnet::test
