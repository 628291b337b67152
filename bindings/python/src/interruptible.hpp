// Long calls release the interpreter lock and are stopped by Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>

#include "fearnet/progress.hpp"

namespace fearnet::python {

namespace py = pybind11;

// The progress callback of a long call: checks for signals and calls the user's callback(phase, done, total,
// loss), which may be None and stops the call by returning False. Called without the GIL.
class Watch {
  public:
    explicit Watch(const py::object& callback) : callback_(callback) {}

    bool goes_on(std::string_view phase, std::size_t done, std::size_t total, double loss) {
        constexpr std::chrono::milliseconds kPause(50);
        const auto now = std::chrono::steady_clock::now();
        if (callback_.is_none() && now - asked_ < kPause) return true;
        asked_ = now;
        const py::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            return callback_.is_none() ||
                   !callback_(py::str(phase.data(), phase.size()), done, total, loss).is(py::bool_(false));
        } catch (const py::error_already_set&) {
            raised_ = std::current_exception();
            return false;
        }
    }
    // The exception that Python code raised; needs the GIL.
    void rethrow() const {
        if (raised_) std::rethrow_exception(raised_);
    }

  private:
    const py::object& callback_;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    std::exception_ptr raised_;
};

// Calls work(progress) without the GIL.
template <class Work>
auto interruptible(const py::object& callback, const Work& work) {
    Watch watch(callback);
    const Progress progress = [&](const ProgressEvent& e) {
        return watch.goes_on(e.phase, e.done, e.total, e.loss);
    };
    try {
        const py::gil_scoped_release released;
        return work(progress);
    } catch (const Cancelled&) {
        watch.rethrow();
        throw;
    }
}

}  // namespace fearnet::python
