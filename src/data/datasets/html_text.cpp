#include "data/datasets/html_text.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include "core/base/utf8.hpp"

namespace fearnet {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::size_t kLongestEntity = 12;

// The start tag of `element` and what follows it; empty when there is no further one.
std::pair<std::string_view, std::string_view> next_tag(std::string_view html, std::string_view element) {
    std::string opening = "<";
    opening += element;
    for (std::size_t at = html.find(opening); at != kNone; at = html.find(opening, at + 1)) {
        const std::string_view tag = html.substr(at + opening.size());
        if (tag.empty() || (tag.front() != '>' && tag.front() != ' ')) continue;
        const std::size_t end = tag.find('>');
        if (end == kNone) break;
        return {tag.substr(0, end), tag.substr(end + 1)};
    }
    return {};
}

// Resolves the entity `text` starts with; 0 when it starts with none.
std::size_t append_entity(std::string_view text, std::string& out) {
    const std::size_t end = text.substr(0, kLongestEntity).find(';');
    if (end == kNone) return 0;
    const std::string_view name = text.substr(1, end - 1);
    for (const auto& [known, value] :
         {std::pair{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}})
        if (name == known) return out += value, end + 1;
    if (!name.starts_with('#')) return 0;
    const bool hex = name.size() > 1 && name[1] == 'x';
    const std::string_view digits = name.substr(hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [last, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
    if (error != std::errc() || last != digits.data() + digits.size()) return 0;
    return append_utf8(out, code) ? end + 1 : 0;
}

std::string plain_text(std::string_view html) {
    std::string out;
    for (std::size_t i = 0; i < html.size();) {
        const char c = html[i];
        if (c == '<' && html.find('>', i) != kNone) {
            i = html.find('>', i) + 1;
        } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            if (!out.empty() && out.back() != ' ') out += ' ';
            ++i;
        } else if (const std::size_t length = c == '&' ? append_entity(html.substr(i), out) : 0) {
            i += length;
        } else {
            out += c;
            ++i;
        }
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

std::vector<std::string> html_elements(std::string_view html, std::string_view element) {
    std::vector<std::string> result;
    std::string closing = "</";
    closing.append(element).append(">");
    for (;;) {
        const std::string_view inside = next_tag(html, element).second;
        const std::size_t end = inside.find(closing);
        if (end == kNone) return result;
        result.push_back(plain_text(inside.substr(0, end)));
        html = inside.substr(end + closing.size());
    }
}

std::string html_attribute(std::string_view html, std::string_view element, std::string_view attribute) {
    const std::string_view tag = next_tag(html, element).first;
    std::string opening = " ";
    opening.append(attribute).append("=\"");
    const std::size_t start = tag.find(opening);
    if (start == kNone) return {};
    const std::string_view value = tag.substr(start + opening.size());
    return std::string(value.substr(0, value.find('"')));
}

}  // namespace fearnet
