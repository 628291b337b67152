// Made-up results of every experiment of the paper, written as `fearnet paper` writes them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fearnet/rng.hpp"

namespace fearnet::test {

constexpr const char* kRunsHeader =
    "experiment,row,dataset,learner,preset,settings,seed,classes,base_classes,sleep_every,evaluate_every,"
    "omega_base,omega_new,omega_all,omega_base_restricted,omega_new_restricted,omega_all_restricted,oracle_"
    "base,"
    "oracle_new,oracle_all,offline_accuracy,final_accuracy,memory_bytes,memory_networks,memory_statistics,"
    "memory_examples,memory_other\n";
constexpr const char* kSessionsHeader =
    "experiment,row,dataset,seed,session,classes_seen,class,slept,base,new,all,oracle_base,oracle_new,oracle_"
    "all,"
    "offline_base,offline_new,offline_all,memory_bytes\n";

// A row of a made-up experiment. The levels decide its scores.
struct MadeUpRow {
    std::string row, learner;
    double level = 0.8;
    std::size_t base_classes = 6, sleep_every = 2, evaluate_every = 1;
};

// Collects the three files of an experiment. 12 classes; 10,000 bytes and 1,000 for every class.
class MadeUpExperiment {
  public:
    MadeUpExperiment(std::string name, std::vector<std::string> datasets, std::vector<MadeUpRow> rows,
                     std::vector<int> seeds = {1, 2, 3})
        : name_(std::move(name)) {
        context["name"] = name_;
        context["title"] = "Title of " + name_;
        context["source"] = "Table 2";
        context["context"] = {{"version", "0.1.0 (abc1234)"},
                              {"date", "2026-11-16"},
                              {"cpu", "AMD <EPYC> & co"},
                              {"threads", 1},
                              {"command", "fearnet paper"}};
        context["seeds"] = seeds;
        for (const char* key : {"runs", "paper", "claims", "missing"})
            context[key] = nlohmann::ordered_json::array();
        for (const std::string& dataset : datasets)
            for (const MadeUpRow& row : rows)
                for (const int seed : seeds) add_run(dataset, row, seed);
    }

    void write(const std::filesystem::path& folder) const {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / (name_ + ".csv")) << kRunsHeader << runs;
        std::ofstream(folder / (name_ + "_sessions.csv")) << kSessionsHeader << sessions;
        std::ofstream(folder / (name_ + ".json")) << context.dump(2) << "\n";
    }
    void paper(const std::string& row, const std::string& dataset, nlohmann::ordered_json numbers) {
        numbers["row"] = row;
        numbers["dataset"] = dataset;
        context["paper"].push_back(numbers);
    }
    void claim(const std::string& json) { context["claims"].push_back(nlohmann::ordered_json::parse(json)); }

    std::string runs, sessions;  // lines behind the headers
    nlohmann::ordered_json context;

  private:
    static std::string quoted(const std::string& text) {
        if (text.find_first_of(",\"") == text.npos) return text;
        std::string result = "\"";
        for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
        return result + "\"";
    }
    void add_run(const std::string& dataset, const MadeUpRow& row, int seed) {
        constexpr std::size_t kClasses = 12;
        Rng rng(static_cast<std::uint64_t>(seed) * 1000 + static_cast<std::uint64_t>(row.level * 1e6));
        const bool router = row.learner == "fearnet";
        const auto near = [&](double x) { return x + 0.02 * (rng.uniform() - 0.5); };
        const std::size_t last = kClasses - row.base_classes;
        double memory = 0;
        for (std::size_t t = 0; t <= last; ++t) {
            if (t % row.evaluate_every != 0 && t != last) continue;
            const bool slept = router && t > 0 && row.sleep_every > 0 && t % row.sleep_every == 0;
            memory = 10000 + 1000 * static_cast<double>(row.base_classes + t);
            const auto triple = [&](double x) {
                return fmt::format("{:.6f},{},{:.6f}", near(x), t == 0 ? "" : fmt::format("{:.6f}", near(x)),
                                   near(x));
            };
            sessions +=
                fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.0f}\n", name_, quoted(row.row), dataset,
                            seed, t, row.base_classes + t, t == 0 ? "" : "\"a, class\"", slept ? 1 : 0,
                            triple(0.7 * row.level), router ? triple(0.75 * row.level) : ",,", triple(0.7),
                            memory + (router && !slept && t > 0 ? 5000 : 0));
        }
        std::string scores;
        for (int i = 0; i < 6; ++i) scores += fmt::format("{:.6f},", near(row.level));
        scores += router ? fmt::format("{:.6f},{:.6f},{:.6f},", near(row.level + 0.05),
                                       near(row.level + 0.05), near(row.level + 0.05))
                         : ",,,";
        runs += fmt::format("{},{},{},{},,a=1;b=2,{},{},{},{},{},{}{:.6f},{:.6f},{:.0f},10000,{:.0f},0,0\n",
                            name_, quoted(row.row), dataset, row.learner, seed, kClasses, row.base_classes,
                            row.sleep_every, row.evaluate_every, scores, near(0.7), near(0.6), memory,
                            memory - 10000);
        context["runs"].push_back({{"row", row.row},
                                   {"dataset", dataset},
                                   {"seed", seed},
                                   {"id", fmt::format("{}-{}-{}", dataset, row.row, seed)},
                                   {"learner", row.learner},
                                   {"preset", ""},
                                   {"seconds", {{"base", 61.0}, {"sleep", 62.0}}},
                                   {"options", {{"network.hidden", "12,8"}, {"text", "<b>&"}}}});
    }

    std::string name_;
};

