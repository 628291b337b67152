// ONNX Runtime, which runs embedding models. It is loaded when a model is first used: FearNet builds and runs
// without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/io/files.hpp"

namespace fearnet {

struct OrtCalls;  // the functions of the library that are used

// The loaded library. It stays in memory until the process ends.
class OnnxRuntime {
  public:
    // Loads `library`, a path or a name for the dynamic linker. Throws Error when it cannot be loaded or is
    // not ONNX Runtime 1.11 or newer.
    explicit OnnxRuntime(const std::string& library);
    ~OnnxRuntime();
    OnnxRuntime(const OnnxRuntime&) = delete;
    OnnxRuntime& operator=(const OnnxRuntime&) = delete;

    const std::string& version() const { return version_; }  // "1.28.2"

  private:
    friend class OnnxSession;
    std::unique_ptr<OrtCalls> calls_;
    void* environment_ = nullptr;
    std::string version_;
};

// A model that is ready to run. `run` may be called from several threads at once; each call computes in the
// thread of its caller, and ONNX Runtime starts no threads. No signal handler of the host runs inside it
// while a session is created.
class OnnxSession {
  public:
    // Exactly one of the two spans is set. Its numbers must fill `shape`.
    struct Input {
        std::string name;
        std::vector<std::int64_t> shape;
        std::span<const float> floats = {};
        std::span<const std::int64_t> integers = {};
    };
    struct Output {
        std::vector<std::int64_t> shape;
        std::vector<float> values;
    };

    // `model` is an ONNX file that has passed check_onnx_file; `what` is its name in messages. The bytes are
    // not needed afterwards. Throws Error when ONNX Runtime refuses the model.
    OnnxSession(std::shared_ptr<const OnnxRuntime> runtime, io::ByteView model, std::string what);
    ~OnnxSession();
    OnnxSession(const OnnxSession&) = delete;
    OnnxSession& operator=(const OnnxSession&) = delete;

    // Computes the output called `output`. Throws Error when the model lacks an input or the output, when a
    // shape does not fit, and when the output is not float32.
    Output run(std::span<const Input> inputs, const std::string& output) const;

  private:
    void check(void* status, const std::string& doing) const;
    Output taken(void* value, const std::string& name) const;

    std::shared_ptr<const OnnxRuntime> runtime_;
    std::string what_;
    void* session_ = nullptr;
};

}  // namespace fearnet
