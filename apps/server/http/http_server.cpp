#include "server/http/http_server.hpp"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <set>
#include <thread>

#include "fearnet/error.hpp"
#include "server/http/listening_socket.hpp"
#include "server/http/target.hpp"

namespace fearnet::server {
namespace {

constexpr std::size_t kConnectionMemory = 32 * 1024;  // also limits the headers of a request
constexpr std::size_t kMostConnections = 8192;
constexpr std::size_t kOwnFiles = 128;       // open files that are no connections
constexpr std::size_t kDrained = 1'000'000;  // bodies up to this size are read before they are refused
constexpr std::size_t kBodiesAtOnce = 8;     // bodies of the largest size that may be in memory
constexpr std::size_t kSmallBody = 65536;    // bodies up to this size are always accepted
constexpr std::size_t kReserved =
    1 << 20;  // received bytes after which memory for the whole body is reserved
constexpr std::size_t kStreamBlock = 16 * 1024;
constexpr const char* kTls = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
constexpr auto kSweep = std::chrono::milliseconds(100);
constexpr std::int64_t kNever = 0;

std::int64_t milliseconds_now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

std::int64_t in(double seconds) {
    return milliseconds_now() + static_cast<std::int64_t>(1000 * seconds);
}

// What one connection is doing. Its own thread writes it; the sweep reads it.
struct Connection {
    int handle = -1;
    std::atomic<std::int64_t> until = kNever;  // when it is closed
    std::atomic<std::int64_t> since = 0;       // of the present phase
    std::atomic<bool> idle = true;             // between requests, or within the headers of one
    std::mutex mutex;                          // for the two below
    std::shared_ptr<Cancellation> work;        // of the request that is being answered
    std::shared_ptr<BodyStream> stream;        // that is being sent
};

std::string address_of(const sockaddr* address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address != nullptr && address->sa_family == AF_INET)
        ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
    if (address != nullptr && address->sa_family == AF_INET6)
        ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
    return text;
}

// Of a repeated header the values are joined, as if they had been sent together.
MHD_Result add_header(void* cls, MHD_ValueKind, const char* name, const char* value) {
    try {
        std::string lower(name);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        auto& headers = *static_cast<std::map<std::string, std::string>*>(cls);
        const auto [at, is_new] = headers.try_emplace(std::move(lower), value != nullptr ? value : "");
        if (!is_new) at->second += std::string(", ") + (value != nullptr ? value : "");
        return MHD_YES;
    } catch (const std::exception&) {  // out of memory
        return MHD_NO;
    }
}

}  // namespace

struct HttpServer::Parts {
    // One request from its line to the end of its response.
    struct Exchange : std::enable_shared_from_this<Exchange> {
        Parts& server;
        MHD_Connection* connection;
        Connection& state;
        std::shared_ptr<Request> request = std::make_shared<Request>();
        bool began = false;         // the headers have been read
        bool handed_over = false;   // to the handler
        std::size_t announced = 0;  // bytes of the body
        std::size_t received = 0;   // of them
        std::size_t charged = 0;    // of them, counted in server.body_bytes
        std::int64_t body_until = 0;
        std::optional<Response> refused;
        std::mutex mutex;  // for the two below
        std::optional<Response> response;
        bool suspended = false;
        bool counted = false;  // in server.open
        std::shared_ptr<BodyStream> stream;
        Response sent;  // without its body, for the log

        Exchange(Parts& parts, MHD_Connection* c, Connection& s) : server(parts), connection(c), state(s) {}
    };

    HttpOptions options;
    HttpHandler& handler;
    MHD_Daemon* daemon = nullptr;
    std::uint16_t port = 0;
    std::size_t max_connections = 0;
    std::atomic<std::size_t> open = 0;
    std::atomic<std::size_t> body_bytes = 0;
    std::mutex mutex;  // for the two below
    std::set<Connection*> connections;
    bool stopping = false;
    int quiesced = -1;  // the listening socket after stop_listening
    std::condition_variable stopped;
    std::thread sweeper;

