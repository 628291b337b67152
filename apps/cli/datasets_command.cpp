#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "fearnet/base/error.hpp"
#include "fearnet/base/printable.hpp"
#include "fearnet/features/load.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Without a name, lists what can be had. With names, fetches those that are not on this machine yet and says what is
in them. They are kept in $FEARNET_CACHE, else $XDG_CACHE_HOME/fearnet, else ~/.cache/fearnet.

Examples:
  fearnet datasets
  fearnet datasets languages)";

int list() {
    std::size_t width = 0;
    for (const BuiltinDataset& d : builtin_datasets()) width = std::max(width, d.name.size());
    for (const BuiltinDataset& d : builtin_datasets())
        fmt::print("{:<{}}  {:<11}  {}\n{:<{}}  {:<11}  from {}\n", d.name, width,
                   d.present ? "present" : "not fetched", d.description, "", width, "", d.source);
    return kDone;
}

int fetch(const std::vector<std::string>& names) {
    const std::vector<BuiltinDataset> known = builtin_datasets();
    for (const std::string& name : names) {
        if (std::any_of(known.begin(), known.end(), [&](const BuiltinDataset& d) { return d.name == name; }))
            continue;
        std::string all;
        for (const BuiltinDataset& d : known) all += (all.empty() ? "" : ", ") + d.name;
        throw Error(fmt::format("{}: no such built-in data set; there are {}", name, all));
    }
    for (const std::string& name : names) {
        LoadOptions options;
        options.say = [](const std::string& news) { fmt::print(stderr, "{}\n", news); };
        const FeatureSet set = load_feature_set(name, options);
        fmt::print("{}: {} classes, {} training and {} test rows of {} features\n", printable(name),
                   set.classes(), set.train.size(), set.test.size(), set.width());
    }
    return kDone;
}

}  // namespace

Command add_datasets_command(CLI::App& program) {
    const auto names = std::make_shared<std::vector<std::string>>();
    CLI::App* app = program.add_subcommand("datasets", "List the built-in data sets and fetch them");
    app->footer(kFooter);
    app->add_option("NAME", *names, "Built-in data sets to fetch");
    return {app, [names] { return names->empty() ? list() : fetch(*names); }};
}

}  // namespace fearnet::cli
