// Threads for work that takes long and changes nothing: embedding files, large predictions, reports.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fearnet::server {

// Lowers the priority of the calling thread, so that short predictions come first.
void yield_to_predictions();

class Workers {
  public:
    explicit Workers(int threads);
    // Finishes all tasks.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // False if too many tasks wait already. A task must not throw.
    bool run(std::function<void()> task);

  private:
    void work(int threads);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace fearnet::server
