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
    double active_share = 0.05;
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
        v.option("fel.max_classes", max_classes,
                 "K: expected number of classes, which sets the size (H^2 + H K) / K of the fixed layer. "
                 "More classes can be taught.",
                 1, 1000000);
        v.option("fel.connections", connections,
                 "Hidden units connected to each fixed unit, with weights +w or -w.", 1, 65536);
        v.option("fel.active_share", active_share,
                 "Share of the fixed units that fire: half of them those with the largest inputs, half "
                 "those with the smallest.",
                 0, 1);
        v.option("fel.high", high, "Output of the units with the largest inputs.", -1000, 1000);
        v.option("fel.low", low, "Output of the units with the smallest inputs.", -1000, 1000);
        v.option("fel.standardize", standardize,
                 "Scales the initial hidden layer so that the input of every unit has mean 0 and standard "
                 "deviation 1 over the first session. Without it the same units fire for all rows.");
        v.option("fel.rate", rate, "Learning rate of plain gradient descent.", 1e-8, 1000);
        v.option("fel.batch", batch, "Rows per training step.", 1, 65536);
        v.option("fel.base_epochs", base_epochs,
                 "Epochs of the first session; the learning rate falls linearly to a hundredth.", 0, 100000);
        v.option("fel.base_hidden_rate", base_hidden_rate,
                 "Learning rate of the hidden layer in the first session, as a multiple of that of the "
                 "output layer.",
                 0, 1000);
        v.option("fel.epochs", epochs, "Epochs of every later session.", 0, 100000);
        v.option("fel.later_rate", later_rate,
                 "Learning rate in later sessions, as a multiple of fel.rate. A smaller value keeps old "
                 "classes better and learns the newest less well.",
                 0, 1000);
        v.option("fel.hidden_rate", hidden_rate,
                 "Learning rate of the hidden layer in later sessions, as a multiple of that of the output "
                 "layer. 0: the hidden layer is fixed.",
                 0, 1000);
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
