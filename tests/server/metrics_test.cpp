// Health, readiness and the numbers for Prometheus.
#include <regex>

#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ServerHealth : public ServedBrain {};

TEST_F(ServerHealth, health_and_readiness_are_told_without_a_token) {
    server::ApplicationOptions o = options();
    o.token = "0123456789abcdef";
    start(std::move(o));
    EXPECT_EQ(parsed(server_->ask("GET", "/healthz"))["status"], "ok");
    EXPECT_EQ(parsed(server_->ask("GET", "/readyz"))["status"], "ready");
    server_->application().stop(std::chrono::seconds(0));
    EXPECT_EQ(parsed(server_->ask("GET", "/healthz"))["status"], "ok");
    expect_problem(server_->ask("GET", "/readyz"), 503);
}

TEST_F(ServerHealth, metrics_are_there_only_if_asked_for) {
    start();
    expect_problem(server_->ask("GET", "/metrics"), 404, "--metrics");
}

TEST_F(ServerHealth, metrics_have_the_text_format_and_the_right_numbers) {
    std::filesystem::copy_file(file(), folder_ / "a\"b\\c\nd.brain");
    server::ApplicationOptions o = options();
    o.brains.push_back(folder_ / "a\"b\\c\nd.brain");
    o.metrics = true;
    start(std::move(o));
    for (int i = 0; i < 3; ++i) post("predict", floats(rows_of(1).view()), kFloats);
    post("predict", "", kFloats);
    server_->ask("GET", "/nothing");
    const HttpAnswer answer = server_->ask("GET", "/metrics");
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const std::regex line(
        R"re([a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})? [0-9.e+-]+)re");
    const std::regex comment(R"(# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram)))");
    std::istringstream text(answer.body);
    std::map<std::string, std::string> values;
    std::map<std::string, int> types;
    for (std::string l; std::getline(text, l);) {
        EXPECT_TRUE(std::regex_match(l, l.starts_with('#') ? comment : line)) << l;
        if (l.starts_with("# TYPE")) {
            EXPECT_EQ(++types[l], 1) << l;
        }
        if (!l.starts_with('#')) {
            EXPECT_TRUE(values.emplace(l.substr(0, l.rfind(' ')), l.substr(l.rfind(' ') + 1)).second) << l;
        }
    }
    const std::string route = "route=\"/v1/brains/{brain}/predict\",method=\"POST\"";
    EXPECT_EQ(values["fearnet_requests_total{" + route + ",code=\"200\"}"], "3");
    EXPECT_EQ(values["fearnet_requests_total{" + route + ",code=\"400\"}"], "1");
    EXPECT_EQ(values["fearnet_requests_total{route=\"none\",method=\"\",code=\"404\"}"], "1");
    EXPECT_EQ(values["fearnet_request_seconds_count{" + route + "}"], "4");
    EXPECT_EQ(values["fearnet_request_seconds_bucket{" + route + ",le=\"+Inf\"}"], "4");
    EXPECT_EQ(values["fearnet_brain_classes{brain=\"birds\"}"], "4");
    EXPECT_EQ(values["fearnet_brain_classes{brain=\"a\\\"b\\\\c\\nd\"}"], "4");
    EXPECT_EQ(values["fearnet_brain_examples{brain=\"birds\"}"], "100");
    EXPECT_EQ(values["fearnet_brain_state{brain=\"birds\"}"], "2");
    EXPECT_EQ(values["fearnet_queue_length{brain=\"birds\"}"], "0");
    EXPECT_GE(std::stoi(values["fearnet_connections"]), 1);
    EXPECT_GE(std::stod(values["process_resident_memory_bytes"]), 1e6);
    EXPECT_GE(std::stoi(values["process_open_fds"]), 5);
}

}  // namespace
}  // namespace fearnet::test
