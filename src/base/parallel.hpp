// Loops over several threads.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fearnet {

// Calls f(block, begin, end) for `blocks` equal parts of 0..n, each once, in any order and on any thread. The
// parts depend on n and blocks only, never on the number of threads, so that sums kept per block are
// reproducible. f must not throw.
template <class F>
void parallel_blocks(std::size_t n, std::size_t blocks, const F& f) {
    const std::size_t size = (n + blocks - 1) / blocks;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (blocks > 1)
#endif
    for (std::size_t b = 0; b < blocks; ++b) f(b, std::min(n, b * size), std::min(n, (b + 1) * size));
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
