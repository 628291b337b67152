// Seeds for the fuzzers of saved states (every kind of learner) and brains, as small as they get.
//   usage: fuzz_state_seeds STATES [BRAINS]
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/brain/sqlite.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/data/state_file.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"

namespace {

using namespace fearnet;
using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kWidth = 2, kRows = 3;

void teach(Learner& learner, std::vector<ClassId> classes, Rng& rng) {
    Matrix x(classes.size() * kRows, kWidth);
    std::vector<ClassId> labels;
    for (std::size_t i = 0; i < x.rows(); ++i) {
        labels.push_back(classes[i / kRows]);
        for (std::size_t j = 0; j < kWidth; ++j)
            x(i, j) = static_cast<float>(rng.normal() + 4 * index_of(labels.back()));
    }
    learner.learn({x, labels});
}

void write(const std::string& file, const std::string& name, const Settings& settings, bool incremental) {
    const std::unique_ptr<Learner> learner = make_learner({name, "", settings, 1});
    Rng rng(1);
    teach(*learner, {ClassId{0}, ClassId{1}}, rng);
    if (incremental) teach(*learner, {ClassId{2}}, rng);
    State state = learner->save();
    // Defaults need not stand in the file: a small seed is changed where it matters more often.
    std::erase_if(state.texts, [&](const auto& entry) {
        for (const auto& [key, value] : settings)
            if (entry.first == "option." + key) return false;
        return entry.first.starts_with("option.");
    });
    save_state(state, file);
}

const Settings kSmall = {{"network.hidden", "2"}, {"training.base_epochs", "1"}, {"training.min_steps", "0"}};

Settings small_with(const Settings& more) {
    Settings all = kSmall;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void write_all(const std::string& folder) {
    write(folder + "/fearnet", "fearnet", small_with({{"amygdala.epochs", "1"}}), true);
    write(folder + "/fearnet_base", "fearnet", small_with({{"statistics.covariance", "diagonal"}}), false);
    for (const char* kind : {"isolation-forest", "elliptic-envelope", "one-class-svm"})
        write(folder + "/fearnet_" + kind, "fearnet",
              small_with({{"amygdala.kind", kind}, {"amygdala.trees", "2"}}), true);
    for (const char* name : {"nearest-neighbor", "nearest-mean", "streaming-lda", "ridge", "fecam"})
        write(folder + "/" + name, name, {}, true);
    write(folder + "/fearnet-plus", "fearnet-plus", {{"covariance.strength", "0.4"}}, true);
    write(folder + "/fearnet-plus_random", "fearnet-plus",
          {{"features.transform", "random"}, {"features.random", "4"}, {"covariance.strength", "0.4"}}, true);
    write(folder + "/fearnet-plus_pieces", "fearnet-plus",
          {{"features.transform", "random"}, {"features.random", "3"}, {"features.frames", "2"}}, true);
    write(folder + "/ranpac", "ranpac", {{"ranpac.size", "3"}}, true);
    write(folder + "/fel", "fel", {{"fel.hidden", "2"}, {"fel.max_classes", "3"}, {"fel.connections", "1"}},
          true);
    for (const char* name : {"geppnet", "geppnet-stm"})
        write(folder + "/" + name, name, {{"map.side", "2"}, {"readout.base_iterations", "9"}}, true);
    write(folder + "/icarl", "icarl", {{"icarl.hidden", "2"}, {"icarl.epochs", "1"}}, true);
    write(folder + "/offline-mlp", "offline-mlp", {{"network.hidden", "2"}, {"training.offline_epochs", "1"}},
          false);
}

// Pages as small as they get: the fuzzer changes what matters more often.
void write_brain(const std::string& file, const std::string& learner, bool recent) {
    std::filesystem::remove(file);
    BrainOptions options;
    options.learner.learner = learner;
    options.learner.settings = learner == "fearnet" ? small_with({{"amygdala.epochs", "1"}})
                                                    : Settings{{"covariance.strength", "0.4"}};
    {
        Brain brain(file, create_new(options));
        Matrix x(6, kWidth);
        Rng rng(1);
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(rng.normal());
        brain.learn(x, {"a", "a", "a", "b", "b", "b"});
        if (recent) brain.learn(x.view().slice(0, 2), {"c", "c"});
    }
    io::Database(file, io::DatabaseAccess::write, std::chrono::seconds(1))
        .run("PRAGMA page_size=512; VACUUM");
}

}  // namespace

int main(int argc, char** argv) try {
    fearnet::lab::register_learners();
    if (argc != 2 && argc != 3) return std::fprintf(stderr, "usage: %s STATES [BRAINS]\n", argv[0]), 2;
    if (argc == 3) {
        write_brain(std::string(argv[2]) + "/base", "fearnet", false);
        write_brain(std::string(argv[2]) + "/recent", "fearnet", true);
        write_brain(std::string(argv[2]) + "/plus", "fearnet-plus", true);
    }
    write_all(argv[1]);
    return 0;
} catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
