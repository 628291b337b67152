#include "fearnet/base/threads.hpp"

#include <string>

#include "fearnet/base/error.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace fearnet {

void set_threads(int threads) {
    if (threads < 1 || threads > 1024)
        throw Error("set_threads: " + std::to_string(threads) + " threads, but 1 to 1024 are possible");
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
}

int max_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

}  // namespace fearnet
