#include "server/http/listening_socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "fearnet/error.hpp"

namespace fearnet::server {
namespace {

constexpr int kBacklog = 1024;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (code != 0) throw Error("--listen: no address '" + host + "': " + ::gai_strerror(code));
    return {found, &::freeaddrinfo};
}

bool is_loopback(const sockaddr* address) {
    if (address->sa_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
    return address->sa_family == AF_UNIX;
}

}  // namespace

int listen_on(const std::string& host, std::uint16_t port) {
    const Addresses addresses = resolve(host, port);
    int problem = 0;
    for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
        const int handle = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (handle < 0) {
            problem = errno;
            continue;
        }
        const int on = 1;
        ::setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::bind(handle, at->ai_addr, at->ai_addrlen) == 0 && ::listen(handle, kBacklog) == 0)
            return handle;
        problem = errno;
        ::close(handle);
    }
    throw Error("--listen " + host + ":" + std::to_string(port) + ": " + std::strerror(problem) +
                (problem == EADDRINUSE ? "; another program listens there, choose another port" : ""));
}

std::uint16_t port_of(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
    if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
    return address.ss_family == AF_INET ? ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port) : 0;
}

bool is_loopback(const std::string& host) {
    const Addresses addresses = resolve(host, 0);
    for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next)
        if (!is_loopback(at->ai_addr)) return false;
    return true;
}

bool is_loopback_socket(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    return ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
           is_loopback(reinterpret_cast<sockaddr*>(&address));
}

std::pair<std::string, std::uint16_t> parse_listen(const std::string& text) {
    const auto refuse = [&] {
        return Error("--listen '" + text +
                     "': must be an address and a port, such as 127.0.0.1:7077 or [::1]:7077");
    };
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) throw refuse();
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != host.npos)
        throw refuse();
    unsigned port = 0;
    const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(begin, end, port);
    if (host.empty() || begin == end || stop != end || code != std::errc() || port > 65535) throw refuse();
    return {host, static_cast<std::uint16_t>(port)};
}

std::size_t raise_open_files() {
    constexpr rlim_t kMost = 65536;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    const rlim_t wanted = std::min(limit.rlim_max, kMost);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        ::getrlimit(RLIMIT_NOFILE, &limit);
    }
    return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace fearnet::server
