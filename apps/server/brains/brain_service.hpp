// One brain of the server. Predictions are answered from an immutable copy of it; one thread changes the file
// and puts a new copy in place when a change is on disk.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/json.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"
#include "server/brains/events.hpp"
#include "server/brains/prediction_queue.hpp"
#include "server/http/message.hpp"

namespace fearnet::server {

struct ServiceOptions {
    bool read_only = false;
    bool auto_sleep = false;
    int change_threads = 1;  // of the thread that changes the brain
};

// Thread-safe.
class BrainService {
  public:
    static constexpr std::size_t kMostChanges = 16;  // that may wait

    // Opens the file. Throws Error if it is not a brain.
    BrainService(std::string name, const std::filesystem::path& path, const ServiceOptions& options);
    ~BrainService();
    BrainService(const BrainService&) = delete;
    BrainService& operator=(const BrainService&) = delete;

    const std::string& name() const { return name_; }
    const std::filesystem::path& path() const { return path_; }
    bool read_only() const { return options_.read_only; }
    // The brain of this moment; only its const functions may be called.
    std::shared_ptr<const Brain> snapshot() const;
    // What makes rows of files and texts for this brain: its front end; before the first session that of
    // `kind`. Null if there is none. Throws Error if the model is not on this machine.
    std::shared_ptr<const Embedder> embedder(std::optional<InputKind> kind) const;
    // "image", "sound", "text", "rows", or "unknown" while nothing is taught.
    std::string input() const;

    // Answers a question of at most PredictionQueue::kMostRows rows.
    void ask(Question question) { predictions_.ask(std::move(question)); }

    // Runs `work` when the changes before it are done. It changes the brain and returns the response, to
    // which the number of the new state is added. The reply is sent when the change is on disk and the copy
    // for predictions has it. `what` is the name of the work in events: "learn", "sleep", ...
    using Work = std::function<apps::Json(Brain& brain, const Progress& progress)>;
    void change(const char* what, std::shared_ptr<Request> request, Work work, Reply reply);
    std::size_t waiting_changes() const;
    // Reports progress of `what` to the listeners, and cancels it as the request says.
    Progress progress_of(const char* what, std::shared_ptr<Request> request);
    void ended(const char* what);

    Events& events() { return events_; }
    // The event that tells the state.
    apps::Json state_event(const Brain& brain, const std::string& action, const std::string& detail) const;

    // Refuses the changes that wait and those that come.
    void refuse_changes();
    // Does so, and cancels the change at work if it takes longer than `patience`.
    void stop(Clock::duration patience);

  private:
    struct Change {
        const char* what;
        std::shared_ptr<Request> request;
        Work work;
        Reply reply;
    };

    void run();
    void make(Change& change);
    // Answers the changes that wait for nobody: their clients have gone, or their deadline has passed.
    void drop_cancelled();
    void look_for_changes_of_others();
    void sleep_if_due();
    void open();
    void open_again_if_replaced();
    std::shared_ptr<const Brain> load() const;
    // Puts a new copy in place and tells the listeners.
    void publish();

    const std::string name_;
    const std::filesystem::path path_;
    const ServiceOptions options_;
    Events events_;
    mutable std::mutex snapshot_mutex_;
    std::shared_ptr<const Brain> snapshot_;
    mutable std::mutex embedder_mutex_;
    mutable std::shared_ptr<const Embedder> embedder_;
    mutable std::mutex own_model_mutex_;
    mutable std::pair<std::string, std::string> own_model_;  // its name and kind
    PredictionQueue predictions_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Change> changes_;
    bool stopping_ = false;
    std::atomic<bool> cancel_ = false;
    std::atomic<bool> working_ = false;
    std::atomic<double> seconds_per_change_ = 0.1;
    Brain own_;                       // the one that the thread changes, or for a read-only brain watches
    std::pair<dev_t, ino_t> file_{};  // that own_ has open
    std::thread thread_;
};

}  // namespace fearnet::server
