#include "core/capi/guard.hpp"

#include <algorithm>
#include <cstring>

#include "fearnet/error.hpp"

namespace fearnet::capi {
namespace {

constexpr std::size_t kTextSize = 1024;
thread_local char last_text[kTextSize] = "";

}  // namespace

fearnet_status failed(fearnet_status status, const char* text) noexcept {
    try {
        // Messages of other libraries may contain any bytes.
        std::string safe = printable(text);
        std::size_t end = std::min(safe.size(), kTextSize - 1);
        while (end > 0 && end < safe.size() && (safe[end] & 0xc0) == 0x80)
            --end;  // do not cut inside a UTF-8 character
        safe.resize(end);
        std::strncpy(last_text, safe.c_str(), kTextSize - 1);
    } catch (const std::bad_alloc&) {
        std::strncpy(last_text, "not enough memory for the error message", kTextSize - 1);
    }
    return status;
}

}  // namespace fearnet::capi

const char* fearnet_last_error(void) {
    return fearnet::capi::last_text;
}

const char* fearnet_version(void) {
    return FEARNET_VERSION;
}
