// Loops over several threads.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fearnet {

// Calls task(context, i) once for every i in 0..count, on the calling thread and on at most max_threads() - 1
// workers, and returns when all calls have ended. Tasks run in any order. Inside a task, and while another
// thread of the host is using the workers, the calling thread runs all tasks itself. The first exception of a
// task ends the loop and is thrown here.
//
// The workers belong to the process. They start when they are first needed, sleep between loops, and take no
// signal of the host. A forked child starts its own.
void run_tasks(std::size_t count, void (*task)(void* context, std::size_t i), void* context);

// Whether the calling thread is inside a task of run_tasks that several threads work on.
bool inside_parallel_task();

// Calls f(block, begin, end) for `blocks` equal parts of 0..n, each once, in any order and on any thread. The
// parts depend on n and blocks only, never on the number of threads, so that sums kept per block are
// reproducible.
template <class F>
void parallel_blocks(std::size_t n, std::size_t blocks, const F& f) {
    const std::size_t size = (n + blocks - 1) / blocks;
    const auto block = [&](std::size_t b) { f(b, std::min(n, b * size), std::min(n, (b + 1) * size)); };
    using Block = decltype(block);
    run_tasks(
        blocks, [](void* context, std::size_t b) { (*static_cast<Block*>(context))(b); },
        const_cast<void*>(static_cast<const void*>(&block)));
}

// Calls f(begin, end) for parts of 0..n of at least `grain` items.
template <class F>
void parallel_range(std::size_t n, std::size_t grain, const F& f) {
    const std::size_t blocks = std::clamp<std::size_t>(n / std::max<std::size_t>(grain, 1), 1, 64);
    parallel_blocks(n, blocks, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (begin < end) f(begin, end);
    });
}

}  // namespace fearnet
