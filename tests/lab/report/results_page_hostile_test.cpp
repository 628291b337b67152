// Results that somebody else wrote: the page shows them and runs nothing of them.
#include <gtest/gtest.h>

#include "fearnet/error.hpp"
#include "fearnet/lab/results_page.hpp"
#include "support/data_files.hpp"
#include "support/paper_results.hpp"
#include "support/xml.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

// A script, an attribute's end, an escape sequence, C1, a bidirectional override.
const std::string kHostile = "<script>alert(1)</script>\"><u>x\x1b]0;x\x07\x7f\xc2\x9b\xe2\x80\xae";

TEST(HostileResults, are_text_on_the_page_and_in_every_plot) {
    const test::TempFolder folder;
    test::MadeUpExperiment one("covariance", {"cifar100"},
                                  {{kHostile, "fearnet"}, {"Diagonal", "fearnet", 0.7}});
    for (const char* key : {"title", "source"}) one.context[key] = kHostile;
    for (const char* key : {"cpu", "version", "date"}) one.context["context"][key] = kHostile;
    one.context["runs"][0]["options"] = {{kHostile, kHostile}};
    one.context["missing"].push_back(
        {{"row", kHostile}, {"dataset", kHostile}, {"seed", 4}, {"reason", kHostile}});
    one.write(folder.path());
    const ResultsPage page = results_page(folder.path());
    ASSERT_FALSE(page.plots.empty());
    std::vector<std::string> texts{page.html};
    for (const auto& [name, svg] : page.plots) {
        EXPECT_EQ(test::fault_in(svg), "") << name;
        EXPECT_EQ(name.find('/'), std::string::npos) << name;
        texts.push_back(svg);
    }
    for (const std::string& text : texts) {
        EXPECT_EQ(text.find("<script>alert"), std::string::npos);
        EXPECT_EQ(text.find("\"><u>"), std::string::npos);
        EXPECT_EQ(printable_lines(text), text);
    }
    EXPECT_NE(page.html.find("&lt;script&gt;alert"), std::string::npos);
}

TEST(HostileResults, a_page_follows_no_link_out_of_its_folder) {
    const test::TempFolder folder;
    test::MadeUpExperiment("covariance", {"cifar100"}, {{"Full", "fearnet"}, {"Diagonal", "fearnet", 0.7}})
        .write(folder.path());
    const ResultsPage page = results_page(folder.path());
    std::filesystem::create_directories(folder / "page");
    std::filesystem::create_directories(folder / "elsewhere");
    std::filesystem::create_symlink(folder / "elsewhere", folder / "page/plots");
    test::expect_error([&] { write_results_page(page, folder / "page/index.html"); },
                       {"plots", "symbolic link"});
    EXPECT_TRUE(std::filesystem::is_empty(folder / "elsewhere"));
    std::filesystem::remove(folder / "page/plots");
    write_results_page(page, folder / "page/index.html");
    EXPECT_TRUE(std::filesystem::is_regular_file(folder / "page/plots" / page.plots[0].first));
}

}  // namespace
}  // namespace fearnet
