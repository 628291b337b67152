// The results of `fearnet paper` as one HTML page.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fearnet::lab {

struct ResultsPage {
    std::string html;  // needs nothing beside it: style, script and pictures are inside
    std::vector<std::pair<std::string, std::string>> plots;  // file name and SVG text of every picture
    std::size_t experiments = 0, runs = 0, missing = 0;
};

// Reads every experiment in `folder` (NAME.csv, NAME_sessions.csv, NAME.json; docs/report.md) and sets our
// numbers beside the paper's. The experiments that `order` names come first, in its order, then the others by
// name. Throws Error naming file and line when a file is missing, cut off or not what
// it should be.
ResultsPage results_page(const std::filesystem::path& folder, const std::vector<std::string>& order = {});

// Writes the page to `file` and its pictures into the folder `plots` beside it. Each file appears whole or
// not at all, the page last. Throws Error naming the path when it cannot.
void write_results_page(const ResultsPage& page, const std::filesystem::path& file);

}  // namespace fearnet::lab
