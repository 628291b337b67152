// A server in the process of the test, on a port of its own.
#pragma once

#include "server/serve.hpp"
#include "support/http_client.hpp"

namespace fearnet::test {

class TestServer {
  public:
    explicit TestServer(server::ApplicationOptions application, server::HttpOptions http = {})
        : application_(quiet(std::move(application))), http_(on_any_port(std::move(http)), application_) {
        application_.set_server(&http_);
    }
    ~TestServer() {
        http_.stop_listening();
        application_.stop(std::chrono::seconds(5));
        for (int i = 0; i < 1000 && http_.open_requests() > 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        application_.set_server(nullptr);
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    std::uint16_t port() const { return http_.port(); }
    server::Application& application() { return application_; }
    server::HttpServer& http() { return http_; }
    HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& type = "application/json", const std::string& more_headers = "") const {
        return HttpConnection(port()).request(method, target, body, type, more_headers);
    }

  private:
    static server::ApplicationOptions quiet(server::ApplicationOptions options) {
        options.log = false;
        return options;
    }
    static server::HttpOptions on_any_port(server::HttpOptions options) {
        options.port = 0;
        return options;
    }

    server::Application application_;
    server::HttpServer http_;
};

}  // namespace fearnet::test
