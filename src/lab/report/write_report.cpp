#include <system_error>

#include "fearnet/error.hpp"
#include "fearnet/lab/report.hpp"
#include "fearnet/output_file.hpp"

namespace fearnet::lab {

void write_report(const std::filesystem::path& directory, const std::vector<RunRecord>& runs,
                  const RunContext& context) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw Error("cannot write " + directory.string() + ": " + error.message());
    write_file_atomically(directory / "sessions.csv", sessions_csv(runs));
    write_file_atomically(directory / "accuracy.svg", accuracy_svg(runs));
    write_file_atomically(directory / "page.html", run_page(runs, context));
    write_file_atomically(directory / "summary.json", summary_json(runs, context));
}

}  // namespace fearnet::lab
