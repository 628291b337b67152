#include "research/paper_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include "fearnet/error.hpp"
#include "research/run_arguments.hpp"

namespace fearnet::cli {
namespace {

constexpr int kMaxJobs = 1024;

std::vector<std::string> words(const char* flag, const std::string& text) {
    std::vector<std::string> result;
    std::stringstream list(text);
    for (std::string word; std::getline(list, word, ',');) result.push_back(word);
    if (result.empty()) throw Error(fmt::format("{} '{}': names are missing", flag, text));
    return result;
}

// Rows separated by commas, where a name may hold commas itself: the longest name that fits is meant. What is
// no row is taken up to the next comma and refused later.
std::vector<std::string> row_names(const char* flag, const std::string& text, const Experiment& experiment) {
    std::vector<std::string> result;
    for (std::string_view rest = text;;) {
        std::string_view name = rest.substr(0, rest.find(','));
        for (const ExperimentRow& row : experiment.rows) {
            const bool ends =
                rest.size() == row.row.size() || rest.substr(0, row.row.size() + 1).ends_with(',');
            if (rest.starts_with(row.row) && ends && row.row.size() > name.size())
                name = rest.substr(0, row.row.size());
        }
        if (name.empty()) throw Error(fmt::format("{} '{}': a name is missing", flag, text));
        result.emplace_back(name);
        if (name.size() == rest.size()) return result;
        rest.remove_prefix(name.size() + 1);
    }
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || text.str().empty()) throw Error(fmt::format("--config '{}': cannot read it", path));
    return text.str();
}

std::set<std::string> parts_of(const Experiment& experiment) {
    std::set<std::string> names;
    for (const std::string& dataset : experiment.datasets)
        for (const std::string& part : dataset_parts(dataset)) names.insert(part);
    return names;
}

}  // namespace

Experiment choose_experiment(const PaperArguments& a) {
    if (a.name.empty()) throw Error("the name of an experiment is missing; 'fearnet paper list' lists them");
    Experiment experiment =
        a.config ? parse_experiment(read_text(*a.config), *a.config) : paper_experiment(a.name);
    if (experiment.name != a.name)
        throw Error(fmt::format("--config '{}': the experiment in it is called '{}', not '{}'", *a.config,
                                experiment.name, a.name));
    return a.quick ? quick_version(std::move(experiment)) : experiment;
}

std::map<std::string, std::string> parse_data(const PaperArguments& a, const Experiment& experiment) {
    const std::set<std::string> used = parts_of(experiment);
    std::set<std::string> known = used;
    for (const std::string& name : paper_experiments()) known.merge(parts_of(paper_experiment(name)));
    std::map<std::string, std::string> data;
    for (const std::string& list : a.data)
        for (const std::string& word : words("--data", list)) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
                throw Error(fmt::format("--data '{}': must be NAME=FILE, as in cub200=cub200.npz", word));
            const std::string name = word.substr(0, equals);
            if (known.count(name) == 0)
                throw Error(fmt::format("--data '{}': no experiment uses a data set '{}'; {} uses {}", word,
                                        name, experiment.name, fmt::join(used, ", ")));
            if (used.count(name) != 0 && !data.emplace(name, word.substr(equals + 1)).second)
                throw Error(fmt::format("--data {}: given twice", name));
        }
    if (data.empty())
        throw Error(
            fmt::format("--data is missing: {} needs {}=FILE", experiment.name, fmt::join(used, "=FILE,")));
    return data;
}

PlanOptions plan_options(const PaperArguments& a, const Experiment& experiment) {
    PlanOptions options;
    if (a.seeds) options.seeds = parse_seeds(*a.seeds);
    if (a.rows) options.rows = row_names("--rows", *a.rows, experiment);
    if (a.skip) options.skip = row_names("--skip", *a.skip, experiment);
    return options;
}

int parse_jobs(const PaperArguments& a) {
    if (!a.jobs) return 1;
    int jobs = 0;
    const char* end = a.jobs->data() + a.jobs->size();
    const auto [at, error] = std::from_chars(a.jobs->data(), end, jobs);
    if (error != std::errc() || at != end || jobs < 1 || jobs > kMaxJobs)
        throw Error(fmt::format("--jobs '{}': must be a whole number from 1 to {}", *a.jobs, kMaxJobs));
    return jobs;
}

std::filesystem::path output_directory(const PaperArguments& a) {
    return a.out.value_or(a.quick ? "paper-quick" : "paper-results");
}

}  // namespace fearnet::cli
