// multipart/form-data, as browsers and curl write it, and broken in many ways.
#include "server/http/multipart.hpp"

#include <gtest/gtest.h>

#include "server/brains/failure.hpp"

namespace fearnet::server {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=XX";

std::string two_parts() {
    return "--XX\r\nContent-Disposition: form-data; name=\"label\"\r\n\r\nowl\r\n"
           "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".jpg\"\r\n"
           "Content-Type: image/jpeg\r\n\r\n\x01\r\n--X\r\n\r\n--XX--\r\n";
}

TEST(Multipart, values_and_files_are_told_apart_and_contents_may_hold_line_ends) {
    const std::string body = two_parts();
    const std::vector<FormPart> parts = parse_multipart(body, kType, 10);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].name, "label");
    EXPECT_FALSE(parts[0].is_file);
    EXPECT_EQ(parts[0].content, "owl");
    EXPECT_EQ(parts[1].file_name, "a \"b\".jpg");
    EXPECT_TRUE(parts[1].is_file);
    EXPECT_EQ(parts[1].content, "\x01\r\n--X\r\n");
}

TEST(Multipart, a_body_cut_anywhere_is_refused_with_400) {
    const std::string body = two_parts();
    const std::size_t complete = body.size() - 2;  // the last line end may be missing
    for (std::size_t size = 0; size < complete; ++size) try {
            (void)parse_multipart(std::string_view(body).substr(0, size), kType, 10);
            ADD_FAILURE() << size << " of " << body.size() << " bytes were accepted";
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), 400);
        }
}

TEST(Multipart, too_many_parts_are_refused_with_413_and_a_missing_boundary_with_400) {
    const std::string body = two_parts();
    const auto status = [&](const char* type, std::size_t most) {
        try {
            (void)parse_multipart(body, type, most);
        } catch (const Failure& failure) {
            return failure.status();
        }
        return 200;
    };
    EXPECT_EQ(status(kType, 2), 200);
    EXPECT_EQ(status(kType, 1), 413);
    EXPECT_EQ(status("multipart/form-data", 10), 400);
    EXPECT_EQ(status("multipart/form-data; boundary=", 10), 400);
}

TEST(Multipart, a_parameter_of_a_header_is_found_behind_any_other) {
    const auto parameter = [](const char* header) {
        bool found = false;
        const std::string value = header_parameter(header, "name", found);
        return found ? value : "none";
    };
    EXPECT_EQ(parameter("form-data; name=a"), "a");
    EXPECT_EQ(parameter("form-data;NAME = \"a;b\" ; x=y"), "a;b");
    EXPECT_EQ(parameter("form-data; x=\"; name=b\"; name=\"\""), "");
    EXPECT_EQ(parameter("form-data; flag; name=a"), "a");
    EXPECT_EQ(parameter("form-data; filename=a"), "none");
    EXPECT_EQ(parameter("form-data; name"), "none");
    EXPECT_EQ(parameter("name=a"), "none");
    EXPECT_EQ(parameter("form-data; name=\"open"), "open");
}

}  // namespace
}  // namespace fearnet::server
