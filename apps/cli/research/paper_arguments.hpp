// The arguments of `fearnet paper` and their checks.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/experiment.hpp"
#include "fearnet/lab/plan.hpp"
#include "research/lab.hpp"

namespace fearnet::cli {

// As typed.
struct PaperArguments {
    std::string name;
    std::vector<std::string> data;
    std::optional<std::string> seeds;
    std::optional<std::string> jobs;
    std::optional<std::string> out;
    std::optional<std::string> rows;
    std::optional<std::string> skip;
    std::optional<std::string> config;
    bool quick = false;
    bool dry_run = false;
    bool quiet = false;
};

// All of these throw Error naming the flag.
Experiment choose_experiment(const PaperArguments& arguments);
// "cub200=FILE,..." -> by name; refuses a name that no experiment of the paper and not this one uses.
std::map<std::string, std::string> parse_data(const PaperArguments& arguments, const Experiment& experiment);
PlanOptions plan_options(const PaperArguments& arguments, const Experiment& experiment);
int parse_jobs(const PaperArguments& arguments);
// --out; default paper-results, or paper-quick with --quick, so that short runs do not replace full results.
std::filesystem::path output_directory(const PaperArguments& arguments);

}  // namespace fearnet::cli
