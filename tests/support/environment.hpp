// Environment variables and programs that tests put in place of the real ones.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "support/data_files.hpp"

namespace fearnet::test {

// Sets a variable for one test.
class Environment {
  public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* old = ::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        if (old_)
            ::setenv(name_, old_->c_str(), 1);
        else
            ::unsetenv(name_);
    }

  private:
    const char* name_;
    std::optional<std::string> old_;
};

// A program called `name`, to put in front of the real one by PATH.
inline void write_program(const TempFolder& folder, const std::string& name, const std::string& body) {
    folder.write(name, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
}

}  // namespace fearnet::test
