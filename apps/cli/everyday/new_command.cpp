#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "common/new_brain.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"
#include "fearnet/options.hpp"
#include "fearnet/registry.hpp"
#include "research/run_arguments.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Creates a brain without classes; 'fearnet learn' teaches it. --set takes the options of the learner ('fearnet options
--learner NAME' lists them) and these options of the brain:
  brain.unit_length=true|false    scale every row to unit length (the paper's setting)
  due.sessions=N                  sleep is due after N sessions; 0: never for this reason
  due.examples=N                  sleep is due when N recent examples are stored; 0: never for this reason
  due.bytes=N                     sleep is due when recent examples take N bytes; 0: never for this reason

Examples:
  fearnet new birds.brain
  fearnet new paper.brain --learner fearnet --preset cub200
  fearnet new phone.brain --max-memory 8MB --set due.sessions=5
  fearnet new pets.brain --features image
  fearnet new sounds.brain --set features.frames=10
  fearnet new languages.brain --features text:ngrams)";

struct NewArguments : BrainArguments {
    std::string learner = BrainOptions{}.learner.learner;
    std::string preset;
    std::string features = "raw";
    std::string max_memory;
    std::string seed = "1";
    std::vector<std::string> settings;
};

BrainOptions brain_options(const NewArguments& a) {
    const std::vector<std::uint64_t> seeds = parse_seeds(a.seed, "--seed");
    if (seeds.size() != 1) throw Error(fmt::format("--seed '{}': takes exactly one seed", a.seed));
    apps::NewBrain wanted{
        .learner = a.learner, .preset = a.preset, .seed = seeds[0], .features = a.features, .settings = {}};
    for (const std::string& text : a.settings) wanted.settings.push_back(split_assignment(text));
    if (!a.max_memory.empty())
        wanted.settings.emplace_back("memory.budget",
                                     std::to_string(parse_bytes("--max-memory", a.max_memory)));
    return apps::brain_options(wanted);
}

bool preset_changes_nothing(const NewArguments& a) {
    const std::vector<OptionText> with = learner_options(a.learner, a.preset),
                                  without = learner_options(a.learner);
    return std::equal(with.begin(), with.end(), without.begin(), without.end(),
                      [](const OptionText& l, const OptionText& r) { return l.value == r.value; });
}

int make_brain(const NewArguments& a) {
    parse_threads(a.threads), lock_timeout(a);  // refuse bad values before the file is created
    const Brain brain(a.brain, create_new(brain_options(a)));
    if (a.json)
        fmt::print(
            "{}\n",
            json_text({{"brain", a.brain}, {"learner", a.learner}, {"options", brain.info().options}}));
    else if (!a.quiet)
        fmt::print("{}: new brain without classes; teach it with 'fearnet learn {} DATA'\n",
                   printable(a.brain), printable(a.brain));
    if (!a.preset.empty() && !a.json && !a.quiet && preset_changes_nothing(a))
        fmt::print("--preset {} changes no option of {}\n", a.preset, a.learner);
    return kDone;
}

}  // namespace

void add_new_command(Program& program) {
    const auto a = std::make_shared<NewArguments>();
    Command& command = add_brain_command(program, "new", "Create a brain without classes", *a);
    command.footer(kFooter);
    command.option("--learner", a->learner, "Learner; 'fearnet options' lists all").show_default();
    command.option("--preset", a->preset,
                   "Named set of option values; 'fearnet options --preset NAME' lists them");
    command
        .option("--features", a->features,
                "Input: image, sound, text or the name of a model ('fearnet models'), text:ngrams (text "
                "without a model) "
                "or raw (numeric rows)")
        .show_default();
    command
        .option("--max-memory", a->max_memory,
                "Maximum memory of the learner, such as 8MB; default: no maximum")
        .value_name("BYTES");
    command.option("--seed", a->seed, "Seed of all random choices").value_name("S").show_default();
    command.option("--set", a->settings, "Sets one option; may be repeated")
        .value_name("KEY=VALUE")
        .repeatable();
    command.run([a] { return make_brain(*a); });
}

}  // namespace fearnet::cli
