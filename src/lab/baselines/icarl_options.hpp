// Every hyperparameter of iCaRL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fearnet/options.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct IcarlOptions {
    std::int64_t exemplars = 20;
    std::vector<std::int64_t> hidden = {350, 300};
    double dropout = 0.25;
    double rate = 2e-3;
    std::int64_t batch = 450;
    std::int64_t base_epochs = 60;
    std::int64_t base_min_steps = 1500;
    std::int64_t epochs = 5;
    bool falling_rate = true;
    bool distill = true;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("icarl.exemplars", exemplars, "Exemplars stored per class, chosen by herding.", 1, 1000000);
        v.option("icarl.hidden", hidden, "Units of the hidden layers; the last one is the representation.", 1,
                 65536);
        v.option("icarl.dropout", dropout, "Probability of dropping a hidden unit in training.", 0, 0.95);
        v.option("icarl.rate", rate, "Learning rate of NAdam.", 1e-8, 1);
        v.option("icarl.batch", batch, "Rows per training step.", 1, 65536);
        v.option("icarl.base_epochs", base_epochs, "Epochs of the first session.", 0, 100000);
        v.option("icarl.base_min_steps", base_min_steps,
                 "Minimum number of steps of the first session: small data gets more epochs.", 0, 10000000);
        v.option("icarl.epochs", epochs, "Epochs of every later session, over its rows and all exemplars.", 0,
                 100000);
        v.option("icarl.falling_rate", falling_rate,
                 "The learning rate falls linearly to a hundredth over each session.");
        v.option("icarl.distill", distill,
                 "Targets of old classes in later sessions: the outputs of the previous network (true) or "
                 "the labels (false).");
    }
    // The paper's ranges of units, layers and dropout (it prints what is kept).
    static std::vector<SearchRange> search_space() {
        return {{"icarl.hidden",
                 {"64,64", "140,130", "256,256", "300,100", "350,300", "512,512", "1024,1024", "256,256,256",
                  "256,256,256,256"}},
                {"icarl.dropout", {"0", "0.25", "0.5"}}};
    }
    // The layer sizes of FearNet's encoder.
    static std::vector<Preset> presets() {
        return {{"cifar100", {{"icarl.hidden", "140,130"}}},
                {"cub200", {{"icarl.hidden", "350,300"}}},
                {"audioset", {{"icarl.hidden", "300,100"}}}};
    }
};

}  // namespace fearnet::lab
