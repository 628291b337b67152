#include "data/frontends/models/onnx_runtime.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <limits>

#include "data/frontends/models/ort_calls.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::uint64_t kMaxNumbers = std::uint64_t{1} << 28;  // of an output

// Threads inherit the signal mask: one that the library started here would take no signal of the host.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

// A handle that is released at the end of its scope.
struct Handle {
    void (*release)(void*);
    void* get = nullptr;
    explicit Handle(void (*r)(void*)) : release(r) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (get != nullptr) release(get);
    }
};

// The message of `status`, which it releases; empty when all went well.
std::string problem_of(const OrtCalls& ort, void* status) {
    if (status == nullptr) return "";
    std::string message = ort.error_message(status);
    ort.release_status(status);
    return message.empty() ? "unknown error" : message;
}

std::uint64_t elements_of(const std::vector<std::int64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size < 0 || (size > 0 && count > kMaxNumbers / static_cast<std::uint64_t>(size)))
            return std::numeric_limits<std::uint64_t>::max();
        count *= static_cast<std::uint64_t>(size);
    }
    return count;
}

}  // namespace

OnnxRuntime::OnnxRuntime(const std::string& library) {
    const BlockedSignals blocked;
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* reason = ::dlerror();
        throw Error(library + ": cannot be loaded: " + (reason ? reason : "unknown error"));
    }
    const auto base = reinterpret_cast<const OrtBase* (*)()>(::dlsym(handle, "OrtGetApiBase"));
    if (base == nullptr) throw Error(library + ": not ONNX Runtime: it has no function OrtGetApiBase");
    version_ = base()->version();
    const void* const* api = base()->get_api(kOrtApiVersion);
    if (api == nullptr) throw Error(library + ": ONNX Runtime " + version_ + ", but 1.11 or newer is needed");
    calls_ = std::make_unique<OrtCalls>(api);
    if (const std::string problem =
            problem_of(*calls_, calls_->create_env(OrtCalls::kLogFatal, "fearnet", &environment_));
        !problem.empty())
        throw Error(library + ": " + problem);
}

OnnxRuntime::~OnnxRuntime() {
    if (environment_ != nullptr) calls_->release_env(environment_);
}

OnnxSession::OnnxSession(std::shared_ptr<const OnnxRuntime> runtime, io::ByteView model, std::string what)
    : runtime_(std::move(runtime)), what_(std::move(what)) {
    const OrtCalls& ort = *runtime_->calls_;
    const BlockedSignals blocked;
    Handle options(ort.release_options);
    const auto set = [&](void* status) { check(status, "cannot be set up"); };
    set(ort.create_options(&options.get));
    set(ort.set_threads_within(options.get, 1));
    set(ort.set_threads_between(options.get, 1));
    set(ort.set_optimization(options.get, OrtCalls::kAll));
    set(ort.set_entry(options.get, "session.load_model_format", "ONNX"));
    check(ort.create_session(runtime_->environment_, model.data(), model.size(), options.get, &session_),
          "refused by ONNX Runtime " + runtime_->version());
}

OnnxSession::~OnnxSession() {
    if (session_ != nullptr) runtime_->calls_->release_session(session_);
}

void OnnxSession::check(void* status, const std::string& doing) const {
    const std::string problem = problem_of(*runtime_->calls_, status);
    if (!problem.empty()) throw Error(what_ + ": " + doing + ": " + problem);
}

OnnxSession::Output OnnxSession::run(std::span<const Input> inputs, const std::string& output) const {
    const OrtCalls& ort = *runtime_->calls_;
    Handle memory(ort.release_memory_info);
    check(ort.create_memory_info(OrtCalls::kArenaAllocator, OrtCalls::kDefaultMemory, &memory.get), "run");
    std::vector<std::unique_ptr<Handle>> tensors;
    std::vector<const char*> names;
    std::vector<const void*> values;
    for (const Input& input : inputs) {
        const bool floats = input.integers.empty();
        const std::size_t count = floats ? input.floats.size() : input.integers.size();
        if (elements_of(input.shape) != count)
            throw Error(what_ + ": " + std::to_string(count) + " numbers for the input '" + input.name +
                        "', but its shape needs " + std::to_string(elements_of(input.shape)));
        // The library does not write to its inputs.
        void* data = floats ? static_cast<void*>(const_cast<float*>(input.floats.data()))
                            : static_cast<void*>(const_cast<std::int64_t*>(input.integers.data()));
        tensors.push_back(std::make_unique<Handle>(ort.release_value));
        check(ort.create_tensor(memory.get, data, count * (floats ? sizeof(float) : sizeof(std::int64_t)),
                                input.shape.data(), input.shape.size(),
                                floats ? OrtCalls::kFloat : OrtCalls::kInt64, &tensors.back()->get),
              "input '" + input.name + "'");
        names.push_back(input.name.c_str());
        values.push_back(tensors.back()->get);
    }
    const char* wanted = output.c_str();
    Handle result(ort.release_value);
    check(ort.run(session_, nullptr, names.data(), values.data(), values.size(), &wanted, 1, &result.get),
          "run");
    return taken(result.get, output);
}

OnnxSession::Output OnnxSession::taken(void* value, const std::string& name) const {
    const OrtCalls& ort = *runtime_->calls_;
    Handle info(ort.release_tensor_info);
    const std::string about = "output '" + name + "'";
    check(ort.tensor_info(value, &info.get), about);
    int type = 0;
    std::size_t dimensions = 0;
    check(ort.element_type(info.get, &type), about);
    if (type != OrtCalls::kFloat)
        throw Error(what_ + ": the output '" + name + "' has elements of type " + std::to_string(type) +
                    ", but float32 is needed");
    check(ort.dimension_count(info.get, &dimensions), about);
    Output output;
    output.shape.resize(dimensions);
    check(ort.dimensions(info.get, output.shape.data(), dimensions), about);
    const std::uint64_t count = elements_of(output.shape);
    if (count > kMaxNumbers) throw Error(what_ + ": the output '" + name + "' is too large");
    void* data = nullptr;
    check(ort.tensor_data(value, &data), about);
    const auto* first = static_cast<const float*>(data);
    output.values.assign(first, first + count);
    return output;
}

}  // namespace fearnet
