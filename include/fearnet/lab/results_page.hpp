// The results of `fearnet paper` as an HTML page beside the numbers of the paper.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fearnet::lab {

struct ResultsPage {
    std::string html;  // self-contained: style, script and plots are inside
    std::vector<std::pair<std::string, std::string>> plots;  // file name and SVG text of each plot
    std::size_t experiments = 0, runs = 0, missing = 0;      // how many the page has
};

// Makes the page from all experiments in `folder` (NAME.csv, NAME_sessions.csv and NAME.json;
// docs/report.md). Experiments in `order` come first, in that order, then the others by name. Throws Error,
// with file and line, if a file is missing, truncated or malformed.
ResultsPage results_page(const std::filesystem::path& folder, const std::vector<std::string>& order = {});

// Writes the page to `file` and its plots into the folder `plots` beside it. Each file is written atomically,
// the page last. Throws Error, with the path, if that fails.
void write_results_page(const ResultsPage& page, const std::filesystem::path& file);

}  // namespace fearnet::lab
