// Copies a text into a struct of fearnet_c.h.
#pragma once

#include <fearnet_c.h>

#include <cstring>
#include <string>

namespace fearnet::capi {

// Truncated if it does not fit.
inline void copy_reason(const std::string& text, char (&out)[FEARNET_REASON_SIZE]) {
    std::memset(out, 0, sizeof out);
    std::strncpy(out, text.c_str(), sizeof out - 1);
}

}  // namespace fearnet::capi
