// Server-sent events: what happens to a brain, for everybody who listens.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/json.hpp"
#include "server/http/message.hpp"

namespace fearnet::server {

// Thread-safe.
class Events {
  public:
    // A new listener; its stream begins with `first`. Null if there are too many.
    std::shared_ptr<BodyStream> listen(const std::string& first);
    void publish(const char* event, const apps::Json& data);
    // A comment that keeps connections open and finds those that are gone.
    void ping();
    // Ends all streams, and those of later listeners at once.
    void end();
    std::size_t listeners() const;

  private:
    void send(const std::string& text);

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<BodyStream>> streams_;
    bool ended_ = false;
};

std::string event_text(const char* event, const apps::Json& data);

}  // namespace fearnet::server
