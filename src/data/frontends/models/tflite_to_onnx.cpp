#include "data/frontends/models/tflite_to_onnx.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "data/frontends/models/onnx_builder.hpp"
#include "data/frontends/models/tflite_model.hpp"
#include "data/io/little_endian.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using tflite::Activation;
using tflite::Op;
using tflite::Operator;
using tflite::Tensor;
using tflite::Type;

constexpr std::int64_t kMaxSide = 4096;    // of an image or feature map
constexpr std::int64_t kMaxDepth = 65536;  // channels

// Zeros before and after one axis.
struct Padding {
    std::int64_t before = 0, after = 0;
};

// TensorFlow's rule for "SAME": outputs = ceil(inputs / stride), the odd zero at the end.
Padding same_padding(std::int64_t inputs, std::int64_t filter, std::int64_t stride, std::int64_t dilation) {
    const std::int64_t outputs = (inputs + stride - 1) / stride;
    const std::int64_t needed = (outputs - 1) * stride + (filter - 1) * dilation + 1 - inputs;
    const std::int64_t total = std::max<std::int64_t>(needed, 0);
    return {total / 2, total - total / 2};
}

class Converter {
  public:
    Converter(const tflite::Model& model, std::size_t file_bytes, const std::string& what,
              const std::string& map)
        : model_(model), numbers_left_(file_bytes), what_(what), map_(map) {}

    std::string convert() {
        const Tensor& image = tensor(model_.input);
        if (image.shape.size() != 4 || image.shape[3] != 3) fail("the input is not an image of 3 channels");
        check_map(image);
        builder_.input("image", OnnxType::float32, {1, 3, image.shape[1], image.shape[2]});
        names_[model_.input] = "image";
        for (const Operator& o : model_.operators) {
            if (o.op == Op::fully_connected) return finish(o);
            add(o);
        }
        fail("no fully connected layer, whose inputs are the features");
    }

  private:
    [[noreturn]] void fail(const std::string& problem) const { throw Error(what_ + ": " + problem); }

    const Tensor& tensor(std::int32_t number) const {
        if (number < 0) fail("damaged: an operator lacks an input or output");
        return model_.tensors[static_cast<std::size_t>(number)];
    }
    std::int32_t part(const std::vector<std::int32_t>& list, std::size_t i) const {
        if (i >= list.size())
            fail("damaged: an operator has " + std::to_string(list.size()) + " inputs or outputs");
        return list[i];
    }
    const std::string& name_of(std::int32_t number) const {
        const auto found = names_.find(number);
        if (found == names_.end()) fail("damaged: an operator reads a tensor that none has computed");
        return found->second;
    }
    void check_map(const Tensor& t) const {
        if (t.shape.size() != 4 || t.shape[0] != 1 || t.shape[1] < 1 || t.shape[1] > kMaxSide ||
            t.shape[2] < 1 || t.shape[2] > kMaxSide || t.shape[3] < 1 || t.shape[3] > kMaxDepth)
            fail("a tensor is not of the form 1 x height x width x channels");
    }

    void add(const Operator& o) {
        const std::int32_t in = part(o.inputs, 0), out = part(o.outputs, 0);
        switch (o.op) {
            case Op::quantize:
            case Op::dequantize:
            case Op::reshape:
                names_[out] = name_of(in);
                return;  // finish() checks what the last reshape keeps
            case Op::add:
                add_sum(o);
                return;
            case Op::convolution:
            case Op::depthwise_convolution:
                add_convolution(o);
                return;
            case Op::average_pool:
            case Op::mean:
                add_average(o);
                return;
            default:
                fail("an operator before the fully connected layer cannot be converted");
        }
    }

    // The activation behind the value `name`, as the result `out`.
    void activate(Activation activation, const std::string& name, std::int32_t out) {
        names_[out] = name;
        if (activation == Activation::none) return;
        const std::string result = name + "_activated";
        if (activation == Activation::relu) {
            builder_.node("Relu", {name}, result);
        } else {
            if (!has_six_) {
                builder_.constant("zero", Shape{}, std::vector<float>{0.0f});
                builder_.constant("six", Shape{}, std::vector<float>{6.0f});
            }
            has_six_ = true;
            builder_.node("Clip", {name, "zero", "six"}, result);
        }
        names_[out] = result;
    }

    std::string next_name(const char* kind) { return kind + std::to_string(count_++); }

    void add_sum(const Operator& o) {
        const std::int32_t a = part(o.inputs, 0), b = part(o.inputs, 1), out = part(o.outputs, 0);
        if (tensor(a).shape != tensor(b).shape)
            fail("a sum of tensors of different shapes cannot be converted");
        const std::string name = next_name("sum");
        builder_.node("Add", {name_of(a), name_of(b)}, name);
        sums_[name] = out;
        activate(o.activation, name, out);
    }

