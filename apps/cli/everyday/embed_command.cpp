#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"
#include "fearnet/threads.hpp"
#include "research/run_arguments.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Writes the rows that an embedding model makes of photographs, sounds or texts, with the class names and the split into
training and test examples, if DATA has them. The file holds x and y, or x_train, y_train, x_test and y_test, and the
names of the files as inputs. 'fearnet run', 'tune' and 'paper' read it, and so does numpy.load. DATA is a file, a folder
or a list, as for 'fearnet learn'; a folder with the folders train and test has a split.

Examples:
  fearnet embed photos/ --out photos.npz
  fearnet embed photos/ --features efficientnet-lite0 --out photos.npz)";

struct EmbedArguments {
    std::string data, out, features, threads = "all";
    bool json = false, quiet = false;
};

int embed(const EmbedArguments& a) {
    if (!a.out.ends_with(".npz")) throw Error("--out " + a.out + ": the name must end in .npz");
    if (const auto threads = parse_threads(a.threads)) set_threads(*threads);
    const std::optional<InputKind> kind = input_kind(a.data);
    if (!kind) throw Error(a.data + ": holds neither photographs nor sounds nor texts");
    BrainArguments display;
    display.quiet = a.quiet;
    Work work(display);
    TableOptions options;
    options.embedder = std::make_shared<Embedder>(a.features.empty() ? kind_name(*kind) : a.features);
    options.progress = work.progress();
    const Table table = read_table(a.data, options);
    write_table(a.out, table);
    if (!a.quiet) print_skipped(table.skipped);
    const std::string& model = options.embedder->front_end().name;
    if (a.json)
        fmt::print("{}\n", json_text({{"rows", table.x.rows()},
                                      {"features", table.x.cols()},
                                      {"model", model},
                                      {"skipped", table.skipped.size()}}));
    else if (!a.quiet)
        fmt::print("{}: {} of {} features by {}\n", printable(a.out), counted(table.x.rows(), "row", "rows"),
                   table.x.cols(), model);
    return kDone;
}

}  // namespace

void add_embed_command(Program& program) {
    const auto a = std::make_shared<EmbedArguments>();
    Command& command =
        program.add_command("embed", "Turn photographs, sounds or texts into rows", kEverydayGroup);
    command.footer(kFooter);
    command.option("DATA", a->data, "Photographs, sounds or texts").required();
    command.option("--out", a->out, "File to write, .npz").value_name("FILE").required();
    command.option("--features", a->features, "Model; default: that of the kind of DATA ('fearnet models')")
        .value_name("MODEL");
    command.flag("--json", a->json, "Print the result as JSON");
    command.flag("--quiet", a->quiet, "Print only results: no progress, no summary");
    command.option("--threads", a->threads, "Number of threads; all: one per processor")
        .value_name("N")
        .show_default();
    command.run([a] { return embed(*a); });
}

}  // namespace fearnet::cli
