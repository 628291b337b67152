#include "server/brains/failure.hpp"

#include "common/message.hpp"
#include "fearnet/error.hpp"

namespace fearnet::server {
namespace {

Response later(int status, const std::string& detail) {
    Response response = problem(status, detail);
    response.headers.push_back({"Retry-After", "1"});
    return response;
}

}  // namespace

Response failure_response(const Request& request, const std::string& brain, const std::string& path) {
    try {
        throw;
    } catch (const Failure& failure) {
        if (failure.status() == 503) return later(503, failure.what());
        return problem(failure.status(), failure.what());
    } catch (const Cancelled&) {
        if (request.cancellation->client_gone())
            return problem(499, "the client closed the connection; nothing was changed");
        if (request.cancellation->late())
            return problem(504, "not finished by the deadline; nothing was changed");
        return later(503, "the server is stopping; nothing was changed");
    } catch (const OutOfMemory& error) {
        return later(503, apps::without_function(error.what()));
    } catch (const Error& error) {
        const std::string message = error.what();
        if (path.empty() || !message.starts_with(path)) return problem(400, apps::without_function(message));
        return later(503, brain + message.substr(path.size()));
    } catch (const std::bad_alloc&) {
        return later(503, "not enough memory");
    } catch (const std::exception& error) {
        return problem(500, std::string("unexpected: ") + error.what());
    }
}

}  // namespace fearnet::server
