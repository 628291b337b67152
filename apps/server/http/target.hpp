// The target of a request, such as "/a/b?c=d".
#pragma once

#include <string>

#include "server/http/message.hpp"

namespace fearnet::server {

// Fills target, path and query of the request.
void parse_target(const std::string& target, Request& request);
// Parts of a path and keys of a query, percent-decoded. Bad escapes stay as they are; %00 and other control
// characters too, as text.
std::string percent_decoded(const std::string& text, bool plus_is_space);
// All bytes but letters, digits and -._~ as %XX.
std::string percent_encoded(const std::string& text);

}  // namespace fearnet::server
