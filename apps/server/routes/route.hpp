// The routes of the server: one table for requests, metrics and the OpenAPI description.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/brains/brain_service.hpp"
#include "server/http/message.hpp"

namespace fearnet::server {

class Application;

// One request at work.
struct Call {
    Application& app;
    std::shared_ptr<Request> request;
    std::shared_ptr<BrainService> brain;  // null for routes without one
    Reply reply;
};

enum class BodyKind { none, inputs, labeled_inputs, json };

struct QueryParameter {
    const char* name;
    const char* text;
};

struct Route {
    const char* method;
    const char* pattern;  // "/v1/brains/{brain}/predict"
    const char* id;       // "predict"
    const char* summary;
    const char* answer;  // what a successful answer holds
    void (*handle)(const Call& call);
    bool open = false;     // needs no token
    bool changes = false;  // refused for a brain that is only read
    BodyKind body = BodyKind::none;
    std::vector<QueryParameter> query = {};
    std::vector<QueryParameter> keys = {};  // of a body of kind json
    const char* answer_type = "application/json";
};

const std::vector<Route>& routes();

// A response with `json`; with the number of the state of `brain` in a header.
Response json_response(const apps::Json& json);
Response json_response(const apps::Json& json, const Brain& brain);
bool is_taught(const Brain& brain);

// Runs `work` on a thread of the workers; what it throws becomes the response.
void run_later(const Call& call, std::function<Response()> work);

// The handlers, by file.
void handle_predict(const Call& call);
void handle_learn(const Call& call);
void handle_review_labels(const Call& call);
void handle_discover(const Call& call);
void handle_sleep(const Call& call);
void handle_forget(const Call& call);
void handle_rename(const Call& call);
void handle_merge(const Call& call);
void handle_info(const Call& call);
void handle_history(const Call& call);
void handle_review(const Call& call);
void handle_map(const Call& call);
void handle_check(const Call& call);
void handle_export(const Call& call);
void handle_snapshot(const Call& call);
void handle_events(const Call& call);
void handle_brains(const Call& call);
void handle_new_brain(const Call& call);
void handle_openapi(const Call& call);
void handle_health(const Call& call);
void handle_ready(const Call& call);
void handle_metrics(const Call& call);
void handle_page(const Call& call);
void handle_asset(const Call& call);

}  // namespace fearnet::server
