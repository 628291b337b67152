#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "everyday/input_rows.hpp"
#include "fearnet/error.hpp"
#include "output.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Prints the rows of DATA whose labels would help the brain most, most helpful first: rows that are typical of many
others and unlike each other. Each is named by its file, else by its number, counted from 0. Label them and teach them
with 'fearnet learn'. In the next round, give the rows that have labels by now with --labeled, so that rows like them are
avoided. Labels in DATA are ignored. Of an .npz file with a test set, x_test is used. All rows are held in memory.

Examples:
  fearnet suggest birds.brain photos.npy --count 20
  fearnet suggest birds.brain photos.npy --count 20 --labeled first_round.npy --json)";

struct SuggestArguments : BrainArguments {
    std::size_t count = 20;
    std::string labeled;
};

int suggest(const SuggestArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    ProgressDisplay display(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style());
    InputRows input(brain, a, false, embedding_progress(display));
    const Matrix rows = input.rest();
    const std::vector<std::string> names = input.inputs();
    if (!a.quiet) print_skipped(input.skipped());
    Matrix labeled;
    if (!a.labeled.empty()) {
        BrainArguments given = a;
        given.data = a.labeled;
        labeled = InputRows(brain, given, false, embedding_progress(display)).rest();
    }
    const std::vector<std::size_t> chosen = brain.suggest(rows, a.count, labeled);
    if (a.json) {
        Json numbers = Json::array();
        for (const std::size_t row : chosen) numbers.push_back(row);
        Json result{{"rows", rows.rows()}, {"suggested", std::move(numbers)}};
        Json inputs = Json::array();
        for (const std::size_t row : chosen) inputs.push_back(row_name(names, row));
        if (!names.empty()) result.add("inputs", std::move(inputs));
        fmt::print("{}\n", json_text(result));
    } else {
        Output out("");
        for (const std::size_t row : chosen) out.write(row_name(names, row) + '\n');
        out.finish();
    }
    return kDone;
}

}  // namespace

void add_suggest_command(Program& program) {
    const auto a = std::make_shared<SuggestArguments>();
    Command& command =
        add_brain_command(program, "suggest", "List the rows whose labels would help most", *a);
    command.footer(kFooter);
    command.option("DATA", a->data, "Rows without labels; - for standard input").required();
    command.option("--count", a->count, "Number of rows to list").between(1, 1000000).show_default();
    command.option("--labeled", a->labeled, "Rows that have labels already").value_name("DATA");
    add_data_options(command, a->reading);
    command.run([a] { return suggest(*a); });
}

}  // namespace fearnet::cli
