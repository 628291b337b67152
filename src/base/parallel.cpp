#include "base/parallel.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "fearnet/base/threads.hpp"

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

// The tasks of one loop. Each thread first takes the tasks of its own share, so that it finds the same part
// of an array in its cache in every loop, and then those that others have not begun.
class Loop {
  public:
    Loop(std::size_t count, std::size_t threads, void (*task)(void*, std::size_t), void* context)
        : task_(task), context_(context), shares_(threads) {
        for (std::size_t t = 0; t < threads; ++t) {
            shares_[t].next = count * t / threads;
            shares_[t].end = count * (t + 1) / threads;
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
    struct alignas(64) Share {
        std::atomic<std::size_t> next = 0;
        std::size_t end = 0;
    };

    void fail(std::exception_ptr failure) noexcept {
        const std::lock_guard lock(failing_);
        if (!failure_) failure_ = std::move(failure);
        for (Share& share : shares_) share.next.store(share.end, std::memory_order_relaxed);
    }

    void (*task_)(void*, std::size_t);
    void* context_;
    std::vector<Share> shares_;
    std::mutex failing_;
    std::exception_ptr failure_;
};

class Workers {
  public:
    // False when another thread of the host is using the workers: then nothing was done.
    bool run(Loop& loop, std::size_t helpers) {
        const std::unique_lock use(in_use_, std::try_to_lock);
        if (!use) return false;
        start(helpers);
        std::size_t asleep;
        {
            const std::lock_guard lock(mutex_);
            loop_ = &loop;
            places_ = helpers;
            joined_ = 0;
            loops_.fetch_add(1, std::memory_order_release);
            asleep = std::min(sleeping_, helpers);
        }
        for (; asleep > 0; --asleep) work_.notify_one();
        loop.work(0);
        wait_for_helpers();
        return true;
    }

  private:
    void start(std::size_t helpers) {
        if (started_ >= helpers) return;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all,
                        &before);  // inherited: a signal of the host goes to a thread of the host
        try {
            for (; started_ < helpers; ++started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The host's limit of threads: those that there are share the work.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void serve() {
        for (std::uint64_t seen = 0;;) {
            poll([&] { return loops_.load(std::memory_order_acquire) != seen; });
            std::unique_lock lock(mutex_);
            while (loops_.load(std::memory_order_relaxed) == seen) {
                ++sleeping_;
                work_.wait(lock);
                --sleeping_;
            }
            seen = loops_.load(std::memory_order_relaxed);
            if (places_ == 0) continue;
            --places_;
            const std::size_t thread = ++joined_;
            working_.fetch_add(1, std::memory_order_relaxed);
            Loop& loop = *loop_;
            lock.unlock();
            loop.work(thread);
            lock.lock();
            if (working_.fetch_sub(1, std::memory_order_release) == 1) done_.notify_one();
        }
    }

    void wait_for_helpers() {
        {
            const std::lock_guard lock(mutex_);
            places_ = 0;  // a worker that comes now would find nothing left
        }
        const auto ended = [&] { return working_.load(std::memory_order_acquire) == 0; };
        poll(ended);
        // Also when polling saw the end: the last worker still holds the mutex then.
        std::unique_lock lock(mutex_);
        done_.wait(lock, ended);
    }

    std::mutex in_use_;
    std::size_t started_ = 0;  // guarded by in_use_

    std::mutex mutex_;
    std::condition_variable work_, done_;
    Loop* loop_ = nullptr;
    std::size_t places_ = 0;    // of this loop, for workers that have not joined it
    std::size_t joined_ = 0;    // workers that have
    std::size_t sleeping_ = 0;  // workers that wait for work_
    std::atomic<std::size_t> working_ = 0;
    std::atomic<std::uint64_t> loops_ = 0;
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

void run_tasks(std::size_t count, void (*task)(void*, std::size_t), void* context) {
    const std::size_t threads = std::min(count, static_cast<std::size_t>(max_threads()));
    if (threads > 1 && !inside_task) {
        Loop loop(count, threads, task, context);
        if (workers().run(loop, threads - 1)) return loop.rethrow();
    }
    for (std::size_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace fearnet
