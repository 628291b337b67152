// The HTML page of 'fearnet review'.
#pragma once

#include <string>

#include "fearnet/brain.hpp"

namespace fearnet::cli {

// A self-contained page: advice, a bar for each class, a map of the confusions and a table. `title` and the
// class names may be any text.
std::string review_page(const BrainReview& review, const std::string& title);

// `text` with the characters escaped that have a meaning in HTML.
std::string html_text(std::string_view text);

}  // namespace fearnet::cli
