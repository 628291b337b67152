// Prevents two Python threads from changing an object at the same time.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "fearnet/error.hpp"

namespace fearnet::python {

// A lock with many readers or one writer. Throws Error instead of waiting, since a progress callback that
// used the object would wait for itself.
class InUse {
  public:
    std::unique_lock<std::shared_mutex> change(const char* what) {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) busy(what);
        return lock;
    }
    std::shared_lock<std::shared_mutex> ask(const char* what) const {
        std::shared_lock lock(mutex_, std::try_to_lock);
        if (!lock) busy(what);
        return lock;
    }

  private:
    [[noreturn]] static void busy(const char* what) {
        throw Error(std::string(what) + ": in use by another call; wait for it or work on a copy");
    }
    mutable std::shared_mutex mutex_;
};

}  // namespace fearnet::python
