// A Protocol among the members of a JSON object. Zeros of its variant, and open_world
// if it is false, are left out.
#pragma once

#include <nlohmann/json.hpp>

#include "fearnet/lab/protocol.hpp"

namespace fearnet::lab {

void put_protocol(nlohmann::ordered_json& object, Protocol protocol);
// What is not there stays at its default. Throws Error for values that are not allowed.
Protocol get_protocol(const nlohmann::ordered_json& object);

}  // namespace fearnet::lab
