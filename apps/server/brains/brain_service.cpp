#include "server/brains/brain_service.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "fearnet/data/models.hpp"
#include "fearnet/error.hpp"
#include "fearnet/threads.hpp"
#include "server/brains/failure.hpp"
#include "server/brains/workers.hpp"

namespace fearnet::server {
namespace {

constexpr auto kLook = std::chrono::seconds(1);   // for changes of other programs
constexpr auto kPing = std::chrono::seconds(15);  // of listeners
constexpr auto kBetweenReports = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::pair<dev_t, ino_t> identity(const std::filesystem::path& path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 ? std::pair{file.st_dev, file.st_ino} : std::pair<dev_t, ino_t>{};
}

}  // namespace

BrainService::BrainService(std::string name, const std::filesystem::path& path, const ServiceOptions& options)
    : name_(std::move(name)), path_(path), options_(options), snapshot_(load()), predictions_([this] {
          return snapshot();
      }) {
    open();
    thread_ = std::thread([this] { run(); });
}

BrainService::~BrainService() {
    stop(std::chrono::seconds(0));
    thread_.join();
}

std::shared_ptr<const Brain> BrainService::snapshot() const {
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_;
}

std::shared_ptr<const Brain> BrainService::load() const {
    return std::make_shared<const Brain>(path_, BrainAccess::read);
}

std::shared_ptr<const Embedder> BrainService::embedder(std::optional<InputKind> kind) const {
    const std::shared_ptr<const Brain> brain = snapshot();
    const FrontEnd& front_end = brain->front_end();
    if (front_end.name.empty() && (!kind || !brain->class_names().empty() || brain->accepts_text()))
        return nullptr;
    const std::lock_guard lock(embedder_mutex_);
    const bool fits = embedder_ && (front_end.name.empty() ? embedder_->kind() == *kind
                                                           : embedder_->front_end() == front_end);
    if (!fits)
        embedder_ = front_end.name.empty() ? std::make_shared<const Embedder>(kind_name(*kind))
                                           : std::make_shared<const Embedder>(front_end);
    return embedder_;
}

std::string BrainService::input() const {
    const std::shared_ptr<const Brain> brain = snapshot();
    if (brain->accepts_text()) return "text";
    const FrontEnd& front_end = brain->front_end();
    if (front_end.name.empty()) return brain->class_names().empty() ? "unknown" : "rows";
    if (front_end.name.starts_with("onnx:")) {  // a model of the user's own, which is read once
        const std::lock_guard lock(own_model_mutex_);
        if (own_model_.first != front_end.name) try {
                own_model_ = {front_end.name, model_info(front_end.name).kind};
            } catch (const Error&) {
                return "rows";  // it is not on this machine
            }
        return own_model_.second;
    }
    // The catalog knows the kind without loading the model.
    const std::string name = front_end.name.substr(0, front_end.name.find(':'));
    for (const ModelInfo& model : model_list())
        if (model.name == name || model.name == front_end.name) return model.kind;
    return "rows";
}

apps::Json BrainService::state_event(const Brain& brain, const std::string& action,
                                     const std::string& detail) const {
    return {{"state", brain.changes()},
            {"action", action},
            {"detail", detail},
            {"classes", brain.class_names().size()},
            {"sleep_due", brain.sleep_due().value_or("")}};
}

void BrainService::change(const char* what, std::shared_ptr<Request> request, Work work, Reply reply) {
    std::size_t waiting = 0;
    {
        const std::lock_guard lock(mutex_);
        waiting = changes_.size();
        if (!stopping_ && waiting < kMostChanges) {
            changes_.push_back({what, std::move(request), std::move(work), std::move(reply)});
            changed_.notify_all();
            return;
        }
    }
    const bool full = waiting >= kMostChanges;
    Response refused =
        full ? problem(429, std::to_string(waiting) + " changes of this brain wait, the most is " +
                                std::to_string(kMostChanges) + "; try again later")
             : problem(503, "the server is stopping; nothing was changed");
    const double seconds = full ? static_cast<double>(waiting) * seconds_per_change_ : 5;
    refused.headers.push_back(
        {"Retry-After", std::to_string(std::max(1, static_cast<int>(std::ceil(seconds))))});
    reply(std::move(refused));
}

std::size_t BrainService::waiting_changes() const {
    const std::lock_guard lock(mutex_);
    return changes_.size() + (working_ ? 1 : 0);
}

Progress BrainService::progress_of(const char* what, std::shared_ptr<Request> request) {
    struct Reported {
        Clock::time_point began = Clock::now(), last = began - kBetweenReports;
        std::string phase;
    };
    return [this, what, request, reported = std::make_shared<Reported>()](const ProgressEvent& event) {
        const Clock::time_point now = Clock::now();
        if (event.phase != reported->phase) reported->phase = event.phase, reported->began = now;
        if (now - reported->last >= kBetweenReports) {
            reported->last = now;
            drop_cancelled();
            const double seconds = seconds_since(reported->began);
            const double left =
                event.done == 0 || event.total == 0
                    ? -1
                    : seconds * static_cast<double>(event.total - std::min(event.done, event.total)) /
                          static_cast<double>(event.done);
            events_.publish("progress", {{"work", what},
                                         {"phase", std::string(event.phase)},
                                         {"done", event.done},
                                         {"total", event.total},
                                         {"seconds_left", left < 0 ? apps::Json() : apps::Json(left)}});
        }
        return !cancel_ && !(request && request->cancellation->cancelled());
    };
}

void BrainService::drop_cancelled() {
    std::vector<Change> dropped;
    {
        const std::lock_guard lock(mutex_);
        for (auto at = changes_.begin(); at != changes_.end();) {
            if (at->request->cancellation->cancelled()) {
                dropped.push_back(std::move(*at));
                at = changes_.erase(at);
            } else {
                ++at;
            }
        }
    }
    for (Change& change : dropped)
        change.reply(guarded(*change.request, name_, path_.string(),
                             [&]() -> Response { throw Cancelled(change.what); }));
}

void BrainService::ended(const char* what) {
    events_.publish("done", {{"work", what}});
}

void BrainService::run() {
    yield_to_predictions();
    set_threads(options_.change_threads);
    Clock::time_point pinged = Clock::now();
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait_for(lock, kLook, [this] { return stopping_ || !changes_.empty(); });
        if (stopping_ && changes_.empty()) return;
        if (Clock::now() - pinged > kPing) pinged = Clock::now(), events_.ping();
        if (changes_.empty()) {
            lock.unlock();
            look_for_changes_of_others();
            lock.lock();
            continue;
        }
        Change change = std::move(changes_.front());
        changes_.pop_front();
        working_ = true;
        lock.unlock();
        make(change);
        sleep_if_due();
        lock.lock();
        working_ = false;
        changed_.notify_all();
    }
}

