// The results page in a real Chromium: every cell and plot is filled from the CSV files, at two widths and in
// both colour schemes. Skipped where there is no Chromium; FEARNET_CHROMIUM names one that is not on the
// PATH.
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "integration/cli_process.hpp"
#include "support/paper_results.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

constexpr double kReadableContrast = 4.5;  // WCAG AA

std::string chromium() {
    if (const char* named = std::getenv("FEARNET_CHROMIUM")) return named;
    const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    for (const char* name : {"chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"}) {
        std::stringstream folders(path);
        for (std::string folder; std::getline(folders, folder, ':');)
            if (::access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
    }
    return "";
}

std::string decoded(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '%') {
            result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            result += text[i];
        }
    return result;
}

// A CSV file of ours by column name: fields may be quoted.
std::vector<std::map<std::string, std::string>> read_table(const fs::path& path) {
    const auto split = [](const std::string& line) {
        std::vector<std::string> fields(1);
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
                fields.back() += line[i++];
            else if (line[i] == '"')
                quoted = !quoted;
            else if (line[i] == ',' && !quoted)
                fields.emplace_back();
            else
                fields.back() += line[i];
        }
        return fields;
    };
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line);
    std::vector<std::map<std::string, std::string>> table;
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = split(line);
        table.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) table.back()[names[i]] = fields.at(i);
    }
    return table;
}

// As the page prints numbers, written down again.
std::string shown(double value, const std::string& column) {
    if (column.starts_with("memory")) {
        if (value < 1000) return fmt::format("{:.0f} B", value);
        const double unit = value < 999500 ? 1e3 : value < 999.5e6 ? 1e6 : 1e9;
        const double scaled = value / unit;
        return fmt::format("{:.{}f} {}", scaled, scaled >= 99.95 ? 0 : 1,
                           unit == 1e3   ? "kB"
                           : unit == 1e6 ? "MB"
                                         : "GB");
    }
    if (column.ends_with("accuracy")) return fmt::format("{:.1f} %", 100 * value);
    if (column.find("classes") != column.npos || column.ends_with("_every"))
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.3f}", value);
}

class BrowserPage : public CliTest {
  protected:
    BrowserPage() : results_(folder_ / "results") {}

    void SetUp() override {
        if (chromium().empty())
            GTEST_SKIP() << "no Chromium: install the package chromium, or name one in FEARNET_CHROMIUM";
        write_made_up_results(results_);
        const Outcome outcome = run({"report", results_.string()});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }

    // What the page looks like from inside, in a frame of that width.
    Json look(int width, bool dark) {
        const std::string page = slurp(results_ / "report.html"), end = "</body>";
        std::string probed = page;
        probed.insert(
            page.rfind(end),
            "<script>" + slurp(fs::path(FEARNET_SOURCE_DIR) / "tests/browser/probe.js") + "</script>");
        std::ofstream(folder_ / "probed.html") << probed;
        std::ofstream(folder_ / "frame.html")
            << "<!DOCTYPE html><body style=\"margin:0\"><pre "
               "id=\"seen\"></pre><script>addEventListener(\"message\",function(m)"
               "{document.getElementById(\"seen\").textContent=\"[\"+m.data+\"]\"})</script><iframe "
               "src=\"probed.html\" "
               "style=\"border:0;height:900px;width:"
            << width << "px\"></iframe></body>";
        const std::string command = fmt::format(
            "'{}' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir='{}' "
            "--window-size=1400,1000 "
            "--blink-settings=preferredColorScheme={} --virtual-time-budget=20000 --dump-dom 'file://{}' > "
            "'{}' 2> '{}'",
            chromium(), (folder_ / "profile").string(), dark ? 0 : 1, (folder_ / "frame.html").string(),
            (folder_ / "dom").string(), (folder_ / "browser.err").string());
        EXPECT_EQ(std::system(command.c_str()), 0) << slurp(folder_ / "browser.err");
        const std::string dom = slurp(folder_ / "dom"), start = "<pre id=\"seen\">[";
        const std::size_t at = dom.find(start);
        if (at == std::string::npos) {
            ADD_FAILURE() << "the page did not answer: " << slurp(folder_ / "browser.err");
            return {};
        }
        const std::size_t first = at + start.size();
        return Json::parse(decoded(dom.substr(first, dom.find(']', first) - first)));
    }

