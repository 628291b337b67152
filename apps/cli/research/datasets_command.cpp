#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Without names, lists the built-in data sets. With names, prints the size of each. --fetch first downloads those that
are not on this machine to $FEARNET_CACHE, else $XDG_CACHE_HOME/fearnet, else ~/.cache/fearnet. No other command
downloads anything. No command installs a package: if a data set needs one, the error message
gives the command that installs it.

Examples:
  fearnet datasets
  fearnet datasets --fetch languages)";

struct DatasetsArguments {
    std::vector<std::string> names;
    bool fetch = false;
};

int list() {
    std::size_t width = 0;
    for (const BuiltinDataset& d : builtin_datasets()) width = std::max(width, d.name.size());
    for (const BuiltinDataset& d : builtin_datasets())
        fmt::print("{:<{}}  {:<11}  {}\n{:<{}}  {:<11}  from {}\n", d.name, width,
                   d.present ? "present" : "not fetched", d.description, "", width, "", d.source);
    return kDone;
}

int describe(const DatasetsArguments& a) {
    for (const std::string& name : a.names) {
        if (a.fetch)
            fetch_dataset(name, {}, [](const std::string& news) { fmt::print(stderr, "{}\n", news); });
        const FeatureSet set = load_feature_set(name);
        fmt::print("{}: {} classes, {} training and {} test rows of {} features\n", name, set.classes(),
                   set.train.size(), set.test.size(), set.width());
    }
    return kDone;
}

void check_names(const std::vector<std::string>& names) {
    const std::vector<BuiltinDataset> known = builtin_datasets();
    for (const std::string& name : names) {
        if (std::any_of(known.begin(), known.end(), [&](const BuiltinDataset& d) { return d.name == name; }))
            continue;
        std::string all;
        for (const BuiltinDataset& d : known) all += (all.empty() ? "" : ", ") + d.name;
        throw Error(fmt::format("{}: no such built-in data set; there are {}", name, all));
    }
}

int datasets(const DatasetsArguments& a) {
    if (a.fetch && a.names.empty())
        throw Error("--fetch: name a data set, as in 'fearnet datasets --fetch languages'");
    check_names(a.names);
    return a.names.empty() ? list() : describe(a);
}

}  // namespace

void add_datasets_command(Program& program) {
    const auto a = std::make_shared<DatasetsArguments>();
    Command& command =
        program.add_command("datasets", "List the built-in data sets, or download them", kMoreGroup);
    command.footer(kFooter);
    command.option("NAME", a->names, "Names of built-in data sets");
    command.flag("--fetch", a->fetch, "Download the named data sets if they are not on this machine");
    command.run([a] { return datasets(*a); });
}

}  // namespace fearnet::cli
