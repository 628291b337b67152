#include "fearnet/lab/experiment.hpp"

#include <algorithm>
#include <set>

#include "fearnet/error.hpp"
#include "lab/experiments/embedded.hpp"
#include "lab/results/json_parts.hpp"

namespace fearnet::lab {
namespace {

using Json = JsonObject::Json;
using Object = JsonObject;

ExperimentRow parse_row(Object o) {
    ExperimentRow row;
    row.row = o.text("row");
    row.learner = o.text("learner");
    if (const Json* settings = o.find("settings")) row.settings = o.settings(*settings, "settings");
    if (o.find("preset") != nullptr) row.preset = o.text("preset");
    row.base = o.text_or("base", "");
    o.options(list_options(row.protocol));
    try {
        check_protocol(row.protocol);
    } catch (const Error& error) {
        o.fail(error.what());
    }
    row.seeds = o.seeds();
    row.datasets = o.texts("datasets");
    if (row.row.empty()) o.fail("'row' must not be empty");
    o.refuse_others();
    return row;
}

QuickChanges parse_quick(Object o) {
    QuickChanges quick;
    quick.seeds = o.seeds();
    o.option<std::int64_t>("evaluate_every", quick.evaluate_every, 1, 1'000'000);
    if (const Json* all = o.find("settings")) {
        const Object by_learner(*all, "quick settings");
        for (const auto& [learner, settings] : all->items())
            quick.settings[learner] = by_learner.settings(settings, learner.c_str());
    }
    o.refuse_others();
    return quick;
}

std::map<std::string, std::string> parse_far_data(Object o, const std::vector<std::string>& datasets) {
    std::map<std::string, std::string> far_data;
    for (const std::string& dataset : datasets) {
        const std::string other = o.text_or(dataset.c_str(), "");
        if (other.empty()) continue;
        if (other == dataset || std::find(datasets.begin(), datasets.end(), other) == datasets.end())
            o.fail("'" + other + "' for " + dataset + ": must be another data set of the experiment");
        far_data[dataset] = other;
    }
    o.refuse_others();
    return far_data;
}

void check_rows(const Experiment& e, const std::string& what) {
    if (e.rows.empty()) throw Error(what + ": it has no rows");
    std::set<std::pair<std::string, std::string>> met;
    for (const ExperimentRow& row : e.rows) {
        for (const std::string& dataset : row.datasets.empty() ? e.datasets : row.datasets) {
            if (std::find(e.datasets.begin(), e.datasets.end(), dataset) == e.datasets.end())
                throw Error(what + ": row '" + row.row + "': '" + dataset +
                            "' is not one of the experiment's data sets");
            if (!met.emplace(row.row, dataset).second)
                throw Error(what + ": row '" + row.row + "' is there twice for " + dataset);
            const std::size_t plus = dataset.find('+');
            const bool whole = row.base.empty() || row.base == "mixed" ||
                               row.base == dataset.substr(0, plus) ||
                               (plus != std::string::npos && row.base == dataset.substr(plus + 1));
            if (!whole || (plus == std::string::npos) != row.base.empty())
                throw Error(what + ": row '" + row.row + "': base '" + row.base + "' does not fit " +
                            dataset + "; a data set \"a+b\" needs \"a\", \"b\" or \"mixed\", any other none");
        }
    }
}

Experiment parse(const Json& json, const std::string& what) {
    Object o(json, what);
    Experiment e;
    e.name = o.text("name"), e.title = o.text("title"), e.source = o.text_or("source", "");
    const bool plain =
        e.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
    if (e.name.empty() || !plain)
        o.fail("name '" + e.name + "': must be lower-case letters, digits, - and _");
    e.datasets = o.texts("datasets");
    e.seeds = o.seeds();
    if (e.datasets.empty()) o.fail("'datasets' is missing or empty");
    if (e.seeds.empty()) o.fail("'seeds' is missing or empty");
    e.rows = o.each("rows", "row", parse_row);
    if (const Json* quick = o.find("quick")) e.quick = parse_quick({*quick, what + ": quick"});
    if (const Json* far = o.find("far_data"))
        e.far_data = parse_far_data({*far, what + ": far_data"}, e.datasets);
    e.paper = o.each("paper", "paper", parse_paper);
    e.claims = o.each("claims", "claim", parse_claim);
    o.refuse_others();
    check_rows(e, what);
    return e;
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& what) {
    try {
        return parse(parse_json(text), what);
    } catch (const nlohmann::json::exception& error) {
        throw Error(what + ": not JSON as expected (" + error.what() + ")");
    }
}

Experiment quick_version(Experiment e) {
    if (!e.quick.seeds.empty()) e.seeds = e.quick.seeds;
    for (ExperimentRow& row : e.rows) {
        if (!e.quick.seeds.empty()) row.seeds.clear();
        if (e.quick.evaluate_every > 0)
            row.protocol.evaluate_every = std::max(row.protocol.evaluate_every, e.quick.evaluate_every);
        const auto it = e.quick.settings.find(row.learner);
        if (it == e.quick.settings.end()) continue;
        for (const auto& [name, value] : it->second) {
            std::erase_if(row.settings, [&name = name](const auto& s) { return s.first == name; });
            row.settings.emplace_back(name, value);
        }
    }
    return e;
}

std::vector<std::string> paper_experiments() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_experiments()) names.push_back(file.name);
    return names;
}

Experiment paper_experiment(const std::string& name) {
    std::string known;
    for (const EmbeddedFile& file : embedded_experiments()) {
        if (name == file.name) return parse_experiment(file.text, "experiments/" + name + ".json");
        known += (known.empty() ? "" : ", ") + std::string(file.name);
    }
    throw Error("experiment '" + name + "': no such experiment; there are " + known);
}

}  // namespace fearnet::lab
