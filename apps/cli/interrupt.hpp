// Ctrl-C as a question that long work can ask.
#pragma once

namespace fearnet::cli {

// From its construction on, the first SIGINT or SIGTERM only raises the flag; a second one ends the program
// at once, as it would have without it. That stays so when the work is done: a program that has written its
// result does not end as if it had been interrupted. One at a time.
class InterruptGuard {
  public:
    InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    bool interrupted() const;
};

}  // namespace fearnet::cli
