#include "server/routes/route.hpp"

#include <fmt/format.h>

#include "server/application.hpp"
#include "server/brains/failure.hpp"

namespace fearnet::server {

const std::vector<Route>& routes() {
    static const QueryParameter kDeadline{"deadline",
                                          "Seconds; work that is not finished by then is cancelled (504)."};
    static const QueryParameter kLabel{"label", "The class of all inputs."};
    static const QueryParameter kWidth{
        "width", "Numbers in a row of application/octet-stream, before the first session."};
    static const std::vector<Route> kRoutes{
        {"GET", "/v1/brains", "brains", "List the brains.", "The brains.", &handle_brains},
        {"POST",
         "/v1/brains",
         "new_brain",
         "Make a new brain in the folder of the server.",
         "The new brain.",
         &handle_new_brain,
         false,
         false,
         BodyKind::json,
         {},
         {{"name", "Letters, digits, '-', '_' and '.'; the file is NAME.brain."},
          {"features", "Input: image, sound, text, the name of a model, text:ngrams or raw (default)."},
          {"learner", "The learner; default fearnet-plus."},
          {"options", "Options of the learner and of the brain, as texts."}}},
        {"POST",
         "/v1/brains/{brain}/predict",
         "predict",
         "Predict the classes of rows, photographs, sounds or texts.",
         "An answer for each input that can be read.",
         &handle_predict,
         false,
         false,
         BodyKind::inputs,
         {{"top", "Number of classes in an answer; default 1."},
          {"confidence",
           "Instead of the most probable classes, the set that holds the right one with this probability, "
           "such as 90%."},
          {"unknown",
           "Rows that look less familiar than this share of the taught rows are unknown; default: "
           "open.unknown of the brain."},
          {"explain", "1: which memory answered (learner fearnet)."},
          kDeadline}},
        {"POST",
         "/v1/brains/{brain}/learn",
         "learn",
         "Teach one session.",
         "What was taught.",
         &handle_learn,
         false,
         true,
         BodyKind::labeled_inputs,
         {kLabel,
          {"skip_suspicious", "1: inputs whose labels are probably wrong are left out."},
          {"dry_run", "1: nothing is taught; tells what the brain thinks of the inputs."},
          kWidth,
          kDeadline}},
        {"POST",
         "/v1/brains/{brain}/sleep",
         "sleep",
         "Consolidate the recent examples and delete them.",
         "Whether there was something to consolidate.",
         &handle_sleep,
         false,
         true,
         BodyKind::none,
         {kDeadline}},
        {"POST",
         "/v1/brains/{brain}/forget",
         "forget",
         "Remove a class.",
         "The new state.",
         &handle_forget,
         false,
         true,
         BodyKind::json,
         {kDeadline},
         {{"label", "The class."}}},
        {"POST",
         "/v1/brains/{brain}/rename",
         "rename",
         "Rename a class.",
         "The new state.",
         &handle_rename,
         false,
         true,
         BodyKind::json,
         {kDeadline},
         {{"from", "The present name."}, {"to", "The new name."}}},
        {"POST",
         "/v1/brains/{brain}/merge",
         "merge",
         "Merge one class into another; this cannot be undone.",
         "The new state.",
         &handle_merge,
         false,
         true,
         BodyKind::json,
         {kDeadline},
         {{"from", "The class that goes."}, {"into", "The class that stays."}}},
        {"GET", "/v1/brains/{brain}/review", "review", "How well each class is known.", "A report.",
         &handle_review},
        {"POST",
         "/v1/brains/{brain}/review",
         "review_labels",
         "Find labels that are probably wrong, without teaching.",
         "The suspects.",
         &handle_review_labels,
         false,
         false,
         BodyKind::labeled_inputs,
         {kLabel, kDeadline}},
        {"POST",
         "/v1/brains/{brain}/discover",
         "discover",
         "Group inputs that are alike and like nothing that was taught.",
         "The groups.",
         &handle_discover,
         false,
         false,
         BodyKind::inputs,
         {{"below", "Only rows whose familiarity is below this number are grouped; default 0.2."},
          {"min_rows", "Smaller groups are left out; default 3."},
          kDeadline}},
        {"GET", "/v1/brains/{brain}/info", "info", "Classes, memory, history and whether sleep is due.",
         "A report.", &handle_info},
        {"GET", "/v1/brains/{brain}/history", "history", "Every change of the brain.",
         "The changes, oldest first.", &handle_history},
        {"GET", "/v1/brains/{brain}/map", "map", "The classes as points of a plane.",
         "The points; none for learners without whitened means.", &handle_map},
        {"GET", "/v1/brains/{brain}/check", "check", "Verify every checksum of the file.",
         "The problems found.", &handle_check},
        {.method = "GET",
         .pattern = "/v1/brains/{brain}/export.onnx",
         .id = "export",
         .summary = "The brain as an ONNX model.",
         .answer = "The model.",
         .handle = &handle_export,
         .answer_type = "application/octet-stream"},
        {.method = "GET",
         .pattern = "/v1/brains/{brain}/snapshot",
         .id = "snapshot",
         .summary = "A consistent copy of the brain file.",
         .answer = "The file.",
         .handle = &handle_snapshot,
         .answer_type = "application/octet-stream"},
        {.method = "GET",
         .pattern = "/v1/brains/{brain}/events",
         .id = "events",
         .summary = "Server-sent events: state, progress, done.",
         .answer = "The events.",
         .handle = &handle_events,
         .answer_type = "text/event-stream"},
        {"GET", "/openapi.json", "openapi", "This description.", "An OpenAPI 3.1 document.", &handle_openapi,
         true},
        {"GET", "/healthz", "healthz", "Whether the server answers.", "Its status.", &handle_health, true},
        {"GET", "/readyz", "readyz", "Whether the server takes work; 503 while it stops.", "Its status.",
         &handle_ready, true},
        {.method = "GET",
         .pattern = "/metrics",
         .id = "metrics",
         .summary = "Counters for Prometheus, with --metrics.",
         .answer = "Text format 0.0.4.",
         .handle = &handle_metrics,
         .answer_type = "text/plain"},
        {.method = "GET",
         .pattern = "/",
         .id = "page",
         .summary = "The page for people.",
         .answer = "HTML.",
         .handle = &handle_page,
         .open = true,
         .answer_type = "text/html"},
        {.method = "GET",
         .pattern = "/assets/{name}",
         .id = "asset",
         .summary = "A file of the page.",
         .answer = "The file.",
         .handle = &handle_asset,
         .open = true,
         .answer_type = "text/javascript"},
    };
    return kRoutes;
}

Response json_response(const apps::Json& json) {
    return {.body = printable_lines(json.dump()) + "\n"};
}

Response json_response(const apps::Json& json, const Brain& brain) {
    Response response = json_response(json);
    response.headers.push_back({"FearNet-State", std::to_string(brain.changes())});
    return response;
}

bool is_taught(const Brain& brain) {
    return brain.learner().width() != 0;
}

void run_later(const Call& call, std::function<Response()> work) {
    const bool runs = call.app.workers().run([call, work = std::move(work)] {
        const std::string name = call.brain ? call.brain->name() : "",
                          path = call.brain ? call.brain->path().string() : "";
        call.reply(guarded(*call.request, name, path, [&]() -> Response {
            if (call.request->cancellation->cancelled()) throw Cancelled("serve");
            return work();
        }));
    });
    if (runs) return;
    Response busy = problem(503, "too much work waits; try again later");
    busy.headers.push_back({"Retry-After", "1"});
    call.reply(std::move(busy));
}

}  // namespace fearnet::server
