#include "server/brains/workers.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fearnet/threads.hpp"

namespace fearnet::server {
namespace {

constexpr std::size_t kMostWaiting = 64;
constexpr int kNiceness = 10;

}  // namespace

void yield_to_predictions() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNiceness);
}

Workers::Workers(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this, threads] { work(threads); });
}

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool Workers::run(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || tasks_.size() >= kMostWaiting) return false;
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return true;
}

void Workers::work(int threads) {
    yield_to_predictions();
    set_threads(threads);
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

}  // namespace fearnet::server
