// HTTP/1.1 on libmicrohttpd: a few threads read requests and send responses; none of them ever waits for a
// brain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/http/message.hpp"

namespace fearnet::server {

struct HttpOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7077;     // 0: any free port
    int listening_socket = -1;     // given by a service manager, instead of host and port
    std::string certificate, key;  // PEM; both or none
    std::size_t max_body = 32'000'000;
    int threads = 2;

    // Limits on clients; tests make them smaller.
    std::size_t max_connections = 0;  // 0: as many as the limit of open files allows, at most 8,192
    double idle_seconds = 60;         // between requests
    double header_seconds = 10;       // for the line and the headers of a request
    double body_seconds = 30;         // for a body, and bytes_per_second for the rest of it
    double body_bytes_per_second = 50'000;
};

// What decides about a request before its body is read, and answers it afterwards.
class HttpHandler {
  public:
    virtual ~HttpHandler() = default;
    // A response refuses the request: its body is not read. The request has no body yet.
    virtual std::optional<Response> refuse(const Request& request) = 0;
    // Must not take long; what takes longer calls `reply` later, from another thread.
    virtual void handle(std::shared_ptr<Request> request, Reply reply) = 0;
    // A response was given to the HTTP library, or the client went before. Called from several threads.
    virtual void answered(const Request& request, const Response& response, double seconds) = 0;
};

class HttpServer {
  public:
    // Listens when the constructor returns. Throws Error if it cannot. `handler` must outlive the server.
    HttpServer(const HttpOptions& options, HttpHandler& handler);
    // Closes all connections; every request must have been answered.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    std::size_t connections() const;
    // Accepts no more connections.
    void stop_listening();
    // Requests that were read and not answered, and streams that have not ended.
    std::size_t open_requests() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace fearnet::server
