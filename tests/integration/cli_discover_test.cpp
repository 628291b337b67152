// Groups of unknown rows, and rows to label.
#include <nlohmann/json.hpp>

#include "fearnet/data/table.hpp"
#include "integration/cli_process.hpp"
#include "support/blobs.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kWidth = 16, kKnown = 12, kNew = 2, kRows = 10;

class CliDiscover : public CliTest {
  protected:
    // A brain of kKnown classes. Some rows of the last two of them and of kNew others are in pool.npy.
    void make_brain() {
        const Examples e = blobs(0, kKnown, 15, kWidth, 1);
        std::ofstream csv(folder_ / "base.csv");
        for (std::size_t i = 0; i < e.x.rows(); ++i) {
            for (std::size_t j = 0; j < kWidth; ++j) csv << e.x(i, j) << ',';
            csv << "class " << index_of(e.labels[i]) << '\n';
        }
        csv.close();
        ASSERT_EQ(run({"new", brain_}).code, 0);
        const Outcome learned = run({"learn", brain_, (folder_ / "base.csv").string(), "--quiet"});
        ASSERT_EQ(learned.code, 0) << learned.err;
        write_rows(pool_, blobs(kKnown - 2, 2 + kNew, kRows, kWidth, 2).x);
    }

    std::string brain_ = (folder_ / "a.brain").string(), pool_ = (folder_ / "pool.npy").string();
};

TEST_F(CliDiscover, groups_are_written_as_files_that_learn_reads) {
    make_brain();
    const std::string groups = (folder_ / "groups").string();
    const Outcome found = run({"discover", brain_, pool_, "--below", "1", "--out", groups});
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_EQ(times_said(found.out, "look alike and like nothing you taught (nearest: 'class "), kNew)
        << found.out;
    const std::string index = slurp(groups + "/index.csv");
    EXPECT_TRUE(index.starts_with("group,row,spread,nearest\n1,")) << index;
    for (std::size_t g = 1; g <= kNew; ++g) {
        const std::string file = groups + "/group_" + std::to_string(g) + ".npy";
        const Outcome learned =
            run({"learn", brain_, file, "--label", "new " + std::to_string(g), "--quiet"});
        EXPECT_EQ(learned.code, 0) << learned.err;
    }
    const Outcome again = run({"discover", brain_, pool_, "--below", "1"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_TRUE(again.out.starts_with("no group among 40 rows")) << again.out;
}

TEST_F(CliDiscover, json_lists_the_rows_of_each_group) {
    make_brain();
    const Outcome found = run({"discover", brain_, pool_, "--below", "1", "--json"});
    ASSERT_EQ(found.code, 0) << found.err;
    const Json json = Json::parse(found.out);
    EXPECT_EQ(json["rows"], 40);
    ASSERT_EQ(json["groups"].size(), kNew);
    for (const Json& group : json["groups"]) {
        EXPECT_GT(group["rows"].size(), 7u);
        const std::size_t of = group["rows"][0].get<std::size_t>() / kRows;
        EXPECT_GE(of, 2u);
        for (const Json& row : group["rows"]) EXPECT_EQ(row.get<std::size_t>() / kRows, of);
    }
}

TEST_F(CliDiscover, suggestions_are_row_numbers) {
    make_brain();
    const Outcome plain = run({"suggest", brain_, pool_, "--count", "4"});
    ASSERT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(lines_in(plain.out), 4u);
    const Outcome json = run({"suggest", brain_, pool_, "--count", "4", "--json"});
    ASSERT_EQ(json.code, 0) << json.err;
    std::string lines;
    const Json parsed = Json::parse(json.out);
    for (const Json& row : parsed["suggested"]) lines += row.dump() + "\n";
    EXPECT_EQ(lines, plain.out);
    const Outcome next = run({"suggest", brain_, pool_, "--count", "1", "--labeled", pool_});
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_EQ(lines_in(next.out), 1u);
}

TEST_F(CliDiscover, mistakes_are_named) {
    make_brain();
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    };
    refused({"discover", brain_, pool_, "--below", "2"}, "--below: '2' is not a number above 0");
    refused({"discover", brain_, pool_, "--below", "x"}, "--below: 'x' is not a number above 0");
    refused({"discover", brain_}, "DATA");
    refused({"suggest", brain_, pool_, "--count", "0"}, "--count");
    refused({"suggest", brain_, pool_, "--labeled", (folder_ / "none.npy").string()}, "none.npy");
    const std::string other = (folder_ / "other.brain").string();
    ASSERT_EQ(run({"new", other, "--learner", "nearest-mean"}).code, 0);
    ASSERT_EQ(run({"learn", other, (folder_ / "base.csv").string(), "--quiet"}).code, 0);
    refused({"discover", other, pool_}, "the learner nearest-mean has no rows in units of the variation");
    refused({"suggest", other, pool_}, "the learner nearest-mean has no rows in units of the variation");
}

}  // namespace
}  // namespace fearnet::test
