// The commands of this folder speak of the lab's things by their short names.
#pragma once

namespace fearnet::lab {}

namespace fearnet::cli {

using namespace lab;

}  // namespace fearnet::cli