// All nine experiments, with rows that are missing, seeds that are missing, a name full of markup, and an
// experiment of the user's own.
inline void write_made_up_results(const std::filesystem::path& folder) {
    const std::string odd = "1-NN \"<b>&\", odd";
    const std::vector<std::string> three{"cub200", "audioset", "cifar100"};
    MadeUpExperiment soa("soa", three,
                         {{"FearNet", "fearnet", 0.91},
                          {odd, "nearest-neighbor", 0.8, 6, 2, 3},
                          {"iCaRL", "icarl", 0.85},
                          {"RanPAC", "ranpac", 0.95}});
    for (const std::string& dataset : three) {
        soa.paper("FearNet", dataset, {{"omega_base", 0.927}, {"omega_new", 0.824}, {"omega_all", 0.947}});
        soa.paper(odd, dataset, {{"omega_base", 0.878}, {"omega_new", 0.648}, {"omega_all", 0.879}});
        soa.paper("FEL", dataset, {{"omega_base", 0.707}, {"omega_new", 0.999}, {"omega_all", 0.619}});
        soa.context["missing"].push_back(
            {{"row", "FEL"}, {"dataset", dataset}, {"seed", 1}, {"reason", "not <run>"}});
    }
    soa.claim(
        R"({"text": "FearNet > 1-NN", "kind": "greater", "row": "FearNet", "than_row": "iCaRL", "column": "omega_all"})");
    soa.claim(R"({"text": "FearNet is best", "kind": "best", "row": "FearNet", "column": "omega_all"})");
    soa.write(folder);

    MadeUpExperiment oracle("oracle", three, {{"FearNet", "fearnet", 0.91}});
    oracle.paper("FearNet", "cub200", {{"omega_all", 0.891}, {"oracle_all", 0.936}});
    oracle.claim(
        R"({"text": "an oracle is better", "kind": "greater", "row": "FearNet", "column": "oracle_all",
                     "than_column": "omega_all"})");
    oracle.write(folder);

    std::vector<MadeUpRow> sleeps, sizes;
    for (const std::size_t k : {1, 2, 3, 5})
        sleeps.push_back({fmt::format("every {}", k), "fearnet", 0.7 + 0.04 * static_cast<double>(k), 6, k});
    for (const std::size_t n : {2, 5, 8})
        sizes.push_back({fmt::format("{} classes", n), "fearnet", 0.7 + 0.03 * static_cast<double>(n), n});
    MadeUpExperiment sleep("sleep-frequency", {"cub200"}, sleeps, {1, 2});
    sleep.claim(
        R"({"text": "base goes up", "kind": "trend", "column": "omega_base", "over": "sleep_every", "direction": "up"})");
    sleep.claim(
        R"({"text": "new goes down", "kind": "trend", "column": "omega_new", "over": "sleep_every", "direction": "down"})");
    sleep.write(folder);
    MadeUpExperiment("base-size", {"cub200"}, sizes, {1}).write(folder);
    MadeUpExperiment(
        "multimodal", {"cifar100+audioset"},
        {{"CIFAR-100 first", "fearnet", 0.9}, {"AudioSet first", "fearnet", 0.7}, {"mix", "fearnet", 0.8}})
        .write(folder);

    MadeUpExperiment memory("memory", {"cifar100"},
                            {{"FearNet", "fearnet", 0.9}, {"1-NN", "nearest-neighbor", 0.8}}, {1});
    memory.paper("FearNet", "cifar100", {{"memory_bytes", 10.7e6}, {"memory_bytes_1000", 74.4e6}});
    memory.paper("1-NN", "cifar100",
                 {{"memory_bytes", 4.1e9}, {"memory_bytes_1000", 40.9e9}, {"note", "ten times off"}});
    memory.write(folder);
    MadeUpExperiment("covariance", {"cifar100"}, {{"Full", "fearnet", 0.9}, {"Diagonal", "fearnet", 0.8}})
        .write(folder);
    MadeUpExperiment("exemplars", {"cub200"}, {{"1 EPC", "icarl", 0.7}, {"20 EPC", "icarl", 0.8}})
        .write(folder);
    MadeUpExperiment("routers", {"cifar100"},
                     {{"Binary MLP", "fearnet", 0.9}, {"One-Class SVM", "fearnet", 0.7}})
        .write(folder);
    MadeUpExperiment("of-my-own", {"birds & bees"}, {{"FearNet", "fearnet", 0.9}}, {7}).write(folder);
}

}  // namespace fearnet::test
