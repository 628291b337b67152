// As much HTML as the package of translations has: plain elements without nesting of their own kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fearnet {

// The text inside each <element>...</element>: tags dropped, entities resolved, runs of blanks made one
// space, ends trimmed. An element that does not end is passed over.
std::vector<std::string> html_elements(std::string_view html, std::string_view element);

// The value of `attribute` in the first <element ...>; empty when there is none.
std::string html_attribute(std::string_view html, std::string_view element, std::string_view attribute);

}  // namespace fearnet
