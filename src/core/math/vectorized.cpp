#include "core/math/vectorized.hpp"

#include <cstdlib>
#include <string_view>

namespace fearnet::math {
namespace {

#if defined(__x86_64__) && defined(__GNUC__)
InstructionSet of_processor() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2"))
        return InstructionSet::base;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512cd");
    return avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
}
#else
InstructionSet of_processor() {
    return InstructionSet::base;
}
#endif

// The values of oneDNN's variable below AVX-512.
InstructionSet allowed() {
    const char* text = std::getenv("ONEDNN_MAX_CPU_ISA");
    const std::string_view limit = text ? text : "";
    if (limit == "SSE41" || limit == "AVX") return InstructionSet::base;
    return limit.starts_with("AVX2") ? InstructionSet::avx2 : InstructionSet::avx512;
}

InstructionSet chosen() {
    const InstructionSet best = of_processor(), limit = allowed();
    return best < limit ? best : limit;
}

}  // namespace

InstructionSet instruction_set() {
    static const InstructionSet set = chosen();
    return set;
}

}  // namespace fearnet::math
