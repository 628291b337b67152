// Where a command writes its result: a file, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fearnet/output_file.hpp"

namespace fearnet::cli {

// "", "-" and "/dev/stdout" are standard output.
bool is_standard_output(const std::string& name);

// Standard output, or a file that appears whole at finish() or not at all (see OutputFile). Every function
// throws Error when it cannot write.
class Output {
  public:
    explicit Output(const std::string& name);
    void write(std::string_view bytes);
    // Hands what was written to the reader of a pipe.
    void flush();
    void finish();
    bool is_file() const { return file_.has_value(); }

  private:
    std::optional<OutputFile> file_;  // none: standard output
    std::string waiting_;
};

}  // namespace fearnet::cli