void BrainService::make(Change& change) {
    const auto start = Clock::now();
    Response response = guarded(*change.request, name_, path_.string(), [&]() -> Response {
        if (change.request->cancellation->cancelled() || cancel_) throw Cancelled(change.what);
        open_again_if_replaced();
        const std::int64_t before = own_.changes();
        apps::Json json = change.work(own_, progress_of(change.what, change.request));
        if (own_.changes() != before) publish();
        const std::int64_t state = own_.changes();
        json.add("state", state);
        return {.body = printable_lines(json.dump()) + "\n",
                .headers = {{"FearNet-State", std::to_string(state)}}};
    });
    ended(change.what);
    seconds_per_change_ = 0.7 * seconds_per_change_ + 0.3 * seconds_since(start);
    change.reply(std::move(response));
}

void BrainService::publish() {
    const std::shared_ptr<const Brain> loaded = load();
    {
        const std::lock_guard lock(snapshot_mutex_);
        snapshot_ = loaded;
    }
    if (events_.listeners() == 0) return;
    const std::vector<HistoryEntry> history = loaded->info().history;
    const HistoryEntry last = history.empty() ? HistoryEntry{} : history.back();
    events_.publish("state", state_event(*loaded, last.action, last.detail));
}

void BrainService::open() {
    file_ = identity(path_);
    own_ = Brain(path_, options_.read_only ? BrainAccess::read : BrainAccess::write);
}

// Another program may have replaced the file: a change of the old one would be lost.
void BrainService::open_again_if_replaced() {
    if (identity(path_) == file_) return;
    open();
    publish();
}

void BrainService::look_for_changes_of_others() {
    try {
        open_again_if_replaced();
        if (own_.refresh() || snapshot()->changes() != own_.changes()) publish();
    } catch (const std::exception&) {
        // The file is gone, damaged or locked for long: the last state answers.
    }
}

void BrainService::sleep_if_due() {
    if (!options_.auto_sleep || !own_.sleep_due()) return;
    {
        const std::lock_guard lock(mutex_);
        if (!changes_.empty() || stopping_) return;
    }
    try {
        own_.sleep({}, progress_of("sleep", nullptr));
        publish();
    } catch (const std::exception&) {
        // Tried again after the next change.
    }
    ended("sleep");
}

void BrainService::stop(Clock::duration patience) {
    refuse_changes();
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [this] { return !working_; });
        cancel_ = true;
    }
    events_.end();
}

void BrainService::refuse_changes() {
    std::deque<Change> refused;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        refused.swap(changes_);
        changed_.notify_all();
    }
    for (Change& change : refused) {
        Response response = problem(503, "the server is stopping; nothing was changed");
        response.headers.push_back({"Retry-After", "5"});
        change.reply(std::move(response));
    }
}

}  // namespace fearnet::server
