// How many threads the engine may use.
#pragma once

#include <cstddef>

namespace fearnet {

// Sets the number of threads for work that the calling thread starts from now on, the calling thread
// included. The others are workers of the library: they sleep while there is no work, and take no signal of
// the process. Throws Error unless 1 <= threads <= 1024.
void set_threads(int threads);
// The number last set on the calling thread. Without one, the environment variable OMP_NUM_THREADS at the
// first call, or else the number of processors.
int max_threads();

}  // namespace fearnet
