// Routes of the server itself: its brains, its health, the page.
#include "common/new_brain.hpp"
#include "server/application.hpp"
#include "server/brains/failure.hpp"
#include "server/http/json_body.hpp"
#include "server/http/target.hpp"
#include "server/routes/openapi.hpp"
#include "server/routes/route.hpp"
#include "server/web/assets.hpp"

namespace fearnet::server {
namespace {

using apps::Json;

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' "
    "blob:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Json entry(const BrainService& service) {
    const std::shared_ptr<const Brain> brain = service.snapshot();
    return {{"name", service.name()},           {"classes", brain->class_names().size()},
            {"state", brain->changes()},        {"sleep_due", brain->sleep_due().value_or("")},
            {"read_only", service.read_only()}, {"input", service.input()}};
}

const char* type_of(const std::string& name) {
    if (name.ends_with(".html")) return "text/html; charset=utf-8";
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    if (name.ends_with(".svg")) return "image/svg+xml";
    if (name.ends_with(".webmanifest")) return "application/manifest+json";
    return "application/octet-stream";
}

Response asset(const std::string& name) {
    for (const Asset& a : assets())
        if (name == a.name)
            return {.type = type_of(name),
                    .body = std::string(a.content),
                    .headers = {{"Content-Security-Policy", kPolicy},
                                {"Referrer-Policy", "no-referrer"},
                                {"Permissions-Policy", "camera=(self), microphone=(self), geolocation=()"},
                                {"Cross-Origin-Opener-Policy", "same-origin"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-cache"}}};
    throw Failure(404, "the page has no file '" + name.substr(0, kMaxNameBytes) + "'");
}

}  // namespace

void handle_brains(const Call& call) {
    Json list = Json::array();
    for (const auto& service : call.app.brains()) list.push_back(entry(*service));
    const ApplicationOptions& o = call.app.options();
    call.reply(json_response(
        {{"brains", std::move(list)}, {"can_create", !o.folder.empty() && !o.service.read_only}}));
}

void handle_new_brain(const Call& call) {
    const JsonBody body = parse_json_body(call.request->body, {"name", "features", "learner", "options"});
    apps::NewBrain wanted;
    if (const auto at = body.texts.find("features"); at != body.texts.end()) wanted.features = at->second;
    if (const auto at = body.texts.find("learner"); at != body.texts.end()) wanted.learner = at->second;
    if (const auto at = body.objects.find("options"); at != body.objects.end())
        wanted.settings.assign(at->second.begin(), at->second.end());
    // A file that a request names is not read, nor told whether it is there.
    if (wanted.features.starts_with("onnx:"))
        throw Failure(400, "features: a brain for a model file of your own is made with 'fearnet new'");
    const std::string name = body.text("name");
    run_later(call, [call, wanted, name] {
        Response response = json_response(entry(*call.app.make(name, apps::brain_options(wanted))));
        response.status = 201;
        response.headers.push_back({"Location", "/v1/brains/" + percent_encoded(name) + "/info"});
        return response;
    });
}

void handle_openapi(const Call& call) {
    call.reply(json_response(openapi()));
}

void handle_health(const Call& call) {
    call.reply(json_response({{"status", "ok"}}));
}

void handle_ready(const Call& call) {
    if (call.app.stopping()) return call.reply(problem(503, "the server is stopping"));
    call.reply(json_response({{"status", "ready"}}));
}

void handle_metrics(const Call& call) {
    if (!call.app.options().metrics)
        throw Failure(404, "metrics are switched off; start the server with --metrics");
    run_later(call, [call] {
        return Response{.type = "text/plain; version=0.0.4; charset=utf-8",
                        .body = call.app.metrics().text(call.app)};
    });
}

void handle_page(const Call& call) {
    call.reply(asset("index.html"));
}

void handle_asset(const Call& call) {
    call.reply(asset(call.request->path.back()));
}

}  // namespace fearnet::server
