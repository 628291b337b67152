// Every hyperparameter of the Fixed Expansion Layer network.
#pragma once

#include <cstdint>
#include <string>

#include "fearnet/options.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct FelOptions {
    std::int64_t hidden = 1795;
    std::int64_t max_classes = 100;
    std::int64_t connections = 10;
    double firing = 0.05;
    double high = 1;
    double low = -1;
    bool standardize = true;
    double rate = 0.01;
    std::int64_t batch = 8;
    std::int64_t base_epochs = 5;
    double base_hidden_rate = 1;
    std::int64_t epochs = 1;
    double later_rate = 1;
    double hidden_rate = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("fel.hidden", hidden, "H: units of the trained hidden layer.", 1, 65536);
        v.option(
            "fel.max_classes", max_classes,
            "K of the fixed layer's size (H^2 + H K) / K: how many classes are expected. More can be taught.",
            1, 1000000);
        v.option("fel.connections", connections,
                 "Hidden units that each fixed unit is wired to, with weights +w or -w.", 1, 65536);
        v.option("fel.firing", firing,
                 "Share of the fixed units that fire: half of them those with the largest input, half the "
                 "smallest.",
                 0, 1);
        v.option("fel.high", high, "What a unit with one of the largest inputs fires.", -1000, 1000);
        v.option("fel.low", low, "What a unit with one of the smallest inputs fires.", -1000, 1000);
        v.option("fel.standardize", standardize,
                 "Scale the hidden layer's first weights so that over the first session every unit's input "
                 "has mean 0 "
                 "and deviation 1; without it all rows fire the same units.");
        v.option("fel.rate", rate, "Learning rate of plain gradient descent.", 1e-8, 1000);
        v.option("fel.batch", batch, "Rows per training step.", 1, 65536);
        v.option("fel.base_epochs", base_epochs,
                 "Passes over the first session; the rate falls linearly to a hundredth.", 0, 100000);
        v.option("fel.base_hidden_rate", base_hidden_rate,
                 "The hidden layer's rate in the first session, as a share of the output's.", 0, 1000);
        v.option("fel.epochs", epochs, "Passes over every later session.", 0, 100000);
        v.option("fel.later_rate", later_rate,
                 "The rate in later sessions, as a share of fel.rate: smaller keeps the old classes better, "
                 "learns the "
                 "newest less well.",
                 0, 1000);
        v.option(
            "fel.hidden_rate", hidden_rate,
            "The hidden layer's rate in later sessions, as a share of the output's; 0 keeps it as it is.", 0,
            1000);
    }
    // The paper's range of H, and what decides between keeping and learning.
    static std::vector<SearchRange> search_space() {
        return {{"fel.hidden", {"64", "256", "600", "1200", "1795"}},
                {"fel.later_rate", {"0.1", "0.3", "1"}}};
    }
    // The expected number of classes and sizes that go with it.
    static std::vector<Preset> presets() {
        return {{"cifar100",
                 {{"fel.max_classes", "100"}, {"fel.later_rate", "0.1"}}},  // 500 rows a class: many steps
                {"audioset", {{"fel.max_classes", "100"}}},
                {"cub200", {{"fel.hidden", "1000"}, {"fel.max_classes", "200"}, {"fel.rate", "0.05"}}}};
    }
};

}  // namespace fearnet::lab
