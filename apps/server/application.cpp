#include "server/application.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "fearnet/error.hpp"
#include "server/brains/failure.hpp"
#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

constexpr const char* kEnding = ".brain";
// Bytes of a body that is parsed by the thread that received it; numbers are only copied.
constexpr std::size_t kMostAtOnce = 65536;
constexpr std::size_t kMostNumbersAtOnce = 1 << 20;

std::string name_of(const std::filesystem::path& path) {
    const std::string file = path.filename().string();
    return file.ends_with(kEnding) ? file.substr(0, file.size() - std::string(kEnding).size()) : file;
}

// Takes as long for every text of one length.
bool equal_in_constant_time(const std::string& l, const std::string& r) {
    int difference = l.size() == r.size() ? 0 : 1;
    for (std::size_t i = 0; i < l.size(); ++i) difference |= l[i] ^ (r.empty() ? 0 : r[i % r.size()]);
    return difference == 0;
}

// "[::1]:7077" -> "::1"
std::string host_of(const std::string& header) {
    if (!header.starts_with('[')) return header.substr(0, header.find(':'));
    const std::size_t end = header.find(']');
    const bool whole = end != header.npos && (end + 1 == header.size() || header[end + 1] == ':');
    return whole ? header.substr(1, end - 1) : "";
}

// A name could be made to point at this machine by anyone who owns it; an address or "localhost" cannot.
bool is_address_or_localhost(const std::string& host) {
    in_addr v4;
    in6_addr v6;
    return host == "localhost" || ::inet_pton(AF_INET, host.c_str(), &v4) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

struct Match {
    std::size_t route = 0;  // routes().size(): none
    std::string brain;      // of the pattern's {brain}
    std::string allowed;    // methods, if the path is known and the method is not
};

bool fits(const char* pattern, const std::vector<std::string>& path, std::string& brain) {
    std::size_t part = 0;
    const std::string_view text(pattern);
    for (std::size_t at = 1; at <= text.size(); ++part) {
        const std::size_t end = std::min(text.find('/', at), text.size());
        const std::string_view wanted = text.substr(at, end - at);
        if (part >= path.size()) return false;
        if (wanted == "{brain}" || wanted == "{name}")
            brain = path[part];
        else if (wanted != path[part])
            return false;
        at = end + 1;
    }
    return part == path.size();
}

Match match(const Request& request) {
    Match result;
    result.route = routes().size();
    for (std::size_t i = 0; i < routes().size(); ++i) {
        std::string brain;
        if (!fits(routes()[i].pattern, request.path, brain)) continue;
        const bool head = request.method == "HEAD" && std::string_view(routes()[i].method) == "GET";
        if (request.method == routes()[i].method || head) return {i, brain, ""};
        result.allowed += (result.allowed.empty() ? "" : ", ") + std::string(routes()[i].method);
    }
    return result;
}

std::string time_text() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t t = std::chrono::system_clock::to_time_t(now);
    std::tm utc{};
    ::gmtime_r(&t, &utc);
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, ms);
}

}  // namespace

Application::Application(const ApplicationOptions& options)
    : options_(options), metrics_(routes().size()), workers_(options.threads) {
    for (const std::filesystem::path& path : options_.brains) open(path);
    if (options_.folder.empty()) return;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder))
        if (entry.path().extension() == kEnding && entry.is_regular_file()) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    for (const std::filesystem::path& path : found) open(path);
}

Application::~Application() {
    stop(std::chrono::seconds(0));
}

void Application::open(const std::filesystem::path& path) {
    const std::string name = name_of(path);
    if (brains_.count(name) != 0)
        throw Error("serve: two brains are called '" + name + "'; rename one of the files");
    brains_[name] = std::make_shared<BrainService>(name, path, options_.service);
}

std::vector<std::shared_ptr<BrainService>> Application::brains() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<BrainService>> all;
    for (const auto& [name, service] : brains_) all.push_back(service);
    return all;
}

