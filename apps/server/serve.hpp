// `fearnet serve`: listens, and serves until it is told to stop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/application.hpp"

namespace fearnet::server {

struct ServeOptions {
    ApplicationOptions application;
    HttpOptions http;
    std::string token_file, certificate_file, key_file;  // empty: none
    std::string user;                                    // to become after listening; empty: nobody else
};

// Serves until `interrupted` returns true; then finishes what is at work. `say` receives lines for the
// person who started it. Throws Error if it cannot start.
void serve(ServeOptions options, const std::function<bool()>& interrupted,
           const std::function<void(const std::string&)>& say);

}  // namespace fearnet::server
