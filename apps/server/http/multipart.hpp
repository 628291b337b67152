// multipart/form-data (RFC 7578), from a body that is in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fearnet::server {

struct FormPart {
    std::string name;
    std::string file_name;  // empty: a plain value
    bool is_file = false;
    std::string_view content;  // within the body
};

// `content_type` has the boundary. Throws Failure 400 for a body that is not complete, and for more than
// `most` parts.
std::vector<FormPart> parse_multipart(std::string_view body, const std::string& content_type,
                                      std::size_t most);

// A parameter of a header such as `form-data; name="file"; filename="a.jpg"`, without quotes; empty if there
// is none. `found` tells them apart.
std::string header_parameter(std::string_view header, std::string_view name, bool& found);

}  // namespace fearnet::server
