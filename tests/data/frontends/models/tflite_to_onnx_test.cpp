// Converted networks of one or two operators, with answers that are computed by hand.
#include "data/frontends/models/tflite_to_onnx.hpp"

#include <limits>

#include "data/frontends/models/onnx_file.hpp"
#include "support/data_files.hpp"
#include "support/media_files.hpp"
#include "support/tflite_files.hpp"
#include "support/tiny_model.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::FlatTable;
using test::TfliteFile;
using tflite::Activation;
using tflite::Op;
using tflite::Type;

std::string converted(const std::string& tflite, const std::string& map = {}) {
    const std::string onnx = tflite_to_onnx(io::as_bytes(tflite), "net", map);
    check_onnx_file(io::as_bytes(onnx), "made");
    return onnx;
}

// The features of an image of one height and width, given as planes.
std::vector<float> features(const std::string& onnx, std::int64_t side, const std::vector<float>& planes) {
    static const std::shared_ptr<const OnnxRuntime> runtime = load_onnx_runtime();
    const OnnxSession session(runtime, io::as_bytes(onnx), "net");
    const OnnxSession::Input input{"image", {1, 3, side, side}, planes};
    return session.run({&input, 1}, "features").values;
}

void expect_near(const std::vector<float>& values, const std::vector<float>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-5) << i;
}

// A network whose features are the whole map behind `add`, which returns the number of the map and its
// channels.
template <class Add>
std::string network(std::int32_t side, const Add& add) {
    TfliteFile file;
    const auto image = file.floats({1, side, side, 3});
    const auto [map, channels] = add(file, image);
    const auto average = file.floats({1, 1, 1, channels}), row = file.floats({1, channels});
    const auto axes = file.tensor({2}, Type::int32, std::string("\1\0\0\0\2\0\0\0", 8));
    file.add(Op::mean, {map, axes}, average);
    file.add(Op::reshape, {average}, row);
    file.add(Op::fully_connected, {row}, file.floats({1, 7}));
    return file.bytes(image);
}

using Map = std::pair<std::int32_t, std::int32_t>;

TEST(TfliteToOnnx, quantized_weights_are_scale_times_distance_from_zero_point) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const std::string file = network(2, [](TfliteFile& f, std::int32_t image) -> Map {
        // Two filters: 0.5 * (10 - 4, 0 - 4, -128 - 4) = 3, -2, -66 and 0.25 * (127 + 1, 0, 0) with zero
        // point -1.
        const auto weights = f.tensor({2, 1, 1, 3}, Type::int8, std::string("\x0a\x00\x80\x7f\xff\xff", 6),
                                      {0.5f, 0.25f}, {4, -1}, 0);
        const auto bias =
            f.tensor({2}, Type::int32, test::little(8, 4) + test::little(0xfffffffc, 4), {0.5f}, {0});
        const auto out = f.floats({1, 2, 2, 2});
        f.add(Op::convolution, {image, weights, bias}, out,
              TfliteFile::convolution(true, 1, Activation::none));
        return {out, 2};
    });
    // Red 1, green 2, blue 3 everywhere: 3 - 4 - 198 + 4 and 32 + 0 + 0 - 2.
    expect_near(features(converted(file), 2, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}), {-195, 30});
}

TEST(TfliteToOnnx, the_odd_zero_of_same_padding_is_at_the_end) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    for (const bool same : {true, false}) {
        const std::string file = network(4, [&](TfliteFile& f, std::int32_t image) -> Map {
            // A filter of 3 x 3 on red that has a one at its last place only.
            std::vector<float> filter(27, 0);
            filter[24] = 1;
            const auto weights = f.floats({1, 3, 3, 3}, filter);
            const std::int32_t side = same ? 2 : 1;
            const auto out = f.floats({1, side, side, 1});
            f.add(Op::convolution, {image, weights}, out, TfliteFile::convolution(same, 2, Activation::none));
            return {out, 1};
        });
        std::vector<float> planes(48, 0);
        for (std::size_t i = 0; i < 16; ++i) planes[i] = static_cast<float>(i);
        // SAME: ceil(4 / 2) = 2 outputs need 5 inputs, so no zero before and one behind. The last place of
        // the filter sees (2, 2), and zeros elsewhere: (10 + 0 + 0 + 0) / 4. VALID: one output.
        expect_near(features(converted(file), 4, planes), {same ? 2.5f : 10.0f});
    }
}

