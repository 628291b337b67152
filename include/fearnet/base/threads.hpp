// How many threads the engine may use.
#pragma once

#include <cstddef>

namespace fearnet {

// For work started from the calling thread from now on. Throws Error unless 1 <= threads <= 1024.
void set_threads(int threads);
// What set_threads last said on this thread; at first, the number of processors. 1 in a build without OpenMP.
int max_threads();

}  // namespace fearnet
