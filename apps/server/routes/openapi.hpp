// The description of the routes for programs.
#pragma once

#include "common/json.hpp"

namespace fearnet::server {

// An OpenAPI 3.1 document, made from routes().
apps::Json openapi();

}  // namespace fearnet::server
