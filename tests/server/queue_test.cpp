// Changes that wait: their limit, their deadlines, and clients that go away.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ChangeQueue : public ServedBrain {
  protected:
    ChangeQueue() { start(); }
    static std::string learn_request(const std::string& label, const std::string& query = "") {
        const std::string body = floats(rows_of(8, 3).view());
        return "POST /v1/brains/birds/learn?label=" + label + query +
               " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body;
    }
};

TEST_F(ChangeQueue, sixteen_changes_wait_and_the_next_is_refused_with_429_and_retry_after) {
    std::vector<std::unique_ptr<HttpConnection>> clients;
    {
        LongChange long_change(service());
        for (int i = 0; i < 16; ++i) {
            clients.push_back(std::make_unique<HttpConnection>(server_->port()));
            clients.back()->send(learn_request("c" + std::to_string(i)));
        }
        ASSERT_TRUE(wait_until([&] { return service().waiting_changes() == 17; }));
        const HttpAnswer refused = post("sleep");
        expect_problem(refused, 429, "16 changes");
        EXPECT_GE(std::stoi(refused.headers.at("retry-after")), 1);
        // Those who ask do not wait.
        EXPECT_EQ(labels_of(post("predict", floats(rows_of(1).view()), kFloats)),
                  std::vector<std::string>{"class 1"});
    }
    for (auto& client : clients) EXPECT_EQ(client->answer().status, 200);
    EXPECT_EQ(classes().size(), 20u);
}

TEST_F(ChangeQueue, a_change_that_waits_past_its_deadline_is_answered_with_504_and_not_made) {
    const LongChange long_change(service());
    HttpConnection client(server_->port());
    client.send(learn_request("late", "&deadline=0.2"));
    expect_problem(client.answer(), 504, "nothing was changed");
    EXPECT_EQ(long_change.status(), 0) << "the change before it is still at work";
    EXPECT_EQ(classes().size(), 4u);
}

TEST_F(ChangeQueue, a_change_at_work_past_its_deadline_is_cancelled) {
    auto request = std::make_shared<server::Request>();
    request->cancellation->set_deadline(server::Clock::now() + std::chrono::milliseconds(50));
    std::atomic<int> status = 0;
    service().change(
        "learn", request,
        [](Brain&, const Progress& progress) -> apps::Json {
            while (progress({"base", 1, 2})) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            throw Cancelled("learn");
        },
        [&](const server::Response& response) { status = response.status; });
    EXPECT_TRUE(wait_until([&] { return status != 0; }));
    EXPECT_EQ(status, 504);
}

TEST_F(ChangeQueue, a_client_that_goes_away_takes_its_change_with_it) {
    LongChange long_change(service());
    HttpConnection client(server_->port());
    client.send(learn_request("gone"));
    ASSERT_TRUE(wait_until([&] { return service().waiting_changes() == 2; }));
    client.close();
    EXPECT_TRUE(wait_until([&] { return service().waiting_changes() == 1; })) << "its place is free again";
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; }));
    long_change.release();
    EXPECT_TRUE(wait_until([&] { return service().waiting_changes() == 0; }));
    EXPECT_EQ(classes().size(), 4u);
}

TEST_F(ChangeQueue, a_server_that_stops_finishes_the_change_at_work_and_refuses_those_that_wait) {
    LongChange long_change(service());
    HttpConnection waiting(server_->port());
    waiting.send(learn_request("waits"));
    ASSERT_TRUE(wait_until([&] { return service().waiting_changes() == 2; }));
    std::thread stopping([&] { server_->application().stop(std::chrono::seconds(60)); });
    const HttpAnswer refused = waiting.answer();
    expect_problem(refused, 503, "stopping");
    EXPECT_NE(refused.headers.at("retry-after"), "");
    expect_problem(server_->ask("GET", "/readyz"), 503);
    EXPECT_EQ(server_->ask("GET", "/healthz").status, 200);
    expect_problem(post("learn?label=a", floats(rows_of(1).view()), kFloats), 503);
    long_change.release();
    stopping.join();
    EXPECT_TRUE(wait_until([&] { return long_change.status() == 200; }));
}

TEST_F(ChangeQueue, a_change_that_takes_longer_than_the_patience_of_a_stopping_server_is_cancelled) {
    LongChange long_change(service());
    server_->application().stop(std::chrono::seconds(0));
    EXPECT_TRUE(wait_until([&] { return long_change.status() == 503; }));
}

}  // namespace
}  // namespace fearnet::test