    Parts(const HttpOptions& o, HttpHandler& h) : options(o), handler(h) {}

    // Null if there was no memory for it.
    static Connection* state_of(MHD_Connection* connection) {
        return static_cast<Connection*>(
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
    }

    void enter(Connection& state, bool idle, std::int64_t until) const {
        state.idle = idle;
        state.since = milliseconds_now();
        state.until = until;
    }

    static void on_connection(void* cls, MHD_Connection* connection, void** context,
                              MHD_ConnectionNotificationCode code) {
        Parts& parts = *static_cast<Parts*>(cls);
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
            *context = nullptr;
            try {
                auto state = std::make_unique<Connection>();
                state->handle =
                    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
                // With TLS the first thing that must come is the handshake.
                const bool tls = !parts.options.certificate.empty();
                parts.enter(*state, true,
                            in(tls ? parts.options.header_seconds : parts.options.idle_seconds));
                const std::lock_guard lock(parts.mutex);
                parts.connections.insert(state.get());
                *context = state.release();
            } catch (const std::exception&) {  // out of memory: its requests are not answered
            }
        } else {
            auto* state = static_cast<Connection*>(*context);
            {
                const std::lock_guard lock(parts.mutex);
                parts.connections.erase(state);
            }
            delete state;
            *context = nullptr;
        }
    }

    // The request line has arrived.
    static void* on_target(void* cls, const char* target, MHD_Connection* connection) {
        Parts& parts = *static_cast<Parts*>(cls);
        Connection* state = state_of(connection);
        if (state == nullptr) return nullptr;
        parts.enter(*state, true, in(parts.options.header_seconds));
        try {
            auto exchange = std::make_unique<std::shared_ptr<Exchange>>(
                std::make_shared<Exchange>(parts, connection, *state));
            (*exchange)->request->began = Clock::now();
            parse_target(target, *(*exchange)->request);
            return exchange.release();
        } catch (const std::exception&) {  // out of memory
            return nullptr;
        }
    }

    static MHD_Result on_request(void* cls, MHD_Connection*, const char*, const char* method, const char*,
                                 const char* upload, std::size_t* upload_size, void** context) {
        Parts& parts = *static_cast<Parts*>(cls);
        if (*context == nullptr) return MHD_NO;
        const std::shared_ptr<Exchange> exchange = *static_cast<std::shared_ptr<Exchange>*>(*context);
        try {
            if (!exchange->began) return parts.begin(*exchange, method);
            if (*upload_size > 0) {
                parts.add_body(*exchange, {upload, *upload_size});
                *upload_size = 0;
                return MHD_YES;
            }
            return parts.finish(exchange);
        } catch (const std::exception&) {  // out of memory
            return MHD_NO;
        }
    }

