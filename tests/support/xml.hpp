// Looks whether text is well-formed XML.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fearnet::test {

// Whether `xml` is elements closed in order, with quoted attributes and only the entities XML has. Says where
// it is not.
inline std::string fault_in(const std::string& xml) {
    std::vector<std::string> open;
    bool ended = false;
    for (std::size_t at = 0; at < xml.size();) {
        if (xml[at] == '&') {
            const std::string entity = xml.substr(at, xml.find(';', at) + 1 - at);
            const bool known =
                entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;";
            if (!known && !entity.starts_with("&#")) return "a stray &";
        }
        if (xml[at] == '>') return "a stray >";
        if (xml[at] != '<') {
            if (ended && xml[at] != '\n') return "something after the end";
            ++at;
            continue;
        }
        const std::size_t close = xml.find('>', at);
        if (close == std::string::npos) return "a tag without end";
        std::string tag = xml.substr(at + 1, close - at - 1);
        at = close + 1;
        if (tag.find('<') != std::string::npos) return "a < inside <" + tag;
        if (std::count(tag.begin(), tag.end(), '"') != 2 * std::count(tag.begin(), tag.end(), '='))
            return "an attribute without quotes in <" + tag;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return "unexpected <" + tag;
            open.pop_back();
            ended = open.empty();
        } else if (!tag.ends_with('/')) {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    return ended ? "" : "something is left open";
}

}  // namespace fearnet::test
