#include "server/http/message.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/json.hpp"
#include "fearnet/error.hpp"

namespace fearnet::server {

OpenFile::~OpenFile() {
    if (handle_ >= 0) ::close(handle_);
}

std::size_t BodyStream::write(const std::string& bytes) {
    std::function<void()> wake;
    std::size_t waiting = 0;
    {
        const std::lock_guard lock(mutex_);
        if (ended_ || closed_) return 0;
        bytes_ += bytes;
        waiting = bytes_.size();
        wake = std::exchange(wake_, nullptr);
    }
    if (wake) wake();
    return waiting;
}

void BodyStream::end() {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        wake = std::exchange(wake_, nullptr);
    }
    if (wake) wake();
}

bool BodyStream::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

std::string BodyStream::take(std::size_t most, bool& ended) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(most, bytes_.size());
    std::string taken = bytes_.substr(0, count);
    bytes_.erase(0, count);
    ended = taken.empty() && ended_;
    return taken;
}

void BodyStream::when_ready(std::function<void()> wake) {
    {
        const std::lock_guard lock(mutex_);
        if (bytes_.empty() && !ended_ && !closed_) {
            wake_ = std::move(wake);
            return;
        }
    }
    wake();
}

void BodyStream::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    bytes_.clear();
    wake_ = nullptr;
}

Response problem(int status, const std::string& detail) {
    const apps::Json json{
        {"type", "about:blank"}, {"title", reason_of(status)}, {"status", status}, {"detail", detail}};
    return {
        .status = status, .type = "application/problem+json", .body = printable_lines(json.dump()) + "\n"};
}

const char* reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 409:
            return "Conflict";
        case 411:
            return "Length Required";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 421:
            return "Misdirected Request";
        case 429:
            return "Too Many Requests";
        case 499:
            return "Client Closed Request";
        case 500:
            return "Internal Server Error";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        default:
            return "Error";
    }
}

}  // namespace fearnet::server
