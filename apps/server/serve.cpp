#include "server/serve.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fearnet/error.hpp"
#include "server/http/listening_socket.hpp"
#include "server/service_manager.hpp"

namespace fearnet::server {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);  // with a change that is at work when the server stops
constexpr auto kStep = std::chrono::milliseconds(50);

std::string read_small_file(const char* flag, const std::string& path) {
    constexpr std::size_t kMost = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.good() && !file.eof()) throw Error(std::string(flag) + " " + path + ": cannot be read");
    if (text.empty() || text.size() > kMost)
        throw Error(std::string(flag) + " " + path + ": has " + std::to_string(text.size()) +
                    " bytes; expected are 1 to 1048576");
    return text;
}

std::string read_token(const std::string& path, const std::function<void(const std::string&)>& say) {
    constexpr std::size_t kLeast = 16;
    std::string token = read_small_file("--token-file", path);
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
        token.pop_back();
    const bool plain =
        std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (token.size() < kLeast || !plain)
        throw Error("--token-file " + path +
                    ": a token is one line of 16 or more letters and digits ('openssl rand -hex 32' makes "
                    "one); this one " +
                    (plain ? "has " + std::to_string(token.size()) : "has other characters"));
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0 && (file.st_mode & (S_IRGRP | S_IROTH)) != 0)
        say("--token-file " + path + ": other users can read it; 'chmod 600' prevents that");
    return token;
}

void become(const std::string& user) {
    errno = 0;
    const passwd* entry = ::getpwnam(user.c_str());
    if (entry == nullptr) throw Error("--user '" + user + "': there is no such user");
    if (::initgroups(user.c_str(), entry->pw_gid) != 0 || ::setgid(entry->pw_gid) != 0 ||
        ::setuid(entry->pw_uid) != 0)
        throw Error("--user '" + user + "': " + std::strerror(errno) + "; only root can become another user");
}

bool wait_until(std::chrono::steady_clock::duration most, const std::function<bool()>& done) {
    const auto end = Clock::now() + most;
    while (!done()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(kStep);
    }
    return true;
}

}  // namespace

void serve(ServeOptions o, const std::function<bool()>& interrupted,
           const std::function<void(const std::string&)>& say) {
    ::signal(SIGPIPE, SIG_IGN);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!o.token_file.empty()) o.application.token = read_token(o.token_file, say);
    if (o.certificate_file.empty() != o.key_file.empty()) throw Error("--cert and --key: give both, or none");
    if (!o.certificate_file.empty()) {
        o.http.certificate = read_small_file("--cert", o.certificate_file);
        o.http.key = read_small_file("--key", o.key_file);
        o.application.tls = true;
    }
    o.http.listening_socket = inherited_socket();
    if (o.http.listening_socket < 0) {
        if (o.application.token.empty() && !is_loopback(o.http.host))
            throw Error("--listen " + o.http.host +
                        ": other machines reach this address; a token is needed (--token-file)");
        o.http.listening_socket = listen_on(o.http.host, o.http.port);
    } else if (o.application.token.empty() && !is_loopback_socket(o.http.listening_socket)) {
        throw Error(
            "serve: other machines reach the socket of the service manager; a token is needed "
            "(--token-file)");
    }
    if (!o.application.tls && !is_loopback_socket(o.http.listening_socket))
        say("the token is sent unencrypted; give --cert and --key, or listen on 127.0.0.1 behind a proxy "
            "with TLS");
    if (!o.user.empty()) become(o.user);

    Application application(o.application);
    HttpServer server(o.http, application);
    application.set_server(&server);
    const std::size_t brains = application.brains().size();
    const std::string host =
        o.http.host.find(':') == std::string::npos ? o.http.host : "[" + o.http.host + "]";
    say(std::string(o.application.tls ? "https://" : "http://") + host + ":" + std::to_string(server.port()) +
        "/ serves " + std::to_string(brains) + (brains == 1 ? " brain" : " brains") + "; Ctrl-C ends it");
    notify_service_manager("READY=1");
    while (!interrupted()) std::this_thread::sleep_for(kStep);

    notify_service_manager("STOPPING=1");
    server.stop_listening();
    application.stop(kPatience);
    if (!wait_until(kPatience, [&] { return server.open_requests() == 0; })) {
        // A client does not read its answer. What was acknowledged is on disk.
        std::fflush(nullptr);
        std::_Exit(0);
    }
    application.set_server(nullptr);
}

}  // namespace fearnet::server
