// The files of the page, inside the program.
#pragma once

#include <string_view>
#include <vector>

namespace fearnet::server {

struct Asset {
    const char* name;  // "index.html"
    std::string_view content;
};

const std::vector<Asset>& assets();

}  // namespace fearnet::server
