// Thousands of connections: those above the limit are closed or wait, and clients are served.
#include <sys/resource.h>

#include "server/http/listening_socket.hpp"
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ManyConnections : public ServedBrain {
  protected:
    // Connections of which the server has closed its end.
    static std::size_t closed(const std::vector<std::unique_ptr<HttpConnection>>& clients) {
        std::size_t count = 0;
        for (const auto& client : clients) {
            char byte = 0;
            count += ::recv(client->handle(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0 ? 1 : 0;
        }
        return count;
    }
};

TEST_F(ManyConnections, ten_thousand_idle_ones_keep_nobody_from_being_served) {
    const std::size_t files = server::raise_open_files();
    // Both ends are in this process.
    const std::size_t wanted =
        std::min<std::size_t>(10'000, files / 2 - std::min<std::size_t>(files / 2, 200));
    ASSERT_GT(wanted, 100u) << "the limit of open files is " << files;
    server::HttpOptions http;
    http.max_connections = wanted * 4 / 5;
    http.idle_seconds = 300;
    start(options(), http);
    const std::string row = floats(rows_of(1).view());
    HttpConnection busy(server_->port());  // keeps being served
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (std::size_t i = 0; i < wanted; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(server_->port()));
        if (i % 500 == 0) {
            ASSERT_EQ(busy.request("POST", "/v1/brains/birds/predict", row, kFloats).status, 200) << i;
        }
    }
    EXPECT_LE(server_->http().connections(), http.max_connections);
    ASSERT_EQ(post("predict", row, kFloats).status, 200) << "a new client is served";
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() <= http.max_connections * 3 / 4; }));
    EXPECT_GE(closed(clients), wanted - http.max_connections);
    clients.clear();
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() <= 1; }));
    EXPECT_EQ(busy.request("POST", "/v1/brains/birds/predict", row, kFloats).status, 200);
}

TEST_F(ManyConnections, requests_of_many_clients_at_once_are_all_answered) {
    start();
    const std::string row = floats(rows_of(3).view());
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 500; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(server_->port()));
        clients.back()->send(
            "POST /v1/brains/birds/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/octet-stream\r\nContent-Length: 48\r\n\r\n" +
            row);
    }
    for (auto& client : clients) ASSERT_EQ(labels_of(client->answer()), std::vector<std::string>{"class 3"});
}

}  // namespace
}  // namespace fearnet::test
