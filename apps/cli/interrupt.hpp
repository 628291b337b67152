// Ctrl-C as a question that long work can ask.
#pragma once

namespace fearnet::cli {

// While it lives, the first SIGINT or SIGTERM only raises the flag; a second one ends the program at once, as
// it would have without it. One at a time.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    bool interrupted() const;
};

}  // namespace fearnet::cli