    MHD_Result begin(Exchange& e, const char* method) {
        e.began = true;
        Request& request = *e.request;
        request.method = method;
        MHD_get_connection_values(e.connection, MHD_HEADER_KIND, &add_header, &request.headers);
        request.client = address_of(
            MHD_get_connection_info(e.connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
        e.refused = refuse_body(e);
        if (!e.refused) e.refused = handler.refuse(request);
        e.body_until = in(options.body_seconds);
        enter(e.state, false, e.body_until);
        if (!e.refused || e.announced <= kDrained) {
            if (!e.refused) request.body.reserve(std::min(e.announced, kSmallBody));
            return MHD_YES;
        }
        return queue(e, std::move(*e.refused));
    }

    // The length is needed before the body arrives.
    std::optional<Response> refuse_body(Exchange& e) const {
        const Request& request = *e.request;
        if (!request.header("transfer-encoding").empty()) {
            e.announced = ~std::size_t{0};
            return problem(411, "the body comes in chunks; send it with a Content-Length");
        }
        const std::string& length = request.header("content-length");
        if (length.empty()) return std::nullopt;
        std::uint64_t bytes = 0;
        const auto [end, code] = std::from_chars(length.data(), length.data() + length.size(), bytes);
        const bool whole = end == length.data() + length.size();
        if (!whole || code == std::errc::invalid_argument) {
            e.announced = ~std::size_t{0};
            return problem(400, "the Content-Length '" + length.substr(0, kMaxNameBytes) + "' is no number");
        }
        e.announced = code == std::errc() ? static_cast<std::size_t>(bytes) : ~std::size_t{0};
        if (e.announced > options.max_body)
            return problem(413, "a body of " + length.substr(0, kMaxNameBytes) +
                                    " bytes, more than the limit of " + std::to_string(options.max_body) +
                                    "; send less at once, or start the server with a larger --max-body");
        return std::nullopt;
    }

    // A client has body_seconds for the beginning of its body, and then for each body_seconds *
    // body_bytes_per_second bytes.
    void add_body(Exchange& e, std::string_view bytes) {
        e.received += bytes.size();
        e.body_until += milliseconds_for(bytes.size());
        e.body_until = std::min(e.body_until, in(options.body_seconds));
        e.state.until = e.body_until;
        if (e.refused) return;
        if (e.received > e.announced) {  // the library counts, too
            refuse_late(e, problem(400, "the body is longer than its Content-Length"));
            return;
        }
        if (e.announced > kSmallBody) {
            e.charged += bytes.size();
            if ((body_bytes += bytes.size()) > kBodiesAtOnce * options.max_body) {
                Response busy = problem(503, "requests of more than " + std::to_string(kSmallBody) +
                                                 " bytes must wait until others are answered; try again");
                busy.headers.push_back({"Retry-After", "1"});
                refuse_late(e, std::move(busy));
                return;
            }
        }
        std::string& body = e.request->body;
        if (e.received > kReserved && body.capacity() < e.announced) body.reserve(e.announced);
        body += bytes;
    }

    // The rest of the body is read and dropped.
    void refuse_late(Exchange& e, Response response) {
        e.refused = std::move(response);
        release_body(e);
    }
    void release_body(Exchange& e) {
        std::string().swap(e.request->body);
        body_bytes -= std::exchange(e.charged, 0);
    }

    std::int64_t milliseconds_for(std::size_t bytes) const {
        return static_cast<std::int64_t>(1000 * static_cast<double>(bytes) / options.body_bytes_per_second);
    }

    // Called when the request is complete, and again when its connection is resumed.
    MHD_Result finish(const std::shared_ptr<Exchange>& e) {
        if (!e->handed_over) {
            e->handed_over = true;
            if (e->refused) return queue(*e, std::move(*e->refused));
            enter(e->state, false, kNever);
            {
                const std::lock_guard lock(e->state.mutex);
                e->state.work = e->request->cancellation;
            }
            ++open, e->counted = true;
            handler.handle(e->request, [e](Response response) {
                const std::lock_guard lock(e->mutex);
                e->response = std::move(response);
                if (std::exchange(e->suspended, false)) MHD_resume_connection(e->connection);
            });
        }
        std::optional<Response> response;
        {
            const std::lock_guard lock(e->mutex);
            if (!e->response) {
                e->suspended = true;
                MHD_suspend_connection(e->connection);
                return MHD_YES;
            }
            response = std::move(e->response);
        }
        return queue(*e, std::move(*response));
    }

    // The client has as long for the blocks of a stream as for those of a body; while there is nothing to
    // send, its time does not run.
    static ssize_t read_stream(void* cls, std::uint64_t, char* buffer, std::size_t most) {
        Exchange& e = **static_cast<std::shared_ptr<Exchange>*>(cls);
        try {
            bool ended = false;
            const std::string bytes = e.stream->take(most, ended);
            if (ended) return MHD_CONTENT_READER_END_OF_STREAM;
            if (bytes.empty()) {
                e.body_until = 0;
                e.state.until = kNever;
                MHD_suspend_connection(e.connection);
                e.stream->when_ready([connection = e.connection] { MHD_resume_connection(connection); });
                return 0;
            }
            std::memcpy(buffer, bytes.data(), bytes.size());
            const std::int64_t most_time = in(e.server.options.body_seconds);
            e.body_until = e.body_until == 0
                               ? most_time
                               : std::min(most_time, e.body_until + e.server.milliseconds_for(bytes.size()));
            e.state.until = e.body_until;
            return static_cast<ssize_t>(bytes.size());
        } catch (const std::exception&) {  // out of memory
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
    }
    static void free_stream(void* cls) { delete static_cast<std::shared_ptr<Exchange>*>(cls); }

    // The library's form of a response; null if there is no memory for it.
    static MHD_Response* made_of(Exchange& e, Response& response, std::size_t& bytes) {
        bytes = response.body.size();
        if (response.stream) {
            e.stream = response.stream;
            {
                const std::lock_guard lock(e.state.mutex);
                e.state.stream = response.stream;
            }
            auto context = std::make_unique<std::shared_ptr<Exchange>>(e.shared_from_this());
            MHD_Response* made = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock,
                                                                   &read_stream, context.get(), &free_stream);
            if (made != nullptr) (void)context.release();
            return made;
        }
        if (response.file) {
            const ::off_t size = ::lseek(response.file->handle(), 0, SEEK_END);
            if (size < 0) return nullptr;
            bytes = static_cast<std::size_t>(size);
            MHD_Response* made =
                MHD_create_response_from_fd64(static_cast<std::uint64_t>(size), response.file->handle());
            if (made != nullptr) response.file->release();
            return made;
        }
        return MHD_create_response_from_buffer(response.body.size(), response.body.data(),
                                               MHD_RESPMEM_MUST_COPY);
    }

    MHD_Result queue(Exchange& e, Response response) {
        release_body(e);
        if (response.stream && e.request->method == "HEAD") {
            response.stream->close();
            response.stream = nullptr;
        }
        std::size_t bytes = 0;
        MHD_Response* made = made_of(e, response, bytes);
        if (made == nullptr) return MHD_NO;
        MHD_add_response_header(made, "Content-Type", response.type.c_str());
        MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
        for (const auto& [name, value] : response.headers)
            MHD_add_response_header(made, name.c_str(), value.c_str());
        e.body_until = 0;
        enter(e.state, false, response.stream ? kNever : in(options.body_seconds) + milliseconds_for(bytes));
        const MHD_Result queued =
            MHD_queue_response(e.connection, static_cast<unsigned>(response.status), made);
        MHD_destroy_response(made);
        std::string().swap(response.body);
        e.sent = std::move(response);
        if (!e.stream) note(e);
        return queued;
    }

    void note(const Exchange& e) const {
        try {
            handler.answered(*e.request, e.sent,
                             std::chrono::duration<double>(Clock::now() - e.request->began).count());
        } catch (const std::exception&) {  // the response matters more than the log
        }
    }

    static void on_completed(void* cls, MHD_Connection*, void** context, MHD_RequestTerminationCode) {
        Parts& parts = *static_cast<Parts*>(cls);
        auto* held = static_cast<std::shared_ptr<Exchange>*>(*context);
        if (held == nullptr) return;
        Exchange& e = **held;
        {
            const std::lock_guard lock(e.state.mutex);
            e.state.work = nullptr;
            e.state.stream = nullptr;
        }
        e.request->cancellation->cancel();
        {
            // A response that came after the client had gone.
            const std::lock_guard lock(e.mutex);
            if (e.response && e.response->stream) e.response->stream->close();
            e.response.reset();
        }
        if (e.stream) e.stream->close(), parts.note(e);
        if (e.counted) --parts.open;
        parts.release_body(e);
        parts.enter(e.state, true, in(parts.options.idle_seconds));
        delete held;
        *context = nullptr;
    }

    // Closes connections whose time is over, tells work whose client has gone, and makes room.
    void sweep() {
        const std::int64_t now = milliseconds_now();
        const std::lock_guard lock(mutex);
        std::vector<std::pair<std::int64_t, Connection*>> idle;
        for (Connection* c : connections) {
            const std::int64_t until = c->until;
            if (until != kNever && now > until) {
                ::shutdown(c->handle, SHUT_RDWR);
                continue;
            }
            if (c->idle) idle.emplace_back(c->since, c);
            const std::lock_guard work_lock(c->mutex);
            if (!c->work) continue;
            pollfd event{c->handle, POLLRDHUP, 0};
            if (::poll(&event, 1, 0) <= 0) continue;
            c->work->cancel();
            if (c->stream) c->stream->end();
        }
        const std::size_t comfortable = max_connections / 4 * 3;
        if (connections.size() <= comfortable) return;
        std::sort(idle.begin(), idle.end());
        const std::size_t surplus = std::min(connections.size() - comfortable, idle.size());
        for (std::size_t i = 0; i < surplus; ++i) ::shutdown(idle[i].second->handle, SHUT_RDWR);
    }

    void start() {
        int listening = options.listening_socket;
        if (listening < 0) listening = listen_on(options.host, options.port);
        port = port_of(listening);
        const std::size_t files = raise_open_files();
        max_connections = options.max_connections;
        if (max_connections == 0)
            max_connections = std::min(kMostConnections, files - std::min(files / 2, kOwnFiles));
        unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
        std::vector<MHD_OptionItem> items{
            {MHD_OPTION_LISTEN_SOCKET, listening, nullptr},
            {MHD_OPTION_CONNECTION_LIMIT, static_cast<std::intptr_t>(max_connections), nullptr},
            {MHD_OPTION_CONNECTION_MEMORY_LIMIT, static_cast<std::intptr_t>(kConnectionMemory), nullptr},
            {MHD_OPTION_CONNECTION_TIMEOUT, static_cast<std::intptr_t>(options.idle_seconds + 1), nullptr},
            {MHD_OPTION_STRICT_FOR_CLIENT, 1, nullptr},
            {MHD_OPTION_URI_LOG_CALLBACK, reinterpret_cast<std::intptr_t>(&on_target), this},
            {MHD_OPTION_NOTIFY_COMPLETED, reinterpret_cast<std::intptr_t>(&on_completed), this},
            {MHD_OPTION_NOTIFY_CONNECTION, reinterpret_cast<std::intptr_t>(&on_connection), this},
        };
        if (options.threads > 1) items.push_back({MHD_OPTION_THREAD_POOL_SIZE, options.threads, nullptr});
        if (!options.certificate.empty()) {
            flags |= MHD_USE_TLS;
            items.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTls)});
            items.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, options.certificate.data()});
            items.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, options.key.data()});
        }
        items.push_back({MHD_OPTION_END, 0, nullptr});
        daemon = MHD_start_daemon(flags, 0, nullptr, nullptr, &on_request, this, MHD_OPTION_ARRAY,
                                  items.data(), MHD_OPTION_END);
        if (daemon == nullptr) {
            ::close(listening);
            throw Error(options.certificate.empty()
                            ? std::string("serve: the HTTP server does not start: ") + std::strerror(errno)
                            : "--cert, --key: the HTTP server does not start; both must be PEM files, and "
                              "the key must fit the certificate");
        }
        sweeper = std::thread([this] {
            std::unique_lock lock(mutex);
            while (!stopped.wait_for(lock, kSweep, [this] { return stopping; })) {
                lock.unlock();
                sweep();
                lock.lock();
            }
        });
    }

    ~Parts() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        stopped.notify_all();
        if (sweeper.joinable()) sweeper.join();
        if (daemon != nullptr) MHD_stop_daemon(daemon);
        if (quiesced >= 0) ::close(quiesced);
    }
};

HttpServer::HttpServer(const HttpOptions& options, HttpHandler& handler)
    : parts_(std::make_unique<Parts>(options, handler)) {
    parts_->start();
}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
    return parts_->port;
}
std::size_t HttpServer::connections() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->connections.size();
}
std::size_t HttpServer::open_requests() const {
    return parts_->open;
}
void HttpServer::stop_listening() {
    parts_->quiesced = MHD_quiesce_daemon(parts_->daemon);
}

}  // namespace fearnet::server
