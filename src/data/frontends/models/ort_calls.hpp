// The part of ONNX Runtime's C interface that is used. The interface is a table of function pointers whose
// order never changes; a number below is a place in the table `OrtApi` of onnxruntime_c_api.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fearnet {

// What OrtGetApiBase() returns.
struct OrtBase {
    const void* const* (*get_api)(std::uint32_t version);
    const char* (*version)();
};

constexpr std::uint32_t kOrtApiVersion = 11;  // of ONNX Runtime 1.11; newer libraries still have it

// A status is null or an error, which the caller releases. Handles of all types are void pointers here.
struct OrtCalls {
    using Status = void*;
    enum : int { kFloat = 1, kInt64 = 7 };                   // ONNXTensorElementDataType
    enum : int { kLogErrors = 3, kLogFatal = 4 };            // OrtLoggingLevel
    enum : int { kArenaAllocator = 1, kDefaultMemory = 0 };  // OrtAllocatorType, OrtMemType
    enum : int { kBasic = 1, kExtended = 2, kAll = 99 };     // GraphOptimizationLevel

    const char* (*error_message)(const void* status);                   // 2
    Status (*create_env)(int log_level, const char* name, void** env);  // 3
    Status (*create_session)(const void* env, const void* model, std::size_t bytes, const void* options,
                             void** session);  // 8
    Status (*run)(void* session, const void* options, const char* const* input_names,
                  const void* const* inputs, std::size_t input_count, const char* const* output_names,
                  std::size_t output_count,
                  void** outputs);                              // 9
    Status (*create_options)(void** options);                   // 10
    Status (*set_optimization)(void* options, int level);       // 23
    Status (*set_threads_within)(void* options, int threads);   // 24
    Status (*set_threads_between)(void* options, int threads);  // 25
    Status (*create_tensor)(const void* memory_info, void* data, std::size_t bytes, const std::int64_t* shape,
                            std::size_t dimensions, int type, void** value);         // 49
    Status (*tensor_data)(void* value, void** data);                                 // 51
    Status (*element_type)(const void* info, int* type);                             // 60
    Status (*dimension_count)(const void* info, std::size_t* count);                 // 61
    Status (*dimensions)(const void* info, std::int64_t* sizes, std::size_t count);  // 62
    Status (*tensor_info)(const void* value, void** info);                           // 65
    Status (*create_memory_info)(int allocator, int memory, void** info);            // 69
    void (*release_env)(void*);                                                      // 92
    void (*release_status)(void*);                                                   // 93
    void (*release_memory_info)(void*);                                              // 94
    void (*release_session)(void*);                                                  // 95
    void (*release_value)(void*);                                                    // 96
    void (*release_tensor_info)(void*);                                              // 99
    void (*release_options)(void*);                                                  // 100
    Status (*set_entry)(void* options, const char* key, const char* value);          // 130

    explicit OrtCalls(const void* const* api) {
        const auto take = [api](auto& function, std::size_t place) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(const_cast<void*>(api[place]));
        };
        take(error_message, 2), take(create_env, 3), take(create_session, 8), take(run, 9);
        take(create_options, 10), take(set_optimization, 23), take(set_threads_within, 24);
        take(set_threads_between, 25), take(create_tensor, 49), take(tensor_data, 51), take(element_type, 60);
        take(dimension_count, 61), take(dimensions, 62), take(tensor_info, 65), take(create_memory_info, 69);
        take(release_env, 92), take(release_status, 93), take(release_memory_info, 94);
        take(release_session, 95), take(release_value, 96), take(release_tensor_info, 99);
        take(release_options, 100), take(set_entry, 130);
    }
};

}  // namespace fearnet
