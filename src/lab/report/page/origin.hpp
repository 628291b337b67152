// Where the numbers of the page come from: every option of every row, and the machine.
#pragma once

#include "fearnet/lab/results.hpp"

namespace fearnet::lab::page {

constexpr std::size_t kLongText = 5000;

// All parts but the empty ones.
std::string joined(const std::vector<std::string>& parts, const char* between);

// Every option of every row as HTML; rows with the same options on several data sets together.
std::string options_list(const ExperimentResults& results);
// The machine, the versions and dates of the program, and how long it computed, as HTML.
std::string provenance(const ExperimentResults& results);

}  // namespace fearnet::lab::page
