// The socket that a server listens on.
#pragma once

#include <cstdint>
#include <string>

namespace fearnet::server {

// Listens on an address of this machine; port 0 is any free port. Throws Error if it cannot.
int listen_on(const std::string& host, std::uint16_t port);
std::uint16_t port_of(int socket);
// Whether only this machine reaches the address: 127.0.0.0/8, ::1 and "localhost".
bool is_loopback(const std::string& host);
// The same for the address that a socket listens on.
bool is_loopback_socket(int socket);
// "127.0.0.1" and 7077 of "127.0.0.1:7077", "[::1]:7077", "localhost:0". Throws Error that names --listen.
std::pair<std::string, std::uint16_t> parse_listen(const std::string& text);

// Raises the limit of open files as far as allowed and returns it.
std::size_t raise_open_files();

}  // namespace fearnet::server