std::shared_ptr<BrainService> Application::find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto at = brains_.find(name);
    return at == brains_.end() ? nullptr : at->second;
}

std::shared_ptr<BrainService> Application::make(const std::string& name, const BrainOptions& options) {
    constexpr std::size_t kMostName = 64;
    constexpr std::size_t kMostBrains = 256;
    if (options_.folder.empty())
        throw Failure(403, "this server makes no brains; start it with a folder ('fearnet serve FOLDER')");
    if (options_.service.read_only) throw Failure(403, "this server only reads its brains (--read-only)");
    const bool plain = !name.empty() && name.size() <= kMostName && name.front() != '.' &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                       });
    if (!plain)
        throw Failure(400, "the name '" + name.substr(0, kMaxNameBytes) +
                               "' must be 1 to 64 letters, digits, '-', '_' or '.', and not begin with '.'");
    const std::lock_guard making(making_);
    if (find(name)) throw Failure(409, "a brain is called '" + name + "' already");
    if (brains().size() >= kMostBrains) throw Failure(403, "this server has 256 brains, the most it serves");
    const std::filesystem::path path = options_.folder / (name + kEnding);
    if (std::filesystem::exists(std::filesystem::symlink_status(path)))
        throw Failure(409, "there is a file of the name '" + name + kEnding + "' already");
    { const Brain made(path, create_new(options)); }
    auto service = std::make_shared<BrainService>(name, path, options_.service);
    const std::unique_lock lock(mutex_);
    brains_[name] = service;
    return service;
}

std::shared_ptr<void> Application::begin_download() {
    constexpr int kMostDownloads = 8;
    const auto count = downloads_;
    if (++*count > kMostDownloads) {
        --*count;
        throw Failure(503, "8 copies of brains are being sent already; try again later");
    }
    return {nullptr, [count](void*) { --*count; }};
}

// The answers to a page of another origin, also those that refuse, can be read by it only with these headers.
void Application::allow_origin(const Request& request, Response& response) const {
    if (options_.allow_origin.empty()) return;
    response.headers.push_back({"Vary", "Origin"});
    if (request.header("origin") != options_.allow_origin) return;
    response.headers.push_back({"Access-Control-Allow-Origin", options_.allow_origin});
    response.headers.push_back({"Access-Control-Expose-Headers", "FearNet-State, Retry-After"});
}

std::optional<Response> Application::refuse(const Request& request) {
    std::optional<Response> response = refusal(request);
    if (response) allow_origin(request, *response);
    return response;
}

