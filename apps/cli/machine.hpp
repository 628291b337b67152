// What the report says about where and when it was made.
#pragma once

#include <string>

namespace fearnet::cli {

std::string version();
// "2018-02-15T09:30:00Z"
std::string utc_now();
// As the system calls it; "" where it does not say.
std::string cpu_name();
// The arguments as one line that a shell would read back.
std::string quoted_command_line(int argc, const char* const* argv);

}  // namespace fearnet::cli
