#include "server/http/multipart.hpp"

#include <stdexcept>

#include "formats.hpp"
#include "server/brains/failure.hpp"
#include "server/http/target.hpp"

namespace fearnet::fuzz {
namespace {

void look(std::string_view body, const std::string& content_type) {
    constexpr std::size_t kMost = 50;
    try {
        const std::vector<server::FormPart> parts = server::parse_multipart(body, content_type, kMost);
        if (parts.size() > kMost) throw std::logic_error("more parts than allowed");
        for (const server::FormPart& part : parts) {
            const bool within = part.content.empty() ||
                                (part.content.data() >= body.data() &&
                                 part.content.data() + part.content.size() <= body.data() + body.size());
            if (!within) throw std::logic_error("a part outside of its body");
            if (!part.is_file && !part.file_name.empty()) throw std::logic_error("a value with a file name");
        }
    } catch (const server::Failure& failure) {
        if (failure.status() != 400 && failure.status() != 413) throw std::logic_error("another status");
    }
}

}  // namespace

// The first line is the Content-Type, the others are the body; all bytes are also a body with the boundary
// XX, a header with parameters, and a target.
void multipart(io::ByteView bytes) {
    const std::string_view text = io::as_text(bytes);
    const std::size_t line = std::min(text.find('\n'), text.size());
    look(text.substr(std::min(line + 1, text.size())), std::string(text.substr(0, line)));
    look(text, "multipart/form-data; boundary=XX");
    for (const char* name : {"name", "filename", ""}) {
        bool found = false;
        const std::string value = server::header_parameter(text, name, found);
        if (!found && !value.empty()) throw std::logic_error("a value of no parameter");
        if (value.size() > text.size()) throw std::logic_error("a value longer than its header");
    }
    server::Request request;
    server::parse_target(std::string(text), request);
    for (const std::string& part : request.path)
        for (const char c : part)
            if (c == '\0' && text.find('\0') == text.npos)
                throw std::logic_error("a zero that was not there");
    const std::string all(text);
    if (server::percent_decoded(server::percent_encoded(all), false).size() > 3 * all.size())
        throw std::logic_error("decoded text that is longer than encoded text");
}

}  // namespace fearnet::fuzz
