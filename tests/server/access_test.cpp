// Who may ask: tokens, the Host of DNS rebinding, and pages of other origins.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ServerAccess : public ServedBrain {
  protected:
    static constexpr const char* kToken = "0123456789abcdef-token";

    HttpAnswer with(const std::string& headers, const std::string& target = "/v1/brains",
                    const std::string& method = "GET") const {
        HttpConnection connection(server_->port());
        connection.send(method + " " + target + " HTTP/1.1\r\n" + headers +
                        (method == "POST" ? "Content-Length: 0\r\n" : "") + "\r\n");
        return connection.answer();
    }
    void start_with_token() {
        server::ApplicationOptions o = options();
        o.token = kToken;
        o.metrics = true;
        start(std::move(o));
    }
};

TEST_F(ServerAccess, a_server_with_a_token_answers_only_to_it) {
    start_with_token();
    const std::string host = "Host: localhost\r\n";
    EXPECT_EQ(with(host + "Authorization: Bearer " + kToken + "\r\n").status, 200);
    for (const std::string& wrong :
         {std::string(), std::string("Authorization: \r\n"), std::string("Authorization: Bearer\r\n"),
          std::string("Authorization: Bearer 0123456789abcdef-toke\r\n"),
          std::string("Authorization: Bearer 0123456789abcdef-tokens\r\n"),
          std::string("Authorization: Bearer 0123456789abcdef-tokem\r\n"),
          std::string("Authorization: Basic 0123456789abcdef-token\r\n"),
          std::string("Authorization: 0123456789abcdef-token\r\n"),
          std::string("Authorization: Bearer 0123456789abcdef-token\r\nAuthorization: Bearer x\r\n"),
          "Authorization: Bearer " + std::string(20'000, 'x') + "\r\n"}) {
        const HttpAnswer answer = with(host + wrong);
        expect_problem(answer, 401);
        EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer");
        EXPECT_EQ(answer.body.find(kToken), std::string::npos);
    }
    expect_problem(with(host, "/metrics"), 401);
    expect_problem(with(host, "/v1/brains?token=" + std::string(kToken)), 401);
    expect_problem(with(host, "/nothing"), 401, "");
    EXPECT_EQ(with(host, "/").status, 200);
    EXPECT_EQ(with(host, "/openapi.json").status, 200);
}

TEST_F(ServerAccess, every_route_of_a_brain_needs_the_token_before_anything_else_is_told) {
    start_with_token();
    for (const char* what :
         {"info", "history", "review", "map", "check", "snapshot", "export.onnx", "events"})
        expect_problem(with("Host: localhost\r\n", std::string("/v1/brains/birds/") + what), 401);
    for (const char* what : {"predict", "learn", "sleep", "forget", "rename", "merge", "review", "discover"})
        expect_problem(with("Host: localhost\r\n", std::string("/v1/brains/birds/") + what, "POST"), 401);
    expect_problem(with("Host: localhost\r\n", "/v1/brains", "POST"), 401);
    expect_problem(with("Host: localhost\r\n", "/v1/brains/none/info"), 401);
}

TEST_F(ServerAccess, without_a_token_only_addresses_and_localhost_are_hosts) {
    start();
    for (const char* host :
         {"localhost", "localhost:7077", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:7077"})
        EXPECT_EQ(with(std::string("Host: ") + host + "\r\n").status, 200) << host;
    for (const char* host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:7077",
          "localhost, evil.example", "[::1", "[::1]evil", "[", "", "0x7f000001", "localhost@evil.example"})
        expect_problem(with(std::string("Host: ") + host + "\r\n"), 421);
    expect_problem(with("Host: localhost\r\nHost: evil.example\r\n"), 421);
    expect_problem(with("Host: evil.example\r\n", "/"), 421);
}

TEST_F(ServerAccess, a_server_with_a_token_may_have_any_name) {
    start_with_token();
    EXPECT_EQ(with(std::string("Host: brains.example\r\nAuthorization: Bearer ") + kToken + "\r\n").status,
              200);
    expect_problem(with("Host: brains.example\r\n"), 401);
}

TEST_F(ServerAccess, pages_of_other_origins_are_refused_and_the_servers_own_is_not) {
    start();
    EXPECT_EQ(with("Host: localhost:1\r\nOrigin: http://localhost:1\r\n").status, 200);
    for (const char* origin :
         {"http://evil.example", "https://localhost:1", "http://localhost:2", "http://localhost", "null",
          "http://localhost:1.evil.example", "HTTP://LOCALHOST:1"}) {
        const HttpAnswer answer = with(std::string("Host: localhost:1\r\nOrigin: ") + origin + "\r\n");
        expect_problem(answer, 403);
        EXPECT_EQ(answer.headers.count("access-control-allow-origin"), 0u);
    }
    expect_problem(with("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), 403);
    EXPECT_EQ(with("Host: localhost\r\nSec-Fetch-Site: same-origin\r\n").status, 200);
    EXPECT_EQ(with("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", "/").status, 200)
        << "a link to the page";
    expect_problem(
        with("Host: localhost\r\nOrigin: http://evil.example\r\n", "/v1/brains/birds/sleep", "OPTIONS"), 403);
}

TEST_F(ServerAccess, the_allowed_origin_gets_what_a_browser_needs_and_others_nothing) {
    server::ApplicationOptions o = options();
    o.token = kToken;
    o.allow_origin = "https://app.example";
    start(std::move(o));
    const std::string mine =
        "Host: localhost\r\nOrigin: https://app.example\r\nSec-Fetch-Site: cross-site\r\n";
    const HttpAnswer preflight = with(mine +
                                          "Access-Control-Request-Method: POST\r\n"
                                          "Access-Control-Request-Headers: authorization\r\n",
                                      "/v1/brains/birds/predict", "OPTIONS");
    EXPECT_EQ(preflight.status, 204);
    EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "https://app.example");
    EXPECT_EQ(preflight.headers.at("access-control-allow-methods"), "POST");
    EXPECT_NE(preflight.headers.at("access-control-allow-headers").find("Authorization"), std::string::npos);
    const HttpAnswer answer = with(mine + "Authorization: Bearer " + kToken + "\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("access-control-allow-origin"), "https://app.example");
    EXPECT_NE(answer.headers.at("access-control-expose-headers").find("FearNet-State"), std::string::npos);
    EXPECT_EQ(answer.headers.at("vary"), "Origin");
    const HttpAnswer refused = with(mine);
    expect_problem(refused, 401);
    EXPECT_EQ(refused.headers.at("access-control-allow-origin"), "https://app.example")
        << "the page sees the problem";
    const HttpAnswer other = with("Host: localhost\r\nOrigin: https://other.example\r\n");
    expect_problem(other, 403);
    EXPECT_EQ(other.headers.count("access-control-allow-origin"), 0u);
}

TEST_F(ServerAccess, the_page_may_load_nothing_from_elsewhere_and_nobody_may_frame_it) {
    start();
    const HttpAnswer page = server_->ask("GET", "/");
    const std::string& policy = page.headers.at("content-security-policy");
    for (const char* rule : {"default-src 'none'", "script-src 'self'", "connect-src 'self'",
                             "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"})
        EXPECT_NE(policy.find(rule), std::string::npos) << rule;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(page.headers.at("referrer-policy"), "no-referrer");
}

}  // namespace
}  // namespace fearnet::test
