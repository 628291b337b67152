#include "server/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "server/application.hpp"
#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

// Of a label: backslash, quote and newline are escaped.
std::string label(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\' || c == '"' || c == '\n') escaped += '\\';
        escaped += c == '\n' ? 'n' : c;
    }
    return escaped;
}

std::size_t resident_bytes() {
    std::size_t all = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%zu %zu", &all, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t open_files() {
    std::error_code error;
    std::size_t count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++count;
    return count;
}

}  // namespace

Metrics::Metrics(std::size_t routes) {
    for (std::size_t i = 0; i <= routes; ++i) routes_.push_back(std::make_unique<Route>());
}

void Metrics::count(std::size_t route, int status, double seconds) {
    Route& r = *routes_[std::min(route, routes_.size() - 1)];
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
    ++r.buckets[static_cast<std::size_t>(bucket)];
    r.microseconds += static_cast<std::uint64_t>(1e6 * seconds);
    const std::lock_guard lock(mutex_);
    ++codes_[{route, status}];
}

std::string Metrics::text(const Application& app) const {
    std::string out;
    const auto name = [](std::size_t i) {
        return i < routes().size() ? std::string(routes()[i].pattern) : std::string("none");
    };
    const auto family = [&](const char* metric, const char* type, const char* help) {
        out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric, help, metric, type);
    };
    family("fearnet_requests_total", "counter", "Requests by route and status.");
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, count] : codes_)
            out += fmt::format("fearnet_requests_total{{route=\"{}\",method=\"{}\",code=\"{}\"}} {}\n",
                               name(key.first), key.first < routes().size() ? routes()[key.first].method : "",
                               key.second, count);
    }
    family("fearnet_request_seconds", "histogram", "Time from the line of a request to its response.");
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        std::uint64_t sum = 0;
        std::array<std::uint64_t, kBounds.size() + 1> counts{};
        for (std::size_t b = 0; b < counts.size(); ++b) counts[b] = routes_[i]->buckets[b], sum += counts[b];
        if (sum == 0) continue;
        const std::string labels =
            fmt::format("route=\"{}\",method=\"{}\"", name(i), i < routes().size() ? routes()[i].method : "");
        std::uint64_t below = 0;
        for (std::size_t b = 0; b < kBounds.size(); ++b)
            out += fmt::format("fearnet_request_seconds_bucket{{{},le=\"{}\"}} {}\n", labels, kBounds[b],
                               below += counts[b]);
        out += fmt::format("fearnet_request_seconds_bucket{{{},le=\"+Inf\"}} {}\n", labels, sum);
        out += fmt::format("fearnet_request_seconds_sum{{{}}} {}\n", labels,
                           1e-6 * static_cast<double>(routes_[i]->microseconds));
        out += fmt::format("fearnet_request_seconds_count{{{}}} {}\n", labels, sum);
    }
    struct Gauge {
        const char *name, *help;
        double (*value)(const BrainService& service, const Brain& brain);
    };
    static constexpr Gauge kGauges[] = {
        {"fearnet_brain_classes", "Classes of a brain.",
         [](const BrainService&, const Brain& b) { return static_cast<double>(b.class_names().size()); }},
        {"fearnet_brain_state", "Number of the state that predictions are answered from.",
         [](const BrainService&, const Brain& b) { return static_cast<double>(b.changes()); }},
        {"fearnet_brain_sleep_due", "1 when sleep is due.",
         [](const BrainService&, const Brain& b) { return b.sleep_due() ? 1.0 : 0.0; }},
        {"fearnet_queue_length", "Changes that wait or are made.",
         [](const BrainService& s, const Brain&) { return static_cast<double>(s.waiting_changes()); }},
        {"fearnet_brain_memory_bytes", "Memory of the learner.",
         [](const BrainService&, const Brain& b) {
             double sum = 0;
             for (const auto& [kind, bytes] : b.learner().memory()) sum += static_cast<double>(bytes);
             return sum;
         }},
    };
    for (const Gauge& gauge : kGauges) {
        family(gauge.name, "gauge", gauge.help);
        for (const auto& service : app.brains())
            out += fmt::format("{}{{brain=\"{}\"}} {}\n", gauge.name, label(service->name()),
                               gauge.value(*service, *service->snapshot()));
    }
    family("fearnet_brain_examples", "gauge", "Rows taught so far.");
    for (const auto& service : app.brains()) {
        std::int64_t examples = 0;
        for (const BrainInfo::Class& c : service->snapshot()->info().classes) examples += c.examples;
        out += fmt::format("fearnet_brain_examples{{brain=\"{}\"}} {}\n", label(service->name()), examples);
    }
    if (app.server() != nullptr) {
        family("fearnet_connections", "gauge", "Open connections.");
        out += fmt::format("fearnet_connections {}\n", app.server()->connections());
    }
    family("process_resident_memory_bytes", "gauge", "Resident memory.");
    out += fmt::format("process_resident_memory_bytes {}\n", resident_bytes());
    family("process_open_fds", "gauge", "Open file descriptors.");
    out += fmt::format("process_open_fds {}\n", open_files());
    return out;
}

}  // namespace fearnet::server
