// Loops that are compiled for several instruction sets. The library itself is compiled for any x86-64
// processor; the loops that take most of the time use AVX-512 or AVX2 where the processor has it.
#pragma once

#include <utility>

// Nothing to choose at run time if the compiler may use AVX2 everywhere (FEARNET_NATIVE), and no room for
// three versions of a loop if the library is compiled for size.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__) && !defined(__OPTIMIZE_SIZE__)
#define FEARNET_SEVERAL_INSTRUCTION_SETS
#endif

namespace fearnet::math {

enum class InstructionSet { base, avx2, avx512 };

// The best one that the processor has. The environment variable ONEDNN_MAX_CPU_ISA, which limits oneDNN,
// limits it too.
InstructionSet instruction_set();

#ifdef FEARNET_SEVERAL_INSTRUCTION_SETS

#define FEARNET_AVX2 "avx2,fma,bmi,bmi2"
#ifdef __clang__
#define FEARNET_AVX512 FEARNET_AVX2 ",avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
#else
#define FEARNET_AVX512 FEARNET_AVX2 ",avx512f,avx512bw,avx512dq,avx512vl,avx512cd,prefer-vector-width=512"
#endif

// A function object that calls `body` compiled for instruction_set(). `flatten` inlines the body, and all it
// calls, into functions of their own for each instruction set, where the compiler then vectorizes it.
template <class Body>
class Vectorized {
  public:
    explicit Vectorized(Body body) : body_(std::move(body)) {}

    template <class... Arguments>
    auto operator()(Arguments... arguments) const {
        switch (instruction_set()) {
            case InstructionSet::avx512:
                return with_avx512(arguments...);
            case InstructionSet::avx2:
                return with_avx2(arguments...);
            case InstructionSet::base:
                break;
        }
        return body_(arguments...);
    }

  private:
    template <class... Arguments>
    [[gnu::target(FEARNET_AVX512), gnu::flatten, gnu::noinline]] auto with_avx512(
        Arguments... arguments) const {
        return body_(arguments...);
    }
    template <class... Arguments>
    [[gnu::target(FEARNET_AVX2), gnu::flatten, gnu::noinline]] auto with_avx2(Arguments... arguments) const {
        return body_(arguments...);
    }

    Body body_;
};

template <class Body>
Vectorized<Body> vectorized(Body body) {
    return Vectorized<Body>(std::move(body));
}

#undef FEARNET_AVX2
#undef FEARNET_AVX512

#else

template <class Body>
Body vectorized(Body body) {
    return body;
}

#endif

}  // namespace fearnet::math