    void expect_readable(const Json& seen, int width) {
        EXPECT_EQ(seen["width"], width);
        EXPECT_LE(seen["scroll_width"].get<int>(), width) << "the page scrolls sideways";
        EXPECT_EQ(seen["bad_text"], false);
        EXPECT_EQ(seen["empty_cells"], 0);
        EXPECT_EQ(seen["cells_without_scope"], 0);
        EXPECT_GE(seen["worst"]["ratio"].get<double>(), kReadableContrast) << seen["worst"]["text"];
        for (const Json& plot : seen["plots"]) {
            SCOPED_TRACE(plot["file"].get<std::string>());
            EXPECT_EQ(plot["wide"]["shown"], width > 640);
            EXPECT_EQ(plot["narrow"]["shown"], width <= 640);
            EXPECT_EQ(plot["wide"]["named"], true);
            EXPECT_EQ(plot["wide"]["lines"], plot["narrow"]["lines"]);
            EXPECT_EQ(plot["wide"]["dots"], plot["narrow"]["dots"]);
            EXPECT_NE(plot["caption"], "");
        }
    }

    // Every cell of the comparison has the mean and deviation of the CSV's lines and the paper's number.
    void expect_cells_from_csv(const Json& table) {
        const std::string name = table["experiment"];
        const auto runs = read_table(results_ / (name + ".csv"));
        const Json context = Json::parse(slurp(results_ / (name + ".json")));
        std::set<std::array<std::string, 2>> lines;
        for (const Json& cell : table["cells"]) {
            const std::string dataset = cell[0], row = cell[1], column = cell[2], ours = cell[3],
                              paper = cell[4];
            SCOPED_TRACE(name + " " + dataset + " " + row + " " + column);
            lines.insert({dataset, row});
            std::vector<double> values;
            for (const auto& run : runs)
                if (run.at("dataset") == dataset && run.at("row") == row && run.contains(column) &&
                    !run.at(column).empty())
                    values.push_back(std::stod(run.at(column)));
            if (column != "memory_bytes_1000") {
                EXPECT_EQ(ours.empty(), values.empty());
                const std::size_t sign = ours.find(" \u00b1 ");
                if (!values.empty()) {
                    EXPECT_EQ(ours.substr(0, sign), shown(mean(values), column));
                }
                if (values.size() > 1 && table["kind"] == "compare" && has_spread(column)) {
                    ASSERT_NE(sign, std::string::npos);
                    EXPECT_EQ(ours.substr(sign + 4), shown(deviation(values), column));
                }
            }
            for (const Json& numbers : context["paper"])
                if (numbers["row"] == row && numbers["dataset"] == dataset && numbers.contains(column)) {
                    EXPECT_NE(paper.find(shown(numbers[column], column)), std::string::npos) << paper;
                }
        }
        for (const auto& run : runs)
            EXPECT_TRUE(lines.contains({run.at("dataset"), run.at("row")}))
                << name << " has no line for " << run.at("row");
    }
    // Settings and memory are the same for every seed here.
    static bool has_spread(const std::string& column) {
        return !column.starts_with("memory") && !column.ends_with("_every") && !column.ends_with("classes");
    }
    static double mean(const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        return sum / static_cast<double>(values.size());
    }
    static double deviation(const std::vector<double>& values) {
        double squares = 0;
        for (const double v : values) squares += (v - mean(values)) * (v - mean(values));
        return std::sqrt(squares / static_cast<double>(values.size() - 1));
    }

