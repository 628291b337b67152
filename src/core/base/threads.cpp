#include "fearnet/threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr int kMax = 1024;

// Users and schedulers limit the threads of numerical programs with OMP_NUM_THREADS.
int default_threads() {
    const char* wanted = std::getenv("OMP_NUM_THREADS");
    const long threads = wanted ? std::strtol(wanted, nullptr, 10) : 0;
    const long here = threads > 0 ? threads : static_cast<long>(std::thread::hardware_concurrency());
    return static_cast<int>(std::clamp<long>(here, 1, kMax));
}

thread_local int threads_here = 0;

}  // namespace

void set_threads(int threads) {
    if (threads < 1 || threads > kMax)
        throw Error("set_threads: " + std::to_string(threads) + " threads, but 1 to " + std::to_string(kMax) +
                    " are possible");
    threads_here = threads;
}

int max_threads() {
    static const int by_default = default_threads();
    return threads_here > 0 ? threads_here : by_default;
}

}  // namespace fearnet