// In this order: who asks, what for, and in which form.
std::optional<Response> Application::refusal(const Request& request) {
    const Match found = match(request);
    const bool open_route = found.route < routes().size() && routes()[found.route].open;
    const std::string& host = request.header("host");
    if (options_.token.empty() && !is_address_or_localhost(host_of(host)))
        return problem(
            421,
            "the Host '" + host.substr(0, kMaxNameBytes) +
                "' is neither an address nor localhost; a server without a token answers no other names");
    if (const std::string& origin = request.header("origin"); !origin.empty()) {
        const std::string own = (options_.tls ? "https://" : "http://") + host;
        if (origin != own && (options_.allow_origin.empty() || origin != options_.allow_origin))
            return problem(403, "a page of the origin '" + origin.substr(0, kMaxNameBytes) +
                                    "' may not use this server; --allow-origin permits one");
    }
    if (request.header("sec-fetch-site") == "cross-site" && options_.allow_origin.empty() &&
        !(open_route && request.method == "GET"))
        return problem(403, "a page of another site may not use this server");
    if (request.method == "OPTIONS" && !options_.allow_origin.empty() && !found.allowed.empty())
        return Response{.status = 204,
                        .body = "",
                        .headers = {{"Access-Control-Allow-Methods", found.allowed},
                                    {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                                    {"Access-Control-Max-Age", "600"}}};
    if (!options_.token.empty() && !open_route &&
        !equal_in_constant_time("Bearer " + options_.token, request.header("authorization"))) {
        Response refused = problem(401, request.header("authorization").empty()
                                            ? "a token is needed: Authorization: Bearer TOKEN"
                                            : "the token is wrong");
        refused.headers.push_back({"WWW-Authenticate", "Bearer"});
        return refused;
    }
    if (found.route == routes().size() && !found.allowed.empty()) {
        Response refused =
            problem(405, request.method.substr(0, 32) + " is not known here; use " + found.allowed);
        refused.headers.push_back({"Allow", found.allowed});
        return refused;
    }
    if (found.route == routes().size())
        return problem(404, "there is nothing at '" + request.target.substr(0, kMaxNameBytes) +
                                "'; /openapi.json lists the routes");
    const Route& route = routes()[found.route];
    if (stopping_ && !route.open) {
        Response refused = problem(503, "the server is stopping; nothing was changed");
        refused.headers.push_back({"Retry-After", "5"});
        return refused;
    }
    if (std::string_view(route.pattern).find("{brain}") == std::string_view::npos) return std::nullopt;
    const std::shared_ptr<BrainService> brain = find(found.brain);
    if (!brain)
        return problem(404, "no brain is called '" + found.brain.substr(0, kMaxNameBytes) +
                                "'; GET /v1/brains lists them");
    if (route.changes && brain->read_only()) return problem(403, "this brain is only read (--read-only)");
    return std::nullopt;
}

void Application::handle(std::shared_ptr<Request> request, Reply reply) {
    const Match found = match(*request);
    const Route& route = routes()[found.route];
    if (!options_.allow_origin.empty())
        reply = [this, request, inner = std::move(reply)](Response response) {
            allow_origin(*request, response);
            inner(std::move(response));
        };
    try {
        if (const auto deadline = request->query.find("deadline"); deadline != request->query.end()) {
            double seconds = 0;
            char* end = nullptr;
            seconds = std::strtod(deadline->second.c_str(), &end);
            if (deadline->second.empty() || *end != 0 || !(seconds > 0) || !(seconds <= 86400))
                throw Failure(400, "deadline='" + deadline->second.substr(0, kMaxNameBytes) +
                                       "': must be a number of seconds above 0");
            request->cancellation->set_deadline(
                request->began + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds)));
        }
        const Call call{*this, request, find(found.brain), reply};
        const bool numbers = request->header("content-type").starts_with("application/octet-stream");
        if (request->body.size() <= (numbers ? kMostNumbersAtOnce : kMostAtOnce)) return route.handle(call);
        // To parse it would make other clients of this thread wait.
        const bool runs = workers_.run([call, &route] {
            try {
                route.handle(call);
            } catch (...) {
                call.reply(failure_response(*call.request));
            }
        });
        if (!runs) throw Failure(503, "too much work waits; try again later");
    } catch (...) {
        reply(failure_response(*request));
    }
}

void Application::answered(const Request& request, const Response& response, double seconds) {
    metrics_.count(match(request).route, response.status, seconds);
    if (!options_.log) return;
    const apps::Json line{{"time", time_text()},       {"client", request.client},
                          {"method", request.method},  {"path", request.target},
                          {"status", response.status}, {"milliseconds", 0.001 * std::round(1e6 * seconds)}};
    // The log may be a pipe that nobody reads any more.
    const std::string text = printable(line.dump()) + "\n";
    (void)std::fwrite(text.data(), 1, text.size(), stdout);
}

void Application::stop(std::chrono::seconds patience) {
    stopping_ = true;
    const auto end = Clock::now() + patience;
    const auto all = brains();
    for (const auto& brain : all) brain->refuse_changes();
    for (const auto& brain : all) brain->stop(end - Clock::now());
}

}  // namespace fearnet::server
