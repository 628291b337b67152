#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"
#include "research/run_arguments.hpp"
#include "server/http/listening_socket.hpp"
#include "server/serve.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Opens brains to programs (HTTP, described by /openapi.json) and to people (a page for the browser, at /): teach with files,
texts, the microphone or the camera; ask; see what the brain does not know; let it sleep. docs/serve.md is the guide.

BRAIN is a file, or a folder: all its .brain files are served, and new brains are made in it. Other programs may change
the files meanwhile; the server sees it within a second. A request that teaches is answered when the change is on disk.

Without --token-file only this machine can ask. With it, requests need the header 'Authorization: Bearer TOKEN'; the
token is a line of 16 or more characters ('openssl rand -hex 32 > token; chmod 600 token'). To be asked by other
machines, also give --cert and --key (PEM).

SIGTERM and Ctrl-C end it: changes at work are finished, those that wait are refused. Requests are logged on standard
output, one JSON object per line.

Examples:
  fearnet serve pets.brain
  fearnet serve brains/ --auto-sleep --metrics
  fearnet serve pets.brain --listen 0.0.0.0:7077 --token-file token --cert cert.pem --key key.pem
  curl --data-binary @rex.jpg -H 'Content-Type: image/jpeg' http://127.0.0.1:7077/v1/brains/pets/predict)";

struct ServeArguments {
    std::vector<std::string> brains;
    std::string listen = "127.0.0.1:7077";
    std::string token_file, certificate, key, allow_origin, user;
    std::string max_body = "32MB";
    std::string threads = "all";
    bool read_only = false, auto_sleep = false, metrics = false, quiet = false;
};

server::ServeOptions serve_options(const ServeArguments& a) {
    server::ServeOptions o;
    for (const std::string& brain : a.brains) {
        if (!std::filesystem::is_directory(brain)) {
            o.application.brains.emplace_back(brain);
            continue;
        }
        if (!o.application.folder.empty()) throw Error(brain + ": only one of the brains may be a folder");
        o.application.folder = brain;
    }
    std::tie(o.http.host, o.http.port) = server::parse_listen(a.listen);
    o.token_file = a.token_file, o.certificate_file = a.certificate, o.key_file = a.key, o.user = a.user;
    o.application.allow_origin = a.allow_origin;
    o.application.metrics = a.metrics;
    o.application.log = !a.quiet;
    const std::optional<int> threads = parse_threads(a.threads);
    o.application.threads =
        threads ? *threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    o.application.service.read_only = a.read_only;
    o.application.service.auto_sleep = a.auto_sleep;
    // Half of the processors are left to those who ask.
    o.application.service.change_threads = std::max(1, o.application.threads / 2);
    o.http.threads = std::clamp(o.application.threads, 1, 4);
    constexpr std::int64_t kMostBody = 2'000'000'000;
    const std::int64_t bytes = parse_bytes("--max-body", a.max_body);
    if (bytes > kMostBody) throw Error(fmt::format("--max-body '{}': must be at most 2 GB", a.max_body));
    o.http.max_body = static_cast<std::size_t>(bytes);
    o.application.max_body = o.http.max_body;
    return o;
}

int run_server(const ServeArguments& a) {
    const server::ServeOptions options = serve_options(a);
    const InterruptGuard guard;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    server::serve(
        options, [&] { return guard.interrupted(); },
        [&](const std::string& line) { fmt::print(stderr, "{}\n", printable(line)); });
    return kDone;
}

}  // namespace

void add_serve_command(Program& program) {
    const auto a = std::make_shared<ServeArguments>();
    Command& command =
        program.add_command("serve", "Open brains to programs and to people (HTTP)", kEverydayGroup);
    command.footer(kFooter);
    command.option("BRAIN", a->brains, "Brain files, or one folder of them").required();
    command.option("--listen", a->listen, "Address and port; port 0 is any free one")
        .value_name("ADDRESS:PORT")
        .show_default();
    command.option("--token-file", a->token_file, "File with the token that requests need")
        .value_name("FILE");
    command.option("--cert", a->certificate, "Certificate for TLS (PEM)").value_name("FILE");
    command.option("--key", a->key, "Its private key (PEM)").value_name("FILE");
    command
        .option("--allow-origin", a->allow_origin,
                "Web pages of this origin may ask, such as https://example.org")
        .value_name("ORIGIN");
    command.option("--user", a->user, "Become this user after listening, when started by root")
        .value_name("NAME");
    command.option("--max-body", a->max_body, "Largest body of a request").value_name("BYTES").show_default();
    command.option("--threads", a->threads, "Threads for requests and predictions, or 'all'").value_name("N").show_default();
    command.flag("--read-only", a->read_only, "Answer questions, refuse changes");
    command.flag("--auto-sleep", a->auto_sleep, "Sleep when sleep is due and nothing else waits");
    command.flag("--metrics", a->metrics, "Answer /metrics for Prometheus");
    command.flag("--quiet", a->quiet, "Do not log requests");
    command.run([a] { return run_server(*a); });
}

}  // namespace fearnet::cli
