// Messages of the library for people who use a program.
#pragma once

#include <string>

namespace fearnet::apps {

// "Brain::forget: no class is called 'owl'" without the name of the C++ function.
std::string without_function(const std::string& message);

}  // namespace fearnet::apps
