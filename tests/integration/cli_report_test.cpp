// `fearnet report`: a page from the files of `fearnet paper`, or one clear line and nothing written.
#include "integration/cli_process.hpp"
#include "support/paper_results.hpp"

namespace fearnet::test {
namespace {

class CliReport : public CliTest {
  protected:
    CliReport() : results_(folder_ / "paper-results") { write_made_up_results(results_); }

    void expect_refused(const std::string& told) {
        const Outcome outcome = run({"report", results_.string()});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
    void append(const char* file, const std::string& text) {
        std::ofstream(results_ / file, std::ios::app) << text;
    }
    fs::path results_;
};

TEST_F(CliReport, writes_the_page_and_its_plots) {
    const Outcome outcome = run({"report", results_.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("10 experiments"), std::string::npos) << outcome.out;
    EXPECT_TRUE(slurp(results_ / "report.html").ends_with("</html>\n"));
    for (const char* plot :
         {"soa-cub200.svg", "sleep-frequency-cub200.svg", "memory-cifar100.svg", "oracle.svg"})
        EXPECT_TRUE(slurp(results_ / "plots" / plot).ends_with("</svg>\n")) << plot;
    const std::string first = slurp(results_ / "report.html");
    EXPECT_EQ(run({"report", results_.string()}).code, 0);
    EXPECT_EQ(slurp(results_ / "report.html"), first);
}

TEST_F(CliReport, writes_where_it_is_told_to) {
    EXPECT_EQ(run({"report", results_.string(), "--out", (folder_ / "page/index.html").string()}).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / "page/index.html"));
    EXPECT_TRUE(fs::exists(folder_ / "page/plots/oracle.svg"));
    EXPECT_FALSE(fs::exists(results_ / "report.html"));
    EXPECT_EQ(run({"report", results_.string(), "--out", (folder_ / "page/index.html/a.html").string()}).code,
              2)
        << "a folder cannot be made where a file is";
    EXPECT_EQ(run({"report", results_.string(), "--out", (folder_ / "other/").string()}).code, 2);
    EXPECT_FALSE(fs::exists(folder_ / "other"));
    EXPECT_EQ(run({"report", (folder_ / "nowhere").string()}).code, 2);
    EXPECT_EQ(run({"report"}).code, 2);
}

TEST_F(CliReport, damaged_results_are_refused_with_file_and_line_and_leave_the_old_page) {
    ASSERT_EQ(run({"report", results_.string()}).code, 0);
    const std::string before = slurp(results_ / "report.html");
    append("soa.csv", "soa,FearNet,cub200");
    expect_refused("soa.csv, line 38: expected 27 columns, found 3");
    write_made_up_results(results_);
    append("oracle_sessions.csv", "oracle,FearNet,cub200,1,x,1,,0,0,0,0,,,,,,,0\n");
    expect_refused("column 5 ('session')");
    write_made_up_results(results_);
    append("memory.json", "}");
    expect_refused("memory.json, line ");
    write_made_up_results(results_);
    fs::remove(results_ / "routers.csv");
    expect_refused("routers.csv: missing");
    EXPECT_EQ(slurp(results_ / "report.html"), before);
    std::size_t strange = 0;
    for (const auto& entry : fs::recursive_directory_iterator(results_))
        if (entry.path().filename().string().find(".tmp") != std::string::npos) ++strange;
    EXPECT_EQ(strange, 0u);
}

}  // namespace
}  // namespace fearnet::test
