#include "core/base/parallel.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "fearnet/threads.hpp"

namespace fearnet {
namespace {

using Clock = std::chrono::steady_clock;

// A waiting thread polls for this long, then sleeps. Long enough to bridge the gap between two loops of a
// training step; a thread that polled longer would take a processor from whoever else needs it.
constexpr std::chrono::microseconds kPoll{50};

thread_local bool inside_task = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Returns when `ready` holds, or after kPoll.
template <class Ready>
void poll(const Ready& ready) {
    const Clock::time_point end = Clock::now() + kPoll;
    do {
        for (int i = 0; i < 32; ++i) {
            if (ready()) return;
            pause();
        }
    } while (Clock::now() < end);
}

struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
};

// The tasks of one loop. Each thread first takes the tasks of its own share, so that it finds the same part
// of an array in its cache in every loop, and then those that others have not begun.
class Loop {
  public:
    Loop(std::size_t count, std::span<Share> shares, void (*task)(void*, std::size_t), void* context)
        : task_(task), context_(context), shares_(shares) {
        for (std::size_t t = 0; t < shares.size(); ++t) {
            shares[t].next.store(count * t / shares.size(), std::memory_order_relaxed);
            shares[t].end = count * (t + 1) / shares.size();
        }
    }

    void work(std::size_t thread) noexcept {
        inside_task = true;
        for (std::size_t t = 0; t < shares_.size(); ++t) {
            Share& share = shares_[(thread + t) % shares_.size()];
            for (std::size_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
                try {
                    task_(context_, i);
                } catch (...) {
                    fail(std::current_exception());
                }
            }
        }
        inside_task = false;
    }

    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void fail(std::exception_ptr failure) noexcept {
        const std::lock_guard lock(failing_);
        if (!failure_) failure_ = std::move(failure);
        for (Share& share : shares_) share.next.store(share.end, std::memory_order_relaxed);
    }

    void (*task_)(void*, std::size_t);
    void* context_;
    std::span<Share> shares_;
    std::mutex failing_;
    std::exception_ptr failure_;
};

// A loop costs no lock and no system call while the workers still poll: loops of a few microseconds pay.
class Workers {
  public:
    // Returns false, without running a task, if another thread of the host is using the workers.
    bool run(std::size_t count, std::size_t threads, void (*task)(void*, std::size_t), void* context) {
        const std::unique_lock use(in_use_, std::try_to_lock);
        if (!use) return false;
        if (shares_.size() < threads) shares_ = std::vector<Share>(threads);
        start(threads - 1);
        Loop loop(count, {shares_.data(), threads}, task, context);
        loop_ = &loop;
        ended_.store(0, std::memory_order_relaxed);
        helpers_ = threads - 1;
        // Opens the gate: from here on workers join.
        gate_.store((++loops_ << kPlaceBits) | helpers_);
        if (sleeping_.load() > 0) {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = std::min(sleeping_.load(), helpers_); i > 0; --i) work_.notify_one();
        }
        loop.work(0);
        // Closes the gate: no task is left for workers that come later.
        const std::size_t left = gate_.exchange(loops_ << kPlaceBits) & kPlaces;
        wait_until_ended(helpers_ - left);
        loop.rethrow();
        return true;
    }

  private:
    // The gate holds the number of the loop and how many workers may still join it.
    static constexpr int kPlaceBits = 16;
    static constexpr std::uint64_t kPlaces = (1u << kPlaceBits) - 1;

    void start(std::size_t helpers) {
        if (started_ >= helpers) return;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all,
                        &before);  // inherited: a signal of the host goes to a thread of the host
        try {
            for (; started_ < helpers; ++started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The host limits the number of threads: the existing ones share the work.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void serve() {
        for (std::uint64_t seen = 0;;) {
            const auto opened = [&] { return gate_.load() >> kPlaceBits != seen; };
            poll(opened);
            if (!opened()) {
                std::unique_lock lock(mutex_);
                ++sleeping_;  // before the gate is read again: run() accesses the two in the other order
                work_.wait(lock, opened);
                --sleeping_;
            }
            std::uint64_t gate = gate_.load();
            while ((gate & kPlaces) != 0 && !gate_.compare_exchange_weak(gate, gate - 1)) {
            }
            seen = gate >> kPlaceBits;
            if ((gate & kPlaces) == 0) continue;
            loop_->work(helpers_ + 1 - (gate & kPlaces));
            ended_.fetch_add(1);
            if (waiting_.load()) {
                const std::lock_guard lock(mutex_);
                done_.notify_one();
            }
        }
    }

    void wait_until_ended(std::size_t joined) {
        const auto ended = [&] { return ended_.load() == joined; };
        poll(ended);
        if (ended()) return;
        std::unique_lock lock(mutex_);
        waiting_.store(true);  // before ended_ is read again: serve() accesses the two in the other order
        done_.wait(lock, ended);
        waiting_.store(false);
    }

    std::mutex in_use_;
    // Guarded by in_use_. A worker that has joined a loop reads the last two.
    std::size_t started_ = 0;
    std::uint64_t loops_ = 0;
    std::vector<Share> shares_;
    std::size_t helpers_ = 0;
    Loop* loop_ = nullptr;

    alignas(64) std::atomic<std::uint64_t> gate_ = 0;
    alignas(64) std::atomic<std::size_t> ended_ = 0;  // workers that have left the loop
    alignas(64) std::atomic<std::size_t> sleeping_ = 0;
    std::atomic<bool> waiting_ = false;  // for ended_
    std::mutex mutex_;
    std::condition_variable work_, done_;
};

// Never destroyed: workers may still wait in it while the process ends.
alignas(Workers) unsigned char workers_place[sizeof(Workers)];

Workers& workers() {
    static Workers* const made = [] {
        Workers* w = new (workers_place) Workers;
        // The threads of the parent do not exist in a forked child.
        pthread_atfork(nullptr, nullptr, [] { new (workers_place) Workers; });
        return w;
    }();
    return *made;
}

}  // namespace

bool inside_parallel_task() {
    return inside_task;
}

void run_tasks(std::size_t count, void (*task)(void*, std::size_t), void* context) {
    const std::size_t threads = std::min(count, static_cast<std::size_t>(max_threads()));
    if (threads > 1 && !inside_task && workers().run(count, threads, task, context)) return;
    for (std::size_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace fearnet
