#include "server/brains/events.hpp"

#include <algorithm>

#include "fearnet/error.hpp"

namespace fearnet::server {
namespace {

constexpr std::size_t kMostListeners = 256;
constexpr std::size_t kMostWaiting = 1 << 20;  // bytes that a slow listener may have unread

}  // namespace

std::string event_text(const char* event, const apps::Json& data) {
    return std::string("event: ") + event + "\ndata: " + printable(data.dump()) + "\n\n";
}

std::shared_ptr<BodyStream> Events::listen(const std::string& first) {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [](const auto& stream) { return stream->closed(); });
    if (streams_.size() >= kMostListeners) return nullptr;
    auto stream = std::make_shared<BodyStream>();
    stream->write(first);
    if (ended_)
        stream->end();
    else
        streams_.push_back(stream);
    return stream;
}

void Events::send(const std::string& text) {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](const std::shared_ptr<BodyStream>& stream) {
        if (stream->closed()) return true;
        if (stream->write(text) <= kMostWaiting) return false;
        stream->end();
        return true;
    });
}

void Events::publish(const char* event, const apps::Json& data) {
    send(event_text(event, data));
}

void Events::ping() {
    send(": ping\n\n");
}

void Events::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const std::shared_ptr<BodyStream>& stream : streams_) stream->end();
    streams_.clear();
}

std::size_t Events::listeners() const {
    const std::lock_guard lock(mutex_);
    return streams_.size();
}

}  // namespace fearnet::server
