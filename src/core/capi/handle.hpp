// The definition of fearnet_brain.
#pragma once

#include <fearnet_c.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "fearnet/brain.hpp"

struct fearnet_brain {
    explicit fearnet_brain(fearnet::Brain opened) : brain(std::move(opened)) {}

    fearnet::Brain brain;

    // Returns a copy of the text at an address that stays valid; NULL for "". Thread-safe.
    const char* kept(const std::string& label) const {
        if (label.empty()) return nullptr;
        const std::lock_guard lock(mutex_);
        return labels_.insert(label).first->c_str();
    }

    // What functions of other libraries keep between two calls. Thread-safe.
    std::shared_ptr<const void> companion() const {
        const std::lock_guard lock(mutex_);
        return companion_;
    }
    void keep(std::shared_ptr<const void> companion) const {
        const std::lock_guard lock(mutex_);
        companion_ = std::move(companion);
    }

  private:
    mutable std::shared_ptr<const void> companion_;
    mutable std::mutex mutex_;
    mutable std::set<std::string> labels_;
};
