// Version, date and machine for reports.
#pragma once

#include <string>

namespace fearnet::cli {

// "0.1.0 (1a2b3c4)": with the commit it was built from, "-dirty" when that had been changed.
std::string version();
// "2018-02-15T09:30:00Z"
std::string utc_now();
// Name of the CPU; "" if unknown.
std::string cpu_name();
// The command line, quoted for a shell.
std::string quoted_command_line(int argc, const char* const* argv);

}  // namespace fearnet::cli
