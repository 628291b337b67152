// The real `fearnet serve`: how it starts, listens, tells a service manager, logs and ends.
#include <sys/stat.h>
#include <sys/un.h>

#include "server/http/listening_socket.hpp"
#include "server/served_program.hpp"

namespace fearnet::test {
namespace {

class ServeProgram : public ServedBrain {
  protected:
    std::string token_file(const std::string& token, ::mode_t mode = 0600) const {
        const std::filesystem::path path = folder_ / "token";
        write_bytes(path, token + "\n");
        ::chmod(path.c_str(), mode);
        return path.string();
    }
    std::string learn_request(const std::string& label) const {
        const std::string body = floats(rows_of(8, 3).view());
        return "POST /v1/brains/birds/learn?label=" + label +
               " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    // Why the program did not start.
    static std::string refusal(const std::vector<std::string>& arguments, bool with_listen = true) {
        ServedProgram program(arguments, {}, with_listen);
        EXPECT_EQ(program.port(), 0) << program.said();
        if (program.port() == 0) {
            EXPECT_EQ(program.wait(), 2) << program.said();
        }
        return program.said();
    }
};

TEST_F(ServeProgram, sigterm_and_sigint_end_it_after_the_acknowledged_changes_are_on_disk) {
    for (const int signal : {SIGTERM, SIGINT}) {
        ServedProgram program({file().string()});
        ASSERT_NE(program.port(), 0) << program.said();
        const std::string prefix = "s" + std::to_string(signal) + "-";
        std::vector<std::unique_ptr<HttpConnection>> clients;
        for (int i = 0; i < 12; ++i) {
            clients.push_back(std::make_unique<HttpConnection>(program.port()));
            clients.back()->send(learn_request(prefix + std::to_string(i)));
        }
        // The first change is made, others wait.
        ASSERT_EQ(clients[0]->answer().status, 200);
        program.kill(signal);
        std::set<std::string> acknowledged{prefix + "0"};
        for (int i = 1; i < 12; ++i) {
            const HttpAnswer answer = clients[static_cast<std::size_t>(i)]->answer();
            EXPECT_TRUE(answer.status == 200 || answer.status == 503) << answer.status << " for client " << i;
            if (answer.status == 200) acknowledged.insert(prefix + std::to_string(i));
        }
        EXPECT_EQ(program.wait(), 0);
        EXPECT_EQ(check_brain(file()), std::vector<std::string>());
        std::set<std::string> there;
        for (const std::string& name : Brain(file(), BrainAccess::read).class_names())
            if (name.starts_with(prefix)) there.insert(name);
        EXPECT_EQ(there, acknowledged);
    }
}

TEST_F(ServeProgram, open_connections_and_listeners_do_not_keep_it_from_ending) {
    ServedProgram program({file().string()});
    HttpConnection idle(program.port()), listener(program.port()), half(program.port());
    listener.send("GET /v1/brains/birds/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    half.send("POST /v1/brains/birds/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx");
    ASSERT_NE(listener.receive(), "");
    const auto begin = server::Clock::now();
    program.kill(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_LT(server::Clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(ServeProgram, a_service_manager_is_told_when_it_is_ready_and_when_it_stops) {
    const std::string path = (folder_ / "notify").string();
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval timeout{20, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    const auto heard = [&] {
        char buffer[256];
        const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
        return std::string(buffer, static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    };
    ServedProgram program({file().string()}, [&] { ::setenv("NOTIFY_SOCKET", path.c_str(), 1); });
    EXPECT_EQ(heard(), "READY=1");
    EXPECT_EQ(program.ask("GET", "/readyz").status, 200);
    program.kill(SIGTERM);
    EXPECT_EQ(heard(), "STOPPING=1");
    EXPECT_EQ(program.wait(), 0);
    ::close(socket);
}

TEST_F(ServeProgram, a_socket_of_the_service_manager_is_served) {
    const int listening = server::listen_on("127.0.0.1", 0);
    const std::uint16_t port = server::port_of(listening);
    // The client comes before the service.
    HttpConnection early(port);
    early.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto prepare = [&](const char* count) {
        return [listening, count] {
            ::dup2(listening, 3);
            ::fcntl(3, F_SETFD, 0);
            ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
            ::setenv("LISTEN_FDS", count, 1);
        };
    };
    {
        ServedProgram program({file().string()}, prepare("1"));
        EXPECT_EQ(program.port(), port) << program.said();
        EXPECT_EQ(early.answer().status, 200);
        program.kill(SIGTERM);
        EXPECT_EQ(program.wait(), 0);
    }
    ServedProgram several({file().string()}, prepare("2"));
    EXPECT_EQ(several.port(), 0);
    EXPECT_EQ(several.wait(), 2);
    EXPECT_NE(several.said().find("2 sockets"), std::string::npos) << several.said();
    ServedProgram none({file().string()}, [&] {
        prepare("1")();
        ::dup2(::open("/dev/null", O_RDONLY), 3);
    });
    EXPECT_EQ(none.port(), 0);
    EXPECT_NE(none.said().find("not a socket"), std::string::npos) << none.said();
    ::close(listening);
}

TEST_F(ServeProgram, other_machines_need_a_token) {
    EXPECT_NE(refusal({file().string(), "--listen", "0.0.0.0:0"}, false).find("--token-file"),
              std::string::npos);
    EXPECT_NE(refusal({file().string(), "--listen", "[::]:0"}, false).find("--token-file"),
              std::string::npos);
}

TEST_F(ServeProgram, a_token_file_is_one_line_and_a_file_that_others_can_read_is_reported) {
    const std::string token = "0123456789abcdef0123";
    EXPECT_NE(refusal({file().string(), "--token-file", token_file("short")}).find("16"), std::string::npos);
    EXPECT_NE(
        refusal({file().string(), "--token-file", token_file("two lines\n0123456789abcdef")}).find("token"),
        std::string::npos);
    EXPECT_NE(refusal({file().string(), "--token-file", (folder_ / "none").string()}).find("none"),
              std::string::npos);
    for (const ::mode_t mode : {0600, 0644}) {
        ServedProgram program({file().string(), "--token-file", token_file(token, mode)});
        ASSERT_NE(program.port(), 0) << program.said();
        EXPECT_EQ(program.said().find("chmod 600") != std::string::npos, mode == 0644) << program.said();
        EXPECT_EQ(program.ask("GET", "/v1/brains").status, 401);
        EXPECT_EQ(
            program.ask("GET", "/v1/brains", "", kJson, "Authorization: Bearer " + token + "\r\n").status,
            200);
        EXPECT_EQ(program.said().find(token), std::string::npos);
    }
}

TEST_F(ServeProgram, the_log_is_a_line_of_json_for_each_request_without_secrets_or_control_characters) {
    const std::string log = (folder_ / "log").string(), token = "0123456789abcdef0123";
    ServedProgram program({file().string(), "--token-file", token_file(token)},
                          [&] { ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO); });
    const std::string mine = "Authorization: Bearer " + token + "\r\n";
    program.ask("GET", "/v1/brains", "", kJson, mine);
    program.ask("POST", "/v1/brains/birds/learn?label=secret-label", floats(rows_of(1).view()), kFloats,
                mine);
    program.ask("GET", "/v1/\x1b[31m%0a%1b\"\\", "", kJson, mine);
    program.kill(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    const std::string text = read_bytes(log);
    EXPECT_EQ(text.find(token), std::string::npos);
    EXPECT_EQ(text.find("secret-label"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const Json entry = Json::parse(line, nullptr, false);
        ASSERT_FALSE(entry.is_discarded()) << line;
        for (const char* key : {"time", "client", "method", "path", "status", "milliseconds"})
            EXPECT_TRUE(entry.contains(key)) << line;
    }
    EXPECT_GE(count, 2u);
}

TEST_F(ServeProgram, a_log_that_nobody_reads_any_more_does_not_end_it) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ServedProgram program({file().string()}, [&] { ::dup2(ends[1], STDOUT_FILENO); });
    ::close(ends[0]);
    ::close(ends[1]);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(program.ask("GET", "/v1/brains").status, 200);
        HttpConnection listener(program.port());
        listener.send("GET /v1/brains/birds/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_NE(listener.receive(), "");
    }
    EXPECT_EQ(program.ask("GET", "/v1/brains").status, 200);
    program.kill(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(ServeProgram, what_it_cannot_serve_is_told_with_exit_code_2) {
    write_bytes(folder_ / "rubbish.brain", "this is no brain");
    std::filesystem::create_directory(folder_ / "a");
    std::filesystem::copy_file(file(), folder_ / "a" / "birds.brain");
    EXPECT_NE(refusal({(folder_ / "rubbish.brain").string()}).find("rubbish"), std::string::npos);
    EXPECT_NE(refusal({(folder_ / "none.brain").string()}).find("none.brain"), std::string::npos);
    EXPECT_NE(refusal({file().string(), (folder_ / "a" / "birds.brain").string()}).find("two brains"),
              std::string::npos);
    EXPECT_NE(refusal({file().string(), "--listen", "nonsense"}, false).find("--listen"), std::string::npos);
    EXPECT_NE(refusal({file().string(), "--cert", file().string()}).find("--key"), std::string::npos);
    EXPECT_NE(refusal({file().string(), "--cert", file().string(), "--key", file().string()}).find("PEM"),
              std::string::npos);
    ServedProgram first({file().string()});
    EXPECT_NE(refusal({file().string(), "--listen", "127.0.0.1:" + std::to_string(first.port())}, false)
                  .find("another program"),
              std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
