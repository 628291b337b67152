#include "capi/guard.hpp"

#include <cstring>

namespace fearnet::capi {
namespace {

constexpr std::size_t kTextSize = 1024;
thread_local char last_text[kTextSize] = "";

}  // namespace

fearnet_status failed(fearnet_status status, const char* text) noexcept {
    std::strncpy(last_text, text, kTextSize - 1);
    return status;
}

}  // namespace fearnet::capi

const char* fearnet_last_error(void) {
    return fearnet::capi::last_text;
}

const char* fearnet_version(void) {
    return FEARNET_VERSION;
}
