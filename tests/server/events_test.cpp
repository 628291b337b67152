// Server-sent events.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ServerEvents : public ServedBrain {
  protected:
    // A listener; its stream has begun.
    struct Listener {
        explicit Listener(std::uint16_t port) : connection(port) {
            connection.send("GET /v1/brains/birds/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        // Reads until `words` have come; false if they do not come within 20 seconds.
        bool hears(const std::string& words) {
            const auto end = server::Clock::now() + std::chrono::seconds(20);
            while (heard.find(words) == std::string::npos && server::Clock::now() < end) {
                const std::string more = connection.receive();
                if (more.empty()) return false;
                heard += more;
            }
            return heard.find(words) != std::string::npos;
        }
        HttpConnection connection;
        std::string heard;
    };
};

TEST_F(ServerEvents, a_listener_hears_the_state_first_then_changes_progress_and_the_end) {
    start();
    Listener listener(server_->port());
    ASSERT_TRUE(listener.hears("event: state\ndata: {\"state\":2,"));
    {
        const LongChange long_change(service());
        ASSERT_TRUE(listener.hears(
            "event: progress\ndata: {\"work\":\"learn\",\"phase\":\"base\",\"done\":1,\"total\":2"));
    }
    ASSERT_TRUE(listener.hears("event: done\ndata: {\"work\":\"learn\"}"));
    ASSERT_EQ(post("learn?label=%3Cb%3E", floats(rows_of(5, 5).view()), kFloats).status, 200);
    ASSERT_TRUE(listener.hears("\"state\":3,\"action\":\"learn\""));
    EXPECT_NE(listener.heard.find("text/event-stream"), std::string::npos);
    EXPECT_NE(listener.heard.find("no-store"), std::string::npos);
}

TEST_F(ServerEvents, listeners_that_are_gone_make_room_and_too_many_are_refused_with_503) {
    start();
    std::vector<std::unique_ptr<Listener>> listeners;
    for (int i = 0; i < 256; ++i) {
        listeners.push_back(std::make_unique<Listener>(server_->port()));
        ASSERT_TRUE(listeners.back()->hears("event: state")) << i;
    }
    const HttpAnswer refused = get("events");
    expect_problem(refused, 503);
    EXPECT_NE(refused.headers.at("retry-after"), "");
    listeners.clear();
    EXPECT_TRUE(wait_until([&] {
        Listener one_more(server_->port());
        return one_more.hears("\r\n\r\n") && one_more.heard.starts_with("HTTP/1.1 200");
    }));
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; }));
}

TEST_F(ServerEvents, a_server_that_stops_ends_the_streams) {
    start();
    Listener listener(server_->port());
    ASSERT_TRUE(listener.hears("event: state"));
    server_->application().stop(std::chrono::seconds(1));
    EXPECT_TRUE(listener.hears("\r\n0\r\n\r\n")) << "the body is complete: " << listener.heard;
}

TEST_F(ServerEvents, a_listener_that_does_not_read_is_dropped_and_nobody_waits_for_it) {
    server::HttpOptions http;
    http.body_seconds = 1;
    start(options(), http);
    Listener deaf(server_->port());
    ASSERT_TRUE(wait_until([&] { return service().events().listeners() == 1; }));
    const std::string long_text(100'000, 'x');
    // More than the buffers of the system hold.
    for (int i = 0; i < 1000 && service().events().listeners() > 0; ++i) {
        service().events().publish("progress", {{"text", long_text}});
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(service().events().listeners(), 0u);
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; })) << "its connection is closed";
}

}  // namespace
}  // namespace fearnet::test
