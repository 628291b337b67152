#include "server/service_manager.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "fearnet/error.hpp"

namespace fearnet::server {

int inherited_socket() {
    constexpr int kFirst = 3;
    const char *pid = std::getenv("LISTEN_PID"), *count = std::getenv("LISTEN_FDS");
    if (pid == nullptr || count == nullptr || std::strtol(pid, nullptr, 10) != ::getpid()) return -1;
    const long sockets = std::strtol(count, nullptr, 10);
    if (sockets < 1) return -1;
    if (sockets > 1)
        throw Error("serve: the service manager passes " + std::to_string(sockets) + " sockets; 1 is served");
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(kFirst, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
        throw Error("serve: LISTEN_FDS is set, but file 3 is not a socket that listens");
    ::fcntl(kFirst, F_SETFD, FD_CLOEXEC);
    ::fcntl(kFirst, F_SETFL, ::fcntl(kFirst, F_GETFL) | O_NONBLOCK);
    return kFirst;
}

void notify_service_manager(const std::string& state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path == nullptr || (path[0] != '/' && path[0] != '@') || std::strlen(path) >= sizeof address.sun_path)
        return;
    std::strcpy(address.sun_path, path);
    if (path[0] == '@') address.sun_path[0] = 0;  // an abstract socket
    const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
    ::sendto(handle, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
             size);
    ::close(handle);
}

}  // namespace fearnet::server
