#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "everyday/input_rows.hpp"
#include "fearnet/data/table.hpp"
#include "fearnet/error.hpp"
#include "fearnet/output_file.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Groups the rows of DATA that are alike and unlike every class that was taught. The number of groups is found, not
given. Prints for each group its number of rows, its spread and the nearest taught class. The spread is about 1 for the
rows of one class, and more for a mixture of classes. Labels in DATA are ignored. Of an .npz file with a test set, x_test
is used. All rows are held in memory.

With --out, the folder DIR receives a file for each group and index.csv with the columns group, row (counted from 0, or
the name of the file), spread and nearest. The file of a group is group_1.npy, or for photographs and sounds the list
group_1.csv of its files; 'fearnet learn BRAIN DIR/group_1.csv --label NAME' teaches the group. For texts, DIR receives
index.csv only.

Examples:
  fearnet discover birds.brain photos.npy
  fearnet discover birds.brain photos.npy --out groups)";

struct DiscoverArguments : BrainArguments {
    std::string out;
    std::string below;
    std::size_t min_rows = DiscoverOptions{}.min_rows;
};

DiscoverOptions options_of(const DiscoverArguments& a) {
    DiscoverOptions options;
    options.min_rows = a.min_rows;
    if (a.below.empty()) return options;
    std::size_t read = 0;
    try {
        options.below = std::stod(a.below, &read);
    } catch (const std::exception&) {
        read = 0;
    }
    if (read != a.below.size() || !(options.below > 0) || !(options.below <= 1))
        throw Error("--below: '" + a.below + "' is not a number above 0 and up to 1");
    return options;
}

// In quotes if the name would end the field.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

// How the rows of a group are written.
enum class GroupFile { none, rows, list };

GroupFile group_file(const Brain& brain, std::optional<InputKind> kind) {
    if (kind == InputKind::image || kind == InputKind::sound) return GroupFile::list;
    return kind || brain.accepts_text() ? GroupFile::none : GroupFile::rows;
}

std::string file_of(std::size_t group, GroupFile as) {
    return fmt::format("group_{}.{}", group + 1, as == GroupFile::list ? "csv" : "npy");
}

// Paths are absolute, since those of a list are relative to its folder.
std::string list_of(const std::vector<std::size_t>& rows, const std::vector<std::string>& inputs) {
    std::string text = "path\n";
    for (const std::size_t row : rows)
        text += csv_field(std::filesystem::absolute(inputs[row]).string()) + '\n';
    return text;
}

// The index last, so that it names complete files only.
void write_groups(const std::string& folder, const std::vector<DiscoveredGroup>& groups, MatrixView x,
                  const std::vector<std::string>& inputs, GroupFile as) {
    const std::filesystem::path given(folder);
    const std::filesystem::path path =
        make_folder_inside(given.has_parent_path() ? given.parent_path() : ".", given.filename().string());
    std::string index = "group,row,spread,nearest\n";
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Matrix rows(groups[g].rows.size(), x.cols);
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            std::copy_n(x.row(groups[g].rows[i]), x.cols, rows.row(i));
            index += fmt::format("{},{},{:.4f},{}\n", g + 1, csv_field(row_name(inputs, groups[g].rows[i])),
                                 groups[g].spread, csv_field(groups[g].nearest));
        }
        if (as == GroupFile::rows) write_rows((path / file_of(g, as)).string(), rows);
        if (as == GroupFile::list)
            write_file_atomically(path / file_of(g, as), list_of(groups[g].rows, inputs));
    }
    write_file_atomically(path / "index.csv", index);
}

Json as_json(const std::vector<DiscoveredGroup>& groups, std::size_t rows,
             const std::vector<std::string>& inputs, const DiscoverArguments& a, GroupFile as) {
    Json list = Json::array();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Json numbers = Json::array();
        for (const std::size_t row : groups[g].rows) numbers.push_back(row);
        Json entry{
            {"rows", std::move(numbers)}, {"spread", groups[g].spread}, {"nearest", groups[g].nearest}};
        Json names = Json::array();
        for (const std::size_t row : groups[g].rows) names.push_back(row_name(inputs, row));
        if (!inputs.empty()) entry.add("inputs", std::move(names));
        if (!a.out.empty() && as != GroupFile::none)
            entry.add("file", (std::filesystem::path(a.out) / file_of(g, as)).string());
        list.push_back(std::move(entry));
    }
    return {{"rows", rows}, {"groups", std::move(list)}};
}

void print(const std::vector<DiscoveredGroup>& groups, std::size_t rows, const DiscoverArguments& a,
           GroupFile as) {
    std::size_t grouped = 0;
    for (const DiscoveredGroup& g : groups) grouped += g.rows.size();
    if (groups.empty()) {
        fmt::print("no group among {}: nothing unknown occurs {} times or more\n",
                   counted(rows, "row", "rows"), a.min_rows);
        return;
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
        fmt::print("{:4}  {} look alike and like nothing you taught (nearest: '{}', spread {:.2f})\n", g + 1,
                   counted(groups[g].rows.size(), "row", "rows"), printable(groups[g].nearest),
                   groups[g].spread);
    fmt::print("{} in {} of {}\n", counted(groups.size(), "group", "groups"), grouped,
               counted(rows, "row", "rows"));
    if (!a.out.empty() && as != GroupFile::none)
        fmt::print("teach one with: fearnet learn {} {} --label NAME\n", printable(a.brain),
                   printable((std::filesystem::path(a.out) / file_of(0, as)).string()));
}

int discover(const DiscoverArguments& a) {
    const DiscoverOptions options = options_of(a);
    const Brain brain = open_brain(a, BrainAccess::read);
    ProgressDisplay display(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style());
    InputRows input(brain, a, false, embedding_progress(display));
    const Matrix rows = input.rest();
    const std::vector<std::string> inputs = input.inputs();
    if (!a.quiet) print_skipped(input.skipped());
    const std::vector<DiscoveredGroup> groups = brain.discover(rows, options);
    const GroupFile as = group_file(brain, input.kind());
    if (!a.out.empty()) write_groups(a.out, groups, rows, inputs, as);
    if (a.json)
        fmt::print("{}\n", json_text(as_json(groups, rows.rows(), inputs, a, as)));
    else
        print(groups, rows.rows(), a, as);
    return kDone;
}

}  // namespace

void add_discover_command(Program& program) {
    const auto a = std::make_shared<DiscoverArguments>();
    Command& command =
        add_brain_command(program, "discover", "Group rows that are like nothing that was taught", *a);
    command.footer(kFooter);
    command.option("DATA", a->data, "Rows to look at; - for standard input").required();
    command.option("--out", a->out, "Write each group as a file into this folder").value_name("DIR");
    command
        .option("--below", a->below,
                "Look only at rows whose familiarity is below this number, from 0 to 1; default 0.2")
        .value_name("P");
    command.option("--min-rows", a->min_rows, "Leave out groups of fewer rows")
        .between(1, 1000000)
        .show_default();
    add_data_options(command, a->reading);
    command.run([a] { return discover(*a); });
}

}  // namespace fearnet::cli
