#include "server/http/multipart.hpp"

#include <algorithm>
#include <cctype>

#include "server/brains/failure.hpp"

namespace fearnet::server {
namespace {

constexpr std::size_t kMostHeader = 8192;  // bytes of the headers of a part

bool same_word(std::string_view l, std::string_view r) {
    return l.size() == r.size() &&
           std::equal(l.begin(), l.end(), r.begin(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

[[noreturn]] void broken(const std::string& what) {
    throw Failure(400, "the multipart body " + what);
}

// The headers of a part tell its name and the name of its file.
FormPart part_of(std::string_view headers) {
    FormPart part;
    while (!headers.empty()) {
        const std::size_t end = std::min(headers.find("\r\n"), headers.size());
        const std::string_view line = headers.substr(0, end);
        headers.remove_prefix(std::min(end + 2, headers.size()));
        const std::size_t colon = line.find(':');
        if (colon == line.npos) broken("has a header without a colon");
        if (!same_word(trimmed(line.substr(0, colon)), "content-disposition")) continue;
        bool found = false;
        part.name = header_parameter(line.substr(colon + 1), "name", found);
        part.file_name = header_parameter(line.substr(colon + 1), "filename", part.is_file);
    }
    return part;
}

}  // namespace

std::string header_parameter(std::string_view header, std::string_view name, bool& found) {
    found = false;
    std::size_t at = header.find(';');
    while (at != header.npos) {
        ++at;
        const std::size_t equals = header.find('=', at);
        if (equals == header.npos) return "";
        if (const std::size_t next = header.find(';', at); next < equals) {  // without a value
            at = next;
            continue;
        }
        const bool wanted = same_word(trimmed(header.substr(at, equals - at)), name);
        std::string value;
        std::size_t i = equals + 1;
        while (i < header.size() && (header[i] == ' ' || header[i] == '\t')) ++i;
        if (i < header.size() && header[i] == '"') {
            for (++i; i < header.size() && header[i] != '"'; ++i) {
                // Browsers write %22 for a quote and do not escape with a backslash, others do.
                if (header[i] == '\\' && i + 1 < header.size() &&
                    (header[i + 1] == '"' || header[i + 1] == '\\'))
                    ++i;
                value += header[i];
            }
            at = header.find(';', i);
        } else {
            at = header.find(';', i);
            value = trimmed(header.substr(i, std::min(at, header.size()) - i));
        }
        if (wanted) {
            found = true;
            return value;
        }
    }
    return "";
}

std::vector<FormPart> parse_multipart(std::string_view body, const std::string& content_type,
                                      std::size_t most) {
    constexpr std::size_t kMostBoundary = 70;  // of RFC 2046
    bool found = false;
    const std::string boundary = header_parameter(content_type, "boundary", found);
    if (boundary.empty() || boundary.size() > kMostBoundary)
        throw Failure(400, "the Content-Type multipart/form-data needs a boundary of 1 to 70 characters");
    const std::string line = "--" + boundary, delimiter = "\r\n" + line;
    if (!body.starts_with(line)) broken("does not begin with its boundary");
    std::size_t at = line.size();
    std::vector<FormPart> parts;
    while (true) {
        if (body.substr(at, 2) == "--") return parts;
        if (body.substr(at, 2) != "\r\n") broken("has characters behind a boundary");
        at += 2;
        const bool no_headers = body.substr(at, 2) == "\r\n";
        const std::size_t headers_end =
            no_headers ? at : body.substr(0, std::min(body.size(), at + kMostHeader)).find("\r\n\r\n", at);
        if (headers_end == body.npos)
            broken("ends within the headers of a part, or they have more than 8192 bytes");
        FormPart part = part_of(body.substr(at, headers_end - at));
        const std::size_t begin = headers_end + (no_headers ? 2 : 4);
        // The delimiter of an empty part may begin with the line end of its headers.
        const std::size_t end = body.find(delimiter, begin);
        if (end == body.npos) broken("ends within a part");
        part.content = body.substr(begin, end - begin);
        if (parts.size() == most)
            throw Failure(413, "more than " + std::to_string(most) + " parts; send fewer at once");
        parts.push_back(std::move(part));
        at = end + delimiter.size();
    }
}

}  // namespace fearnet::server
