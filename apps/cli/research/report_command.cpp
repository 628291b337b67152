#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/experiment.hpp"
#include "fearnet/lab/results_page.hpp"
#include "research/lab.hpp"
#include "research/run_arguments.hpp"

namespace fearnet::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter =
    R"(Writes one self-contained HTML page, and its plots as SVG files in the directory plots beside the page.

Examples:
  fearnet report paper-results
  fearnet report paper-results --out page/index.html)";

struct ReportArguments {
    std::string folder;
    std::string out;
};

int report(const ReportArguments& a) {
    if (!fs::is_directory(a.folder))
        throw Error(a.folder + ": no such directory; 'fearnet paper' creates one");
    const fs::path file = a.out.empty() ? fs::path(a.folder) / "report.html" : fs::path(a.out);
    if (fs::is_directory(file) || !file.has_filename())
        throw Error("--out " + file.string() + " is a directory; name a file in it");
    const ResultsPage page = results_page(a.folder, paper_experiments());
    if (file.has_parent_path()) {
        check_can_write(file.parent_path());
        fs::create_directories(file.parent_path());
    }
    write_results_page(page, file);
    fmt::print("{}: {} experiment{}, {} run{}, {} missing, {} plot{}\n", printable(file.string()),
               page.experiments, page.experiments == 1 ? "" : "s", page.runs, page.runs == 1 ? "" : "s",
               page.missing, page.plots.size(), page.plots.size() == 1 ? "" : "s");
    return kDone;
}

}  // namespace

void add_report_command(Program& program) {
    const auto a = std::make_shared<ReportArguments>();
    Command& command = program.add_command("report", "Make an HTML page from the results of 'fearnet paper'",
                                           kResearchGroup);
    command.footer(kFooter);
    command.option("DIR", a->folder, "Directory with the results").required();
    command
        .option("--out", a->out,
                "HTML file to write, its directory created if missing; default DIR/report.html")
        .value_name("FILE");
    command.run([a] { return report(*a); });
}

}  // namespace fearnet::cli
