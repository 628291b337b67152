#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "fearnet/brain.hpp"
#include "formats.hpp"
#include "reading.hpp"
#include "server/application.hpp"
#include "server/http/target.hpp"

namespace fearnet::fuzz {
namespace {

// A server without a socket: a brain of rows in a folder where new ones can be made. There is no brain of
// texts, because to teach it takes a second.
class Served {
  public:
    Served() {
        Brain rows(folder_.path() / "rows.brain", create_new());
        Matrix x(12, 3);
        std::vector<std::string> labels;
        for (std::size_t i = 0; i < x.rows(); ++i) {
            for (std::size_t j = 0; j < x.cols(); ++j)
                x(i, j) = static_cast<float>(i % 3 == j ? 5 : 0) + 0.1F * static_cast<float>((3 * i + j) % 7);
            labels.push_back(std::string(1, static_cast<char>('a' + i % 3)));
        }
        rows.learn(x, labels);
        server::ApplicationOptions options;
        options.folder = folder_.path();
        options.log = false;
        options.metrics = true;
        options.threads = 1;
        application_ = std::make_unique<server::Application>(options);
    }

    // Every request is refused or answered once.
    void ask(const std::shared_ptr<server::Request>& request) {
        std::optional<server::Response> response = application_->refuse(*request);
        if (!response) {
            std::mutex mutex;
            std::condition_variable answered;
            application_->handle(request, [&](server::Response given) {
                const std::lock_guard lock(mutex);
                if (response) std::abort();  // twice
                response = std::move(given);
                answered.notify_all();
            });
            std::unique_lock lock(mutex);
            answered.wait(lock, [&] { return response.has_value(); });
        }
        application_->answered(*request, *response, 0);
        if (response->status < 200 || response->status >= 600 || response->status == 500)
            throw std::logic_error("status " + std::to_string(response->status) + ": " + response->body);
        for (const auto& [name, value] : response->headers)
            if (value.find_first_of("\r\n") != value.npos) throw std::logic_error("a header of two lines");
        if (response->type.find("json") != std::string::npos)
            for (const char c : response->body)
                if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
                    throw std::logic_error("a control character in an answer");
        if (response->stream) response->stream->close();
    }

  private:
    Folder folder_;
    std::unique_ptr<server::Application> application_;
};

constexpr std::size_t kRequests = 500;  // of one server

}  // namespace

// A request as it is sent: line, headers, an empty line, body. Lines end with \n. A new server begins after
// some requests, because they change its brains.
void request(io::ByteView bytes) {
    static std::unique_ptr<Served> served;
    static std::size_t requests = 0;
    if (!served || ++requests > kRequests) {
        served.reset();
        served = std::make_unique<Served>();
        requests = 0;
    }
    std::string_view text = io::as_text(bytes);
    const auto next_line = [&] {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return line;
    };
    auto request = std::make_shared<server::Request>();
    const std::string line = next_line();
    const std::size_t space = std::min(line.find(' '), line.size());
    request->method = line.substr(0, space);
    server::parse_target(line.substr(std::min(space + 1, line.size())), *request);
    request->headers["host"] = "localhost";
    request->began = server::Clock::now();
    for (std::string header = next_line(); !header.empty(); header = next_line()) {
        const std::size_t colon = std::min(header.find(": "), header.size());
        request->headers[header.substr(0, colon)] = header.substr(std::min(colon + 2, header.size()));
    }
    request->body = text;
    served->ask(request);
}

}  // namespace fearnet::fuzz
