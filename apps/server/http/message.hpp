// A request and its response, independent of the HTTP library.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fearnet::server {

using Clock = std::chrono::steady_clock;

// Tells work that nobody waits for its result any more: the client has gone, or the deadline has passed.
class Cancellation {
  public:
    void cancel() { gone_ = true; }
    bool client_gone() const { return gone_; }
    void set_deadline(Clock::time_point at) { deadline_ = at; }
    bool late() const { return deadline_ && Clock::now() >= *deadline_; }
    bool cancelled() const { return client_gone() || late(); }

  private:
    std::atomic<bool> gone_ = false;
    std::optional<Clock::time_point> deadline_;
};

struct Request {
    std::string method;
    std::string target;                          // the path as it was sent, for the log
    std::vector<std::string> path;               // its parts, percent-decoded
    std::map<std::string, std::string> query;    // percent-decoded
    std::map<std::string, std::string> headers;  // by name in lower case
    std::string body;
    std::string client;  // the address
    Clock::time_point began;
    std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();

    // Empty if there is no such header.
    const std::string& header(const std::string& lower_case_name) const {
        static const std::string kNone;
        const auto at = headers.find(lower_case_name);
        return at == headers.end() ? kNone : at->second;
    }
};

// A body that is written while it is sent. The functions may be called from several threads.
class BodyStream {
  public:
    // Adds bytes; drops them after end(). Returns how many bytes wait to be sent.
    std::size_t write(const std::string& bytes);
    void end();
    // True when nobody reads any more.
    bool closed() const;

    // For the HTTP server: takes at most `most` bytes; `ended` tells that no more will come.
    std::string take(std::size_t most, bool& ended);
    // Calls `wake` once, when there are bytes to take or the stream has ended; at once if so already.
    void when_ready(std::function<void()> wake);
    void close();

  private:
    mutable std::mutex mutex_;
    std::string bytes_;
    bool ended_ = false, closed_ = false;
    std::function<void()> wake_;
};

// A file that is open as long as somebody needs it.
class OpenFile {
  public:
    explicit OpenFile(int handle) : handle_(handle) {}
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int handle() const { return handle_; }
    // Somebody else closes it.
    void release() { handle_ = -1; }

  private:
    int handle_;
};

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::shared_ptr<BodyStream> stream = {};  // instead of body
    std::shared_ptr<OpenFile> file = {};      // instead of body
    std::shared_ptr<void> held = {};          // until the response is sent
};

// Answers one request; call it exactly once, from any thread.
using Reply = std::function<void(Response)>;

// RFC 9457: {"type", "title", "status", "detail"}.
Response problem(int status, const std::string& detail);
const char* reason_of(int status);

}  // namespace fearnet::server
