// What is refused before ONNX Runtime sees a model, and shorter tables of positions. Field numbers are those
// of onnx.proto.
#include "data/frontends/models/onnx_file.hpp"

#include <bit>

#include "core/base/protobuf.hpp"
#include "data/frontends/models/protobuf_reader.hpp"
#include "data/io/little_endian.hpp"
#include "support/data_files.hpp"
#include "support/tiny_model.hpp"

namespace fearnet {
namespace {

using protobuf::Message;
using test::expect_error;

Message inside(std::uint32_t field, const Message& part) {
    Message message;
    message.message(field, part);
    return message;
}
void check(const std::string& onnx) {
    check_onnx_file(io::as_bytes(onnx), "m.onnx");
}

// A tensor whose numbers lie in the file "secret".
Message external(bool by_entry) {
    Message tensor;
    tensor.text(8, "w");
    if (by_entry) {
        Message entry;
        entry.text(1, "location");
        entry.text(2, "../secret");
        tensor.message(13, entry);
    } else {
        tensor.integer(14, 1);
    }
    return tensor;
}

TEST(OnnxFile, a_model_that_is_whole_passes) {
    EXPECT_NO_THROW(check(test::tiny_onnx()));
}

TEST(OnnxFile, external_data_is_refused_wherever_a_tensor_can_be) {
    constexpr std::uint32_t kGraph = 7;
    for (const bool by_entry : {true, false}) {
        const Message tensor = external(by_entry);
        const Message attribute = inside(5, tensor), list = inside(10, tensor), sparse = inside(1, tensor);
        const Message node = inside(1, inside(5, attribute));
        const std::vector<std::pair<const char*, Message>> places{
            {"initializer", inside(kGraph, inside(5, tensor))},
            {"sparse initializer", inside(kGraph, inside(15, sparse))},
            {"indices of a sparse initializer", inside(kGraph, inside(15, inside(2, tensor)))},
            {"attribute", inside(kGraph, node)},
            {"list in an attribute", inside(kGraph, inside(1, inside(5, list)))},
            {"sparse attribute", inside(kGraph, inside(1, inside(5, inside(22, sparse))))},
            {"sparse attributes", inside(kGraph, inside(1, inside(5, inside(23, sparse))))},
            {"inner graph", inside(kGraph, inside(1, inside(5, inside(6, node))))},
            {"inner graphs", inside(kGraph, inside(1, inside(5, inside(11, inside(5, tensor)))))},
            {"function", inside(25, inside(7, inside(5, attribute)))},
            {"attribute of a function", inside(25, inside(11, attribute))},
            {"training", inside(20, inside(1, inside(5, tensor)))},
            {"algorithm of training", inside(20, inside(2, inside(5, tensor)))},
        };
        for (const auto& [place, message] : places) {
            SCOPED_TRACE(place);
            // Messages of one field number are joined, so each end of the file counts.
            expect_error([&] { check(test::tiny_onnx() + message.bytes()); }, {"m.onnx", "external data"});
            expect_error([&] { check(message.bytes() + test::tiny_onnx()); }, {"m.onnx", "external data"});
        }
    }
}

TEST(OnnxFile, data_in_the_file_itself_is_no_external_data) {
    Message tensor;
    tensor.text(9, "\1\2\3\4");
    tensor.integer(14, 0);
    EXPECT_NO_THROW(check(inside(7, inside(5, tensor)).bytes()));
}

TEST(OnnxFile, graphs_in_graphs_without_end_are_refused) {
    Message graph;
    for (int i = 0; i < 1000; ++i) graph = inside(1, inside(5, inside(6, graph)));
    expect_error([&] { check(inside(7, graph).bytes()); }, {"nested more than 32 deep"});
}

TEST(OnnxFile, what_is_no_model_is_refused) {
    expect_error([] { check(""); }, {"m.onnx", "no graph"});
    expect_error([] { check("not a model"); }, {"m.onnx: not an ONNX model, or damaged"});
    expect_error([] { check(std::string(100, '\xff')); }, {"not an ONNX model"});
    Message number;
    number.integer(7, 1);
    expect_error([&] { check(number.bytes()); }, {"field 7 is not a message"});
}

TEST(OnnxFile, damage_anywhere_ends_in_a_check_or_an_error) {
    const std::string onnx = test::tiny_onnx();
    test::read_damaged({onnx.begin(), onnx.end()},
                       [](const io::Bytes& bytes) { check_onnx_file(bytes, "m"); });
}

// A model with a 4 x 2 table of positions, 1 to 8, and two outputs.
std::string with_positions(bool packed_shape = false, std::int64_t rows = 4) {
    std::string raw, packed;
    for (int i = 1; i <= 8; ++i) Message::fixed32(raw, static_cast<float>(i));
    Message tensor, graph, model, one, two, note;
    if (packed_shape) {
        tensor.text(1, std::string("\4\2"));
    } else {
        tensor.integer(1, rows);
        tensor.integer(1, 2);
    }
    tensor.integer(2, 1);
    tensor.text(8, "table");
    tensor.text(9, raw);
    one.text(1, "features"), two.text(1, "other"), note.text(1, "between");
    graph.message(5, tensor);
    graph.message(12, one);
    graph.message(12, two);
    graph.message(13, note);
    model.integer(1, 7);
    model.message(7, graph);
    return model.bytes();
}
std::string cut(const std::string& onnx, std::size_t rows, const std::string& table = "table",
                const std::string& output = "features") {
    return cut_positions(io::as_bytes(onnx), table, rows, output, "m.onnx");
}

// The fields with this number of a message.
std::vector<protobuf::Field> parts(io::ByteView message, std::uint32_t number) {
    const std::string what = "test";
    protobuf::Reader reader(message, what);
    std::vector<protobuf::Field> found;
    for (protobuf::Field field; reader.next(field);)
        if (field.number == number) found.push_back(field);
    return found;
}

TEST(OnnxFile, the_first_rows_of_the_table_and_one_output_stay) {
    for (const bool packed : {false, true}) {
        const std::string onnx = cut(with_positions(packed), 3);
        EXPECT_NO_THROW(check(onnx));
        const auto graphs = parts(io::as_bytes(onnx), 7);
        ASSERT_EQ(graphs.size(), 1u);
        ASSERT_EQ(parts(io::as_bytes(onnx), 1).size(), 1u);
        EXPECT_EQ(parts(io::as_bytes(onnx), 1)[0].integer, 7u);
        const auto tables = parts(graphs[0].bytes, 5), outputs = parts(graphs[0].bytes, 12);
        ASSERT_EQ(tables.size(), 1u);
        const auto shape = parts(tables[0].bytes, 1);
        ASSERT_EQ(shape.size(), 2u);
        EXPECT_EQ(shape[0].integer, 3u);
        EXPECT_EQ(shape[1].integer, 2u);
        const auto raw = parts(tables[0].bytes, 9);
        ASSERT_EQ(raw.size(), 1u);
        ASSERT_EQ(raw[0].bytes.size(), 6 * sizeof(float));
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_EQ(std::bit_cast<float>(io::read_little<std::uint32_t>(raw[0].bytes.data() + 4 * i)),
                      static_cast<float>(i + 1));
        ASSERT_EQ(outputs.size(), 1u);
        EXPECT_EQ(io::as_text(parts(outputs[0].bytes, 1)[0].bytes), "features");
        EXPECT_TRUE(parts(graphs[0].bytes, 13).empty());
    }
}

TEST(OnnxFile, a_table_or_output_that_is_missing_or_too_short_is_refused) {
    expect_error([] { cut(with_positions(), 5); }, {"5 positions are wanted", "the model has 4"});
    expect_error([] { cut(with_positions(), 2, "tables"); }, {"no constant 'tables'"});
    expect_error([] { cut(with_positions(), 2, "table", "feature"); }, {"no output 'feature'"});
    EXPECT_NO_THROW(cut(with_positions(), 4));
}

TEST(OnnxFile, a_table_whose_shape_does_not_fit_its_bytes_is_refused) {
    // 2^62 rows of 4 bytes: the product is 0 in 64 bits.
    for (const std::int64_t rows : {std::int64_t{1} << 62, std::int64_t{1} << 61, std::int64_t{-1},
                                    std::int64_t{0}, std::int64_t{3}, std::int64_t{5}})
        expect_error([&] { cut(with_positions(false, rows), 2); }, {"not a float32 matrix"});
}

TEST(OnnxFile, a_damaged_model_with_positions_is_cut_or_refused) {
    const std::string onnx = with_positions();
    test::read_damaged({onnx.begin(), onnx.end()},
                       [](const io::Bytes& bytes) { cut_positions(bytes, "table", 2, "features", "m"); });
}

}  // namespace
}  // namespace fearnet