    void add_average(const Operator& o) {
        const std::int32_t in = part(o.inputs, 0);
        const Tensor& t = tensor(in);
        check_map(t);
        const bool whole = o.op == Op::average_pool && o.filter_y == t.shape[1] && o.filter_x == t.shape[2] &&
                           (!o.same_padding || (t.shape[1] == 1 && t.shape[2] == 1));
        if (!whole && (o.op == Op::average_pool || !is_mean_over_positions(o)))
            fail("an average of less than the whole feature map cannot be converted");
        const std::string name = next_name("average");
        builder_.node("GlobalAveragePool", {name_of(in)}, name);
        activate(o.activation, name, part(o.outputs, 0));
    }
    bool is_mean_over_positions(const Operator& o) const {
        const Tensor& axes = tensor(part(o.inputs, 1));
        return axes.type == Type::int32 && axes.data.size() == 8 &&
               io::read_little<std::uint32_t>(axes.data.data()) == 1 &&
               io::read_little<std::uint32_t>(axes.data.data() + 4) == 2;
    }

    void add_convolution(const Operator& o) {
        const std::int32_t in = part(o.inputs, 0), out = part(o.outputs, 0);
        const Tensor& map = tensor(in);
        const Tensor& filters = tensor(part(o.inputs, 1));
        check_map(map);
        check_map(tensor(out));
        if (filters.shape.size() != 4 || filters.data.empty()) fail("damaged: filters that are not constant");
        const bool depthwise = o.op == Op::depthwise_convolution;
        const std::int64_t depth = map.shape[3], outputs = filters.shape[depthwise ? 3 : 0];
        const std::int64_t y = filters.shape[1], x = filters.shape[2];
        if (depthwise ? filters.shape[0] != 1 || outputs % depth != 0 : filters.shape[3] != depth)
            fail("damaged: filters that do not fit the " + std::to_string(depth) +
                 " channels of their input");
        const std::string name = next_name(depthwise ? "depthwise" : "convolution");
        builder_.constant(name + "_weight", {outputs, depthwise ? 1 : depth, y, x},
                          weights_of(filters, depthwise));
        OnnxBuilder::Names inputs{name_of(in), name + "_weight"};
        if (o.inputs.size() > 2 && o.inputs[2] >= 0) {
            inputs.push_back(name + "_bias");
            builder_.constant(inputs.back(), {outputs}, values_of(tensor(o.inputs[2]), outputs));
        }
        const Padding vertical =
            o.same_padding ? same_padding(map.shape[1], y, o.stride_y, o.dilation_y) : Padding{};
        const Padding horizontal =
            o.same_padding ? same_padding(map.shape[2], x, o.stride_x, o.dilation_x) : Padding{};
        builder_.node("Conv", inputs, name,
                      {{"kernel_shape*", {y, x}},
                       {"strides*", {o.stride_y, o.stride_x}},
                       {"dilations*", {o.dilation_y, o.dilation_x}},
                       {"pads*", {vertical.before, horizontal.before, vertical.after, horizontal.after}},
                       {"group", {depthwise ? depth : 1}}});
        activate(o.activation, name, out);
    }