TEST(TfliteToOnnx, a_depthwise_convolution_keeps_channels_apart) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const std::string file = network(2, [](TfliteFile& f, std::int32_t image) -> Map {
        // Filters [1, y, x, channel]: 1 x 1, of 10, 100 and 1000.
        const auto weights = f.floats({1, 1, 1, 3}, {10, 100, 1000});
        const auto out = f.floats({1, 2, 2, 3});
        f.add(Op::depthwise_convolution, {image, weights}, out,
              TfliteFile::convolution(true, 1, Activation::none, true));
        return {out, 3};
    });
    expect_near(features(converted(file), 2, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}), {10, 200, 3000});
}

TEST(TfliteToOnnx, activations_cut_at_zero_and_six) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const auto with = [](Activation activation) {
        return network(2, [&](TfliteFile& f, std::int32_t image) -> Map {
            const auto weights = f.floats({1, 1, 1, 3}, {-1, 1, 10});
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::depthwise_convolution, {image, weights}, out,
                  TfliteFile::convolution(true, 1, activation, true));
            return {out, 3};
        });
    };
    const std::vector<float> ones(12, 1);
    expect_near(features(converted(with(Activation::none)), 2, ones), {-1, 1, 10});
    expect_near(features(converted(with(Activation::relu)), 2, ones), {0, 1, 10});
    expect_near(features(converted(with(Activation::relu6)), 2, ones), {0, 1, 6});
}

TEST(TfliteToOnnx, a_feature_map_is_appended_and_both_parts_have_length_one) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const std::string small = test::small_tflite();
    std::vector<float> planes;
    for (const float value : {1.0f, 2.0f, 4.0f}) planes.insert(planes.end(), 16, value);
    // Filters 0.5 * (2, 0, 0) and 0.25 * (0, -4, 1): 1 + 0.125 and -2 + 1 - 0.5; the sum with itself doubles.
    expect_near(features(converted(small), 4, planes), {2.25f, -3});
    // sum1: the features are the average of the same map, so both halves are equal. 2.25^2 + 3^2 = 3.75^2.
    expect_near(features(converted(small, "sum1"), 4, planes), {0.6f, -0.8f, 0.6f, -0.8f});
    expect_error([&] { converted(small, "sum7"); }, {"net: the network has no 'sum7'"});
}

TEST(TfliteToOnnx, the_same_file_gives_the_same_bytes) {
    EXPECT_EQ(converted(test::small_tflite()), converted(test::small_tflite()));
}

TEST(TfliteToOnnx, networks_that_cannot_be_converted_are_refused_with_the_reason) {
    const auto refused = [](const auto& add, std::initializer_list<const char*> told) {
        expect_error([&] { converted(network(2, add)); }, told);
    };
    refused(
        [](TfliteFile& f, std::int32_t image) -> Map {
            f.add(static_cast<Op>(77), {image}, f.floats({1, 2, 2, 3}));
            return {image, 3};
        },
        {"net: an operator before the fully connected layer cannot be converted"});
    refused(
        [](TfliteFile& f, std::int32_t image) -> Map {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::convolution, {image, f.floats({3, 1, 1, 4}, std::vector<float>(12, 1))}, out,
                  TfliteFile::convolution(true, 1, Activation::none));
            return {out, 3};
        },
        {"filters that do not fit the 3 channels"});
    refused(
        [](TfliteFile& f, std::int32_t image) -> Map {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::add, {image, f.floats({1, 1, 1, 3}, {1, 2, 3})}, out);
            return {out, 3};
        },
        {"different shapes"});
    refused(
        [](TfliteFile& f, std::int32_t image) -> Map {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::convolution, {image, f.floats({3, 1, 1, 3}, std::vector<float>(9, 1))}, out,
                  TfliteFile::convolution(true, 1, static_cast<Activation>(4)));
            return {out, 3};
        },
        {"activation 4"});
    refused(
        [](TfliteFile& f, std::int32_t image) -> Map {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::convolution, {image, f.floats({3, 1, 1, 3}, std::vector<float>(9, 1))}, out,
                  TfliteFile::convolution(true, 0, Activation::none));
            return {out, 3};
        },
        {"a stride, dilation or filter of 0"});
    refused(
        [](TfliteFile& f, std::int32_t) -> Map {
            return {f.floats({1, 2, 2, 3}), 3};  // no operator computes it
        },
        {"reads a tensor that none has computed"});
    TfliteFile none;
    const auto image = none.floats({1, 2, 2, 3});
    expect_error([&] { converted(none.bytes(image)); }, {"no fully connected layer"});
    TfliteFile gray;
    const auto one = gray.floats({1, 2, 2, 1});
    expect_error([&] { converted(gray.bytes(one)); }, {"not an image of 3 channels"});
    expect_error([] { converted("not a model"); }, {"net: not a file of type TFL3"});
}