    // Every field of every run, in the order of the file.
    void expect_runs_from_csv(const Json& table) {
        const std::string name = table["experiment"];
        const auto runs = read_table(results_ / (name + ".csv"));
        const std::vector<std::string> columns{"classes",
                                               "base_classes",
                                               "sleep_every",
                                               "evaluate_every",
                                               "omega_base",
                                               "omega_new",
                                               "omega_all",
                                               "omega_base_restricted",
                                               "omega_new_restricted",
                                               "omega_all_restricted",
                                               "oracle_base",
                                               "oracle_new",
                                               "oracle_all",
                                               "offline_accuracy",
                                               "final_accuracy",
                                               "memory_bytes",
                                               "memory_networks",
                                               "memory_statistics",
                                               "memory_examples",
                                               "memory_other"};
        ASSERT_EQ(table["rows"].size(), runs.size()) << name;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const Json& cells = table["rows"][i];
            ASSERT_EQ(cells.size(), columns.size() + 3);
            EXPECT_EQ(cells[0], runs[i].at("row"));
            EXPECT_EQ(cells[2], runs[i].at("seed"));
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const std::string& field = runs[i].at(columns[c]);
                EXPECT_EQ(cells[c + 3], field.empty() ? "\u2013" : shown(std::stod(field), columns[c]))
                    << name << i;
            }
        }
    }

    // Line name to number of points, of a plot.
    static std::map<std::string, int> lines_of(const Json& seen, const std::string& file) {
        std::map<std::string, int> lines;
        for (const Json& plot : seen["plots"])
            if (plot["file"] == file)
                for (const Json& line : plot["wide"]["lines"]) lines[line[0]] = line[1];
        return lines;
    }
    static std::size_t dots_of(const Json& seen, const std::string& file, const std::string& whose) {
        std::size_t count = 0;
        for (const Json& plot : seen["plots"])
            if (plot["file"] == file)
                for (const Json& dot : plot["wide"]["dots"]) count += dot[0] == whose ? 1 : 0;
        return count;
    }

    fs::path results_;
};

TEST_F(BrowserPage, shows_every_number_of_the_csv_files) {
    const Json seen = look(1280, false);
    std::map<std::string, int> kinds;
    for (const Json& table : seen["tables"]) {
        ++kinds[table["kind"]];
        table["kind"] == "runs" ? expect_runs_from_csv(table) : expect_cells_from_csv(table);
    }
    EXPECT_EQ(kinds, (std::map<std::string, int>{{"compare", 10}, {"overview", 1}, {"runs", 10}}));
}

TEST_F(BrowserPage, draws_every_row_and_session_of_the_csv_files) {
    const Json seen = look(1280, false);
    for (const char* name : {"soa", "multimodal"}) {
        std::map<std::string, std::map<std::string, std::set<std::string>>> sessions;  // data set, row
        for (const auto& s : read_table(results_ / (std::string(name) + "_sessions.csv")))
            sessions[s.at("dataset")][s.at("row")].insert(s.at("session"));
        for (const auto& [dataset, rows] : sessions) {
            std::string file = std::string(name) + "-" + dataset + ".svg";
            std::replace(file.begin(), file.end(), '+', '-');
            const std::map<std::string, int> lines = lines_of(seen, file);
            EXPECT_EQ(lines.size(), rows.size() + 1) << file;  // and the offline MLP
            for (const auto& [row, of] : rows) {
                ASSERT_TRUE(lines.contains(row)) << file << " lacks " << row;
                EXPECT_EQ(lines.at(row), static_cast<int>(of.size())) << file << row;
            }
        }
    }
    const std::map<std::string, int> four{{"\u03a9 base", 4}, {"\u03a9 new", 4}, {"\u03a9 all", 4}};
    const std::map<std::string, int> three{{"\u03a9 base", 3}, {"\u03a9 new", 3}, {"\u03a9 all", 3}};
    EXPECT_EQ(lines_of(seen, "sleep-frequency-cub200.svg"), four);
    EXPECT_EQ(lines_of(seen, "base-size-cub200.svg"), three);
    EXPECT_EQ(dots_of(seen, "memory-cifar100.svg", "ours"), 4u);  // two rows, two panels
    EXPECT_EQ(dots_of(seen, "memory-cifar100.svg", "paper"), 4u);
    EXPECT_EQ(dots_of(seen, "oracle.svg", "ours"), 18u);  // three data sets, router and oracle, three scores
    EXPECT_EQ(dots_of(seen, "oracle.svg", "paper"), 2u);
    EXPECT_EQ(dots_of(seen, "routers-cifar100.svg", "ours"), 6u);
}

TEST_F(BrowserPage, reads_well_at_both_widths_in_light_and_dark) {
    std::set<std::string> grounds;
    for (const bool dark : {false, true})
        for (const int width : {1280, 360}) {
            SCOPED_TRACE(fmt::format("{} px, {}", width, dark ? "dark" : "light"));
            const Json seen = look(width, dark);
            ASSERT_TRUE(seen.is_object());
            expect_readable(seen, width);
            grounds.insert(seen["background"]);
        }
    EXPECT_EQ(grounds.size(), 2u) << "dark looks like light";
}

}  // namespace
}  // namespace fearnet::test
