#include "bench.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands.hpp"

namespace fearnet::cli {

Command add_bench_command(CLI::App& program) {
    const auto quick = std::make_shared<bool>(false);
    CLI::App* app = program.add_subcommand("bench", "Measure the engine's speed and print it as JSON");
    app->footer("Keep the machine otherwise idle: what else runs is measured too.");
    app->add_flag("--quick", *quick, "Take seconds instead of minutes; less exact");
    return {app, [quick] {
                fmt::print("{}\n", engine_benchmark(*quick));
                return kDone;
            }};
}

}  // namespace fearnet::cli
