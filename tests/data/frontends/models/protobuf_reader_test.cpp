// The wire format of protocol buffers. The bytes are those of the specification's examples and of its rules.
#include "data/frontends/models/protobuf_reader.hpp"

#include "support/data_files.hpp"

namespace fearnet::protobuf {
namespace {

using test::expect_error;

std::vector<Field> fields_of(std::string_view bytes) {
    const std::string what = "test";
    Reader reader(io::as_bytes(bytes), what);
    std::vector<Field> fields;
    for (Field field; reader.next(field);) fields.push_back(field);
    return fields;
}

TEST(ProtobufReader, the_examples_of_the_specification_are_read) {
    const auto number = fields_of("\x08\x96\x01");
    ASSERT_EQ(number.size(), 1u);
    EXPECT_EQ(number[0].number, 1u);
    EXPECT_EQ(number[0].type, WireType::varint);
    EXPECT_EQ(number[0].integer, 150u);

    const auto text = fields_of("\x12\x07testing");
    ASSERT_EQ(text.size(), 1u);
    EXPECT_EQ(text[0].number, 2u);
    EXPECT_EQ(io::as_text(text[0].bytes), "testing");
    EXPECT_EQ(io::as_text(text[0].whole), "\x12\x07testing");
}

TEST(ProtobufReader, every_wire_type_is_read_in_the_order_of_the_file) {
    const std::string bytes = std::string("\x1d\1\2\3\4", 5) + std::string("\x19\1\2\3\4\5\6\7\x08", 9) +
                              std::string("\xf8\xff\xff\xff\x0f\x7f", 6);
    const auto fields = fields_of(bytes);
    ASSERT_EQ(fields.size(), 3u);
    EXPECT_EQ(fields[0].type, WireType::fixed32);
    EXPECT_EQ(io::as_text(fields[0].bytes), std::string("\1\2\3\4"));
    EXPECT_EQ(fields[1].type, WireType::fixed64);
    EXPECT_EQ(fields[1].bytes.size(), 8u);
    EXPECT_EQ(fields[2].number, 536'870'911u);  // 2^29 - 1, the largest there is
    EXPECT_EQ(fields[2].integer, 127u);
}

TEST(ProtobufReader, a_number_has_at_most_ten_bytes) {
    const auto largest = fields_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    ASSERT_EQ(largest.size(), 1u);
    EXPECT_EQ(largest[0].integer, ~std::uint64_t{0});
    expect_error([] { fields_of("\x08" + std::string(11, '\x80')); }, {"test", "more than ten bytes"});
}

TEST(ProtobufReader, what_does_not_end_inside_the_message_is_refused) {
    for (const std::string& bytes :
         {std::string("\x08"), std::string("\x08\x80"), std::string("\x12\x08testing"), std::string("\x12"),
          std::string("\x1d\1\2\3"), std::string("\x19\1\2\3\4\5\6\7"), std::string("\x80"),
          std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x")})
        expect_error([&] { fields_of(bytes); }, {"test: damaged"});
}

TEST(ProtobufReader, field_numbers_and_types_out_of_range_are_refused) {
    expect_error([] { fields_of(std::string("\0\1", 2)); }, {"field number 0"});
    expect_error([] { fields_of("\x80\x80\x80\x80\x10\1"); }, {"field number 536870912"});
    for (const int type : {3, 4, 6, 7})
        expect_error(
            [&] {
                fields_of(std::string{static_cast<char>(8 | type), 1});
            },
            {"field type", std::to_string(type).c_str()});
}

TEST(ProtobufReader, a_message_without_fields_is_read) {
    EXPECT_TRUE(fields_of("").empty());
}

}  // namespace
}  // namespace fearnet::protobuf
