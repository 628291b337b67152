// The number of threads for training and prediction.
#pragma once

#include <cstddef>

namespace fearnet {

// Sets how many threads, including the calling one, work on calls that the calling thread makes from now on.
// The setting holds for the calling thread only. The other threads belong to the library: they sleep while
// there is no work and block all signals. Throws Error unless 1 <= threads <= 1024.
void set_threads(int threads);
// The number set on the calling thread. If none was set: the value that the environment variable
// OMP_NUM_THREADS had at the first call, or else the number of processors.
int max_threads();

}  // namespace fearnet
