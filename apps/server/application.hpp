// The server: its brains, who may ask them, and what was asked.
#pragma once

#include <map>
#include <shared_mutex>
#include <string>

#include "server/brains/brain_service.hpp"
#include "server/brains/workers.hpp"
#include "server/http/http_server.hpp"
#include "server/metrics.hpp"

namespace fearnet::server {

struct ApplicationOptions {
    std::vector<std::filesystem::path> brains;
    std::filesystem::path folder;  // where new brains are made; empty: none are made
    std::string token;             // empty: none is needed
    std::string allow_origin;
    bool tls = false;
    bool metrics = false;
    bool log = true;  // a line of JSON for each request, on standard output
    int threads = 2;
    std::size_t max_body = 32'000'000;
    ServiceOptions service;
};

class Application : public HttpHandler {
  public:
    // Opens all brains. Throws Error if one cannot be opened.
    explicit Application(const ApplicationOptions& options);
    ~Application() override;

    std::optional<Response> refuse(const Request& request) override;
    void handle(std::shared_ptr<Request> request, Reply reply) override;
    void answered(const Request& request, const Response& response, double seconds) override;

    const ApplicationOptions& options() const { return options_; }
    Workers& workers() { return workers_; }
    Metrics& metrics() { return metrics_; }
    std::vector<std::shared_ptr<BrainService>> brains() const;  // by name
    std::shared_ptr<BrainService> find(const std::string& name) const;
    // Makes a brain in the folder and serves it. Throws Failure 403 or 409, and Error.
    std::shared_ptr<BrainService> make(const std::string& name, const BrainOptions& options);
    // Counts a copy of a brain that is sent, as long as somebody holds the result: copies take space on the
    // disk. Throws Failure 503 if there are too many.
    std::shared_ptr<void> begin_download();
    // For the metrics; null before the server listens.
    void set_server(const HttpServer* server) { server_ = server; }
    const HttpServer* server() const { return server_; }

    // Refuses new work, and waits for what is at work.
    void stop(std::chrono::seconds patience);
    bool stopping() const { return stopping_; }

  private:
    void open(const std::filesystem::path& path);
    std::optional<Response> refusal(const Request& request);
    void allow_origin(const Request& request, Response& response) const;

    ApplicationOptions options_;
    Metrics metrics_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<BrainService>> brains_;
    std::mutex making_;
    std::atomic<bool> stopping_ = false;
    std::atomic<const HttpServer*> server_ = nullptr;
    std::shared_ptr<std::atomic<int>> downloads_ = std::make_shared<std::atomic<int>>(0);
    Workers workers_;  // ends first: its tasks use all of the above
};

}  // namespace fearnet::server
