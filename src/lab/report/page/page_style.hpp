// Style and script of the results page.
#pragma once

#include <string>

namespace fearnet::lab::page {

std::string page_style();
extern const char* const kPageScript;

}  // namespace fearnet::lab::page
