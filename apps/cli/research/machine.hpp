// What the report says about where and when it was made.
#pragma once

#include <string>

namespace fearnet::cli {

// "0.1.0 (1a2b3c4)": with the commit it was built from, "-dirty" when that had been changed.
std::string version();
// "2018-02-15T09:30:00Z"
std::string utc_now();
// As the system calls it; "" where it does not say.
std::string cpu_name();
// The arguments as one line that a shell would read back.
std::string quoted_command_line(int argc, const char* const* argv);

}  // namespace fearnet::cli
