#include "fearnet/registry.hpp"

#include <algorithm>
#include <sstream>

#include "core/learners/joined.hpp"
#include "fearnet/fearnet_options.hpp"

namespace fearnet {

std::vector<std::string> preset_names() {
    return {"cifar100", "cub200", "audioset", "literal"};
}

std::vector<std::string> split_presets(const std::string& names) {
    const std::vector<std::string> known = preset_names();
    std::vector<std::string> result;
    std::stringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error("preset '" + name + "': no such preset; there are " + joined(known));
        result.push_back(name);
    }
    return result;
}

// The supplement's table; what all columns share are the defaults. "literal" is the paper as printed, where
// ours differs; but biases are zero, since nothing is learned with ones.
std::vector<Preset> FearNetOptions::presets() {
    return {
        {"cifar100",
         {{"network.hidden", "140,130"},
          {"training.batch", "450"},
          {"sleep.code_anchor",
           "30"},  // 500 rows a class suffice to learn new classes and hold on to the old
          {"amygdala.recent_weight", "0.45"}}},
        {"cub200", {{"network.hidden", "350,300"}, {"training.batch", "200"}}},
        {"audioset",
         {{"network.hidden", "300,100"},
          {"training.batch", "450"},
          {"sleep.code_anchor", "30"},
          {"amygdala.recent_weight", "0.35"}}},  // see docs/results.md, "Searches of settings"
        {"literal",
         {{"training.base_epochs", "1000"},
          {"training.min_steps", "0"},
          {"training.base_decay", "none"},
          {"training.base_decoder_rate", "0.01"},
          {"sleep.epochs", "60"},
          {"sleep.min_steps", "0"},
          {"sleep.decay", "none"},
          {"sleep.borrow_residuals", "false"},
          {"sleep.soft_targets", "0"},
          {"sleep.code_anchor", "0"},
          {"sleep.fresh", "false"},
          {"statistics.mean_residual", "false"},
          {"statistics.refresh", "reencode"},
          {"statistics.refresh_samples", "0"},
          {"amygdala.input", "features"},
          {"amygdala.standardize", "false"},
          {"amygdala.held_out", "0"},
          {"amygdala.min_steps", "0"}}},
    };
}

FearNetOptions fearnet_preset(const std::string& names) {
    return preset_options<FearNetOptions>(names);
}

}  // namespace fearnet
