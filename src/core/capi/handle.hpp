// The definition of fearnet_brain.
#pragma once

#include <fearnet_c.h>

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

  private:
    mutable std::mutex mutex_;
    mutable std::set<std::string> labels_;
};
