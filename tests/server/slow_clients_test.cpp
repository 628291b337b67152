// Clients that send or read a byte now and then are cut off, and the others are served meanwhile.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class SlowClients : public ServedBrain {
  protected:
    // Short times, so that the test does not take long; a client of the machine itself needs milliseconds.
    static server::HttpOptions impatient() {
        server::HttpOptions http;
        http.idle_seconds = 3;
        http.header_seconds = 2;
        http.body_seconds = 2;
        return http;
    }
    // Sends a byte ten times a second until the server closes the connection; false if it never does.
    static bool is_cut_off(HttpConnection& connection, const std::string& byte) {
        for (int i = 0; i < 600; ++i) {
            char answer[4096];
            const ssize_t count = ::recv(connection.handle(), answer, sizeof answer, MSG_DONTWAIT);
            if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return true;
            if (!connection.send(byte)) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return false;
    }
    void expect_served() const {
        for (int i = 0; i < 20; ++i)
            ASSERT_EQ(post("predict", floats(rows_of(1).view()), kFloats).status, 200);
    }
};

TEST_F(SlowClients, slow_lines_headers_and_bodies_are_cut_off_while_others_are_served) {
    start(options(), impatient());
    const std::string line = "POST /v1/brains/birds/predict HTTP/1.1\r\n", host = "Host: localhost\r\n";
    const std::vector<std::pair<std::string, std::string>> slow{
        {"", "G"},
        {line, "X"},
        {line + host + "X-Slow: ", "x"},
        {line + host, "X-More: 1\r\n"},
        {line + host + "Content-Length: 1000000\r\n\r\n", "x"},
        {line + host + "Content-Length: 100000000\r\n\r\n", "x"},
    };
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (const auto& [begin, byte] : slow) {
        clients.push_back(std::make_unique<HttpConnection>(server_->port()));
        clients.back()->send(begin);
    }
    std::vector<std::thread> threads;
    std::vector<char> cut(slow.size());
    for (std::size_t i = 0; i < slow.size(); ++i)
        threads.emplace_back([&, i] { cut[i] = is_cut_off(*clients[i], slow[i].second); });
    expect_served();
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < slow.size(); ++i) EXPECT_TRUE(cut[i]) << "client " << i;
    clients.clear();
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; }));
    EXPECT_EQ(server_->http().open_requests(), 0u);
}

TEST_F(SlowClients, connections_that_send_nothing_are_closed) {
    start(options(), impatient());
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<HttpConnection>(server_->port()));
    HttpConnection after_an_answer(server_->port());
    EXPECT_EQ(after_an_answer.request("GET", "/healthz").status, 200);
    expect_served();
    for (auto& client : clients) EXPECT_EQ(client->receive(), "");
    EXPECT_EQ(after_an_answer.receive(), "");
}

// The answer has some tens of MB, more than the buffers of the system hold.
TEST_F(SlowClients, those_that_do_not_read_their_answer_are_cut_off_and_hold_no_thread) {
    server::ApplicationOptions o = options();
    o.threads = 2;
    start(std::move(o), impatient());
    const std::string body = floats(Matrix(50'000, kWidth).view());
    const auto ask = [&](const std::string& header) {
        auto client = std::make_unique<HttpConnection>(server_->port());
        const int small = 4096;
        ::setsockopt(client->handle(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        client->send("POST /v1/brains/birds/predict?top=9 HTTP/1.1\r\nHost: localhost\r\n" + header +
                     "Content-Type: application/octet-stream\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n\r\n" + body);
        return client;
    };
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 3; ++i) clients.push_back(ask("Accept: application/x-ndjson\r\n"));
    clients.push_back(ask(""));
    expect_served();
    EXPECT_TRUE(wait_until([&] { return server_->http().open_requests() == 0; }));
    // What needs a worker is answered again.
    EXPECT_EQ(get("info").status, 200);
    clients.clear();
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; }));
}

TEST_F(SlowClients, answers_that_are_read_slowly_hold_no_thread_that_others_need) {
    server::ApplicationOptions o = options();
    o.threads = 1;
    start(std::move(o));
    const std::string body = floats(Matrix(80'000, kWidth).view());
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 2; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(server_->port()));
        const int small = 4096;
        ::setsockopt(clients.back()->handle(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        clients.back()->send(
            "POST /v1/brains/birds/predict?top=9 HTTP/1.1\r\nHost: localhost\r\n"
            "Accept: application/x-ndjson\r\nContent-Type: application/octet-stream\r\n"
            "Content-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
        ASSERT_NE(clients.back()->receive().find("200 OK"), std::string::npos);
    }
    for (int i = 0; i < 10; ++i) EXPECT_EQ(get("info").status, 200);
    EXPECT_EQ(server_->http().open_requests(), 2u) << "they were not cut off meanwhile";
}

TEST_F(SlowClients, a_slow_answer_is_not_cut_off_as_long_as_it_is_read) {
    start(options(), impatient());
    HttpConnection connection(server_->port());
    const LongChange long_change(service());
    connection.send("GET /v1/brains/birds/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto begin = server::Clock::now();
    while (server::Clock::now() - begin < std::chrono::seconds(5)) ASSERT_NE(connection.receive(), "");
}

}  // namespace
}  // namespace fearnet::test
