// Converts exceptions to status codes.
#pragma once

#include <fearnet_c.h>

#include <new>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet::capi {

// A pointer or size that breaks the contract of fearnet_c.h.
class BadArgument : public Error {
  public:
    using Error::Error;
};

// Stores the text for fearnet_last_error of this thread, truncated if necessary.
fearnet_status failed(fearnet_status status, const char* text) noexcept;

inline void need(const void* pointer, const char* name) {
    if (pointer == nullptr) throw BadArgument(std::string(name) + " is NULL");
}

// Runs `work` and converts every exception to a status code.
template <class Work>
fearnet_status guarded(const Work& work) noexcept {
    try {
        work();
        return FEARNET_OK;
    } catch (const BadArgument& error) {
        return failed(FEARNET_BAD_ARGUMENT, error.what());
    } catch (const Cancelled& error) {
        return failed(FEARNET_CANCELLED, error.what());
    } catch (const OutOfMemory& error) {
        return failed(FEARNET_NO_MEMORY, error.what());
    } catch (const Error& error) {
        return failed(FEARNET_ERROR, error.what());
    } catch (const std::bad_alloc&) {
        return failed(FEARNET_NO_MEMORY, "not enough memory");
    } catch (const std::exception& error) {
        return failed(FEARNET_BUG, error.what());
    } catch (...) {
        return failed(FEARNET_BUG, "an exception of an unknown kind");
    }
}

}  // namespace fearnet::capi
