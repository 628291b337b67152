// A small HTTP client for tests: sends any bytes, reads whole responses. Loopback only, with a timeout.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fearnet::test {

struct HttpAnswer {
    int status = 0;                              // 0: the server closed the connection without an answer
    std::map<std::string, std::string> headers;  // by name in lower case
    std::string body;
};

// One connection. Functions throw std::runtime_error if the server does not answer in time.
class HttpConnection {
  public:
    explicit HttpConnection(std::uint16_t port, int timeout_seconds = 60) {
        handle_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval timeout{timeout_seconds, 0};
        ::setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
        ::setsockopt(handle_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("no connection to port " + std::to_string(port));
    }
    ~HttpConnection() { close(); }
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    void close() {
        if (handle_ >= 0) ::close(handle_);
        handle_ = -1;
    }
    int handle() const { return handle_; }
    // False if the server has closed the connection.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    // More bytes of the response; empty at its end.
    std::string receive() {
        char buffer[16384];
        const ssize_t count = ::recv(handle_, buffer, sizeof buffer, 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            throw std::runtime_error("the server does not answer");
        return count <= 0 ? std::string() : std::string(buffer, static_cast<std::size_t>(count));
    }
    HttpAnswer answer() {
        HttpAnswer result;
        std::size_t end = read_until("\r\n\r\n");
        if (end == std::string::npos) return result;
        result.status = std::atoi(pending_.c_str() + std::min<std::size_t>(9, pending_.size()));
        parse_headers(pending_.substr(0, end), result);
        pending_.erase(0, end + 4);
        if (result.status == 100) return answer();
        if (result.headers["transfer-encoding"] == "chunked") {
            while ((end = read_until("\r\n")) != std::string::npos) {
                const std::size_t size = std::strtoul(pending_.c_str(), nullptr, 16);
                pending_.erase(0, end + 2);
                if (!read_bytes(size + 2)) break;
                result.body += pending_.substr(0, size);
                pending_.erase(0, size + 2);
                if (size == 0) break;
            }
        } else if (const std::size_t size =
                       std::strtoul(result.headers["content-length"].c_str(), nullptr, 10);
                   size > 0 && read_bytes(size)) {
            result.body = pending_.substr(0, size);
            pending_.erase(0, size);
        }
        return result;
    }
    HttpAnswer request(const std::string& method, const std::string& target, const std::string& body = "",
                       const std::string& type = "application/json", const std::string& more_headers = "") {
        std::string text = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more_headers;
        if (!body.empty() || method == "POST")
            text += "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        send(text + "\r\n" + body);
        return answer();
    }

  private:
    std::size_t read_until(const std::string& mark) {
        while (true) {
            if (const std::size_t at = pending_.find(mark); at != std::string::npos) return at;
            const std::string more = receive();
            if (more.empty()) return std::string::npos;
            pending_ += more;
        }
    }
    bool read_bytes(std::size_t count) {
        while (pending_.size() < count) {
            const std::string more = receive();
            if (more.empty()) return false;
            pending_ += more;
        }
        return true;
    }
    static void parse_headers(const std::string& text, HttpAnswer& result) {
        for (std::size_t at = text.find("\r\n"); at != std::string::npos;) {
            const std::size_t begin = at + 2, end = std::min(text.find("\r\n", begin), text.size());
            const std::string line = text.substr(begin, end - begin);
            const std::size_t colon = std::min(line.find(':'), line.size());
            std::string name = line.substr(0, colon);
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            const std::size_t value = line.find_first_not_of(' ', colon + 1);
            result.headers[name] = value == std::string::npos ? "" : line.substr(value);
            at = end == text.size() ? std::string::npos : end;
        }
    }

    int handle_ = -1;
    std::string pending_;
};

}  // namespace fearnet::test
