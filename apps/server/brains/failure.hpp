// An answer that is an error.
#pragma once

#include <stdexcept>
#include <string>

#include "server/http/message.hpp"

namespace fearnet::server {

class Failure : public std::runtime_error {
  public:
    Failure(int status, const std::string& detail) : std::runtime_error(detail), status_(status) {}
    int status() const { return status_; }

  private:
    int status_;
};

// The response to the exception that is being handled. `brain` and `path`: a message about the file itself
// names the brain instead of the path, and is an error of the server. `request` tells why work was cancelled.
Response failure_response(const Request& request, const std::string& brain = "",
                          const std::string& path = "");

// Runs `work`; what it throws becomes the response.
template <class Work>
Response guarded(const Request& request, const std::string& brain, const std::string& path,
                 const Work& work) {
    try {
        return work();
    } catch (...) {
        return failure_response(request, brain, path);
    }
}

}  // namespace fearnet::server