    // The numbers of a constant, dequantized. With several scales, each is that of one index on channel_axis.
    std::vector<float> numbers_of(const Tensor& t) {
        std::size_t count = 1, behind = 1;  // elements, and elements per index on channel_axis
        for (std::size_t i = 0; i < t.shape.size(); ++i) {
            count *= static_cast<std::size_t>(t.shape[i]);
            if (static_cast<std::int64_t>(i) > t.channel_axis) behind *= static_cast<std::size_t>(t.shape[i]);
        }
        if (count == 0 || t.data.empty()) fail("damaged: a constant without numbers");
        // Operators may share constants, and each writes its own.
        if (count > numbers_left_) fail("damaged: its constants have more numbers than the file has bytes");
        numbers_left_ -= count;
        const std::size_t scales = std::max<std::size_t>(t.scale.size(), 1);
        const bool axis = t.channel_axis >= 0 && static_cast<std::size_t>(t.channel_axis) < t.shape.size();
        if (scales > 1 &&
            (!axis || static_cast<std::size_t>(t.shape[static_cast<std::size_t>(t.channel_axis)]) != scales))
            fail("damaged: " + std::to_string(scales) +
                 " scales for a constant with another number of channels");
        if (t.zero_point.size() > 1 && t.zero_point.size() != scales)
            fail("damaged: zero points without scales");
        std::vector<float> result(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t channel = scales > 1 ? i / behind % scales : 0;
            if (t.type == Type::float32) {
                result[i] = std::bit_cast<float>(io::read_little<std::uint32_t>(t.data.data() + 4 * i));
                continue;
            }
            if (t.scale.empty()) fail("damaged: quantized numbers without a scale");
            const std::int64_t zero =
                t.zero_point.empty() ? 0 : t.zero_point[t.zero_point.size() > 1 ? channel : 0];
            if (zero != static_cast<std::int32_t>(zero))
                fail("damaged: a zero point of " + std::to_string(zero));
            result[i] = static_cast<float>(static_cast<double>(t.scale[channel]) *
                                           static_cast<double>(integer_at(t, i) - zero));
        }
        return result;
    }
    std::int64_t integer_at(const Tensor& t, std::size_t i) const {
        switch (t.type) {
            case Type::int8:
                return static_cast<std::int8_t>(t.data[i]);
            case Type::uint8:
                return t.data[i];
            case Type::int32:
                return static_cast<std::int32_t>(io::read_little<std::uint32_t>(t.data.data() + 4 * i));
            default:
                fail("constants of type " + std::to_string(static_cast<int>(t.type)) +
                     " cannot be converted");
        }
    }
    std::vector<float> values_of(const Tensor& t, std::int64_t count) {
        std::vector<float> values = numbers_of(t);
        if (static_cast<std::int64_t>(values.size()) != count)
            fail("damaged: " + std::to_string(values.size()) + " biases for " + std::to_string(count) +
                 " channels");
        return values;
    }
    // From [output, y, x, input], or [1, y, x, output] of a depthwise convolution, to ONNX's [output, input,
    // y, x].
    std::vector<float> weights_of(const Tensor& t, bool depthwise) {
        const std::vector<float> from = numbers_of(t);
        const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(t.shape[axis]); };
        const std::size_t positions = size(1) * size(2), outputs = size(depthwise ? 3 : 0);
        const std::size_t inputs = depthwise ? 1 : size(3);
        std::vector<float> to(from.size());
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t i = 0; i < inputs; ++i)
                for (std::size_t p = 0; p < positions; ++p)
                    to[(o * inputs + i) * positions + p] =
                        from[depthwise ? p * outputs + o : (o * positions + p) * inputs + i];
        return to;
    }

    std::string finish(const Operator& o) {
        const std::int32_t in = part(o.inputs, 0);
        const Tensor& t = tensor(in);
        const bool is_row =
            !t.shape.empty() && t.shape.back() > 0 && t.shape.back() <= kMaxDepth &&
            std::all_of(t.shape.begin(), t.shape.end() - 1, [](std::int32_t n) { return n == 1; });
        if (!is_row) fail("the input of the fully connected layer is not one row of features");
        std::int64_t width = t.shape.back();
        if (map_.empty()) {
            builder_.node("Flatten", {name_of(in)}, "features", {{"axis", {1}}});
        } else {
            const auto found = sums_.find(map_);
            if (found == sums_.end()) fail("the network has no '" + map_ + "' before its features");
            check_map(tensor(found->second));
            width += tensor(found->second).shape[3];
            const std::string last = unit_row(name_of(in), "last");
            builder_.node("GlobalAveragePool", {map_}, map_ + "_average");
            builder_.node("Concat", {last, unit_row(map_ + "_average", map_)}, "features", {{"axis", {1}}});
        }
        builder_.output("features", OnnxType::float32, {1, width});
        return builder_.model("features");
    }
    // A row of length one of the value `from`; its name begins with `name`.
    std::string unit_row(const std::string& from, const std::string& name) {
        builder_.node("Flatten", {from}, name + "_row", {{"axis", {1}}});
        builder_.node("LpNormalization", {name + "_row"}, name + "_unit", {{"axis", {1}}, {"p", {2}}});
        return name + "_unit";
    }

    const tflite::Model& model_;
    std::size_t numbers_left_;  // of constants
    const std::string& what_;
    const std::string& map_;
    OnnxBuilder builder_;
    std::map<std::string, std::int32_t> sums_;   // the tensors of the sums
    std::map<std::int32_t, std::string> names_;  // of the tensors that have been computed
    std::size_t count_ = 0;
    bool has_six_ = false;
};

}  // namespace

std::string tflite_to_onnx(io::ByteView file, const std::string& what, const std::string& map) {
    const tflite::Model model = tflite::parse(file, what);
    return Converter(model, file.size(), what, map).convert();
}

}  // namespace fearnet
