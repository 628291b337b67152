// 'fearnet models compare'.
#pragma once

#include <string>
#include <vector>

#include "everyday/brain_arguments.hpp"
#include "fearnet/data/models.hpp"

namespace fearnet::cli {

// Embeds the training examples of arguments[0] with each of the models that follow, or with all of that kind
// on this machine; teaches them to a brain in memory, and prints the accuracy that it expects by
// leave-one-out, with the time per input. Recommends the fastest model within one standard error of the most
// accurate one.
int compare_models(const std::vector<std::string>& arguments, bool json, bool quiet);

}  // namespace fearnet::cli