TEST(TfliteToOnnx, constants_that_do_not_fill_their_shape_are_refused) {
    const auto with = [](const std::vector<std::int32_t>& shape, const std::string& data,
                         std::vector<float> scale, std::vector<std::int64_t> zero) {
        return network(2, [&](TfliteFile& f, std::int32_t image) -> Map {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::convolution, {image, f.tensor(shape, Type::int8, data, scale, zero)}, out,
                  TfliteFile::convolution(true, 1, Activation::none));
            return {out, 3};
        });
    };
    const std::string nine(9, '\1');
    EXPECT_NO_THROW(converted(with({3, 1, 1, 3}, nine, {1}, {0})));
    expect_error(
        [&] {
            converted(with({3, 1, 1, 3}, nine + "x", {1}, {0}));
        },
        {"10 bytes where its shape needs 9"});
    expect_error([&] { converted(with({3, 1, 1, 3}, nine, {}, {})); }, {"without a scale"});
    expect_error([&] { converted(with({3, 1, 1, 3}, nine, {1, 2}, {0})); }, {"2 scales"});
    expect_error([&] { converted(with({3, 1, 1, 3}, nine, {1}, {0, 0})); }, {"zero points"});
    expect_error([&] { converted(with({3, -1, 1, 3}, nine, {1}, {0})); }, {"dimension of -1"});
    expect_error(
        [&] {
            converted(with({3, 1, 1, 3}, nine, {1}, {std::numeric_limits<std::int64_t>::min()}));
        },
        {"a zero point of -9223372036854775808"});
    expect_error([&] { converted(with({1 << 30, 1 << 30, 1, 3}, nine, {1}, {0})); }, {"damaged"});
    expect_error([&] { converted(with({3, 1, 3}, nine, {1}, {0})); }, {"filters that are not constant"});
}

TEST(TfliteToOnnx, one_constant_that_many_operators_share_does_not_fill_memory) {
    const std::string file = network(2, [](TfliteFile& f, std::int32_t image) -> Map {
        const auto weights = f.tensor({3, 1, 1, 3}, Type::int8, std::string(9, '\1'), {1}, {0});
        const auto large = f.tensor({3, 1, 1000, 3}, Type::int8, std::string(9000, '\1'), {1}, {0});
        std::int32_t last = image;
        for (int i = 0; i < 100; ++i) {
            const auto out = f.floats({1, 2, 2, 3});
            f.add(Op::convolution, {last, i == 0 ? weights : large}, out,
                  TfliteFile::convolution(true, 1, Activation::none));
            last = out;
        }
        return {last, 3};
    });
    expect_error([&] { converted(file); }, {"its constants have more numbers than the file has bytes"});
}

TEST(TfliteToOnnx, a_damaged_file_is_converted_or_refused) {
    const std::string small = test::small_tflite();
    for (const char* map : {"", "sum1"})
        test::read_damaged({small.begin(), small.end()},
                           [&](const io::Bytes& bytes) { tflite_to_onnx(bytes, "net", map); });
}

}  // namespace
}  // namespace fearnet
