// oneDNN. dnnl_sgemm is the fastest of its calls for a plain b; for a transposed b the matmul primitive is,
// and its descriptors (which change between oneDNN 2 and 3) stay in this file.
#include <dnnl.h>

#include <algorithm>
#include <dnnl.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/parallel.hpp"
#include "math/gemm_shapes.hpp"

namespace fearnet::math {
namespace {

const dnnl::engine& cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

// One compiled multiplication c (+)= a . b^T with its memory handles, reused for every call of the same
// shape.
struct TransposedProduct {
    TransposedProduct(const GemmShape& s, std::size_t lda, std::size_t ldb, std::size_t ldc,
                      bool accumulate) {
        using dim = dnnl::memory::dim;
        using type = dnnl::memory::data_type;
        const auto d = [](std::size_t v) { return static_cast<dim>(v); };
        const dnnl::memory::desc a_desc({d(s.m), d(s.k)}, type::f32, dnnl::memory::dims{d(lda), 1});
        const dnnl::memory::desc b_desc({d(s.k), d(s.n)}, type::f32, dnnl::memory::dims{1, d(ldb)});
        const dnnl::memory::desc c_desc({d(s.m), d(s.n)}, type::f32, dnnl::memory::dims{d(ldc), 1});
        dnnl::primitive_attr attributes;
        if (accumulate) {
            dnnl::post_ops sum;
            sum.append_sum(1.0f);
            attributes.set_post_ops(sum);
        }
        primitive = dnnl::matmul({{a_desc, b_desc, c_desc}, attributes, cpu()});
        a = dnnl::memory(a_desc, cpu(), nullptr);
        b = dnnl::memory(b_desc, cpu(), nullptr);
        c = dnnl::memory(c_desc, cpu(), nullptr);
        arguments = {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
    }
    void operator()(const float* pa, const float* pb, float* pc, const dnnl::stream& stream) {
        a.set_data_handle(const_cast<float*>(pa));
        b.set_data_handle(const_cast<float*>(pb));
        c.set_data_handle(pc);
        primitive.execute(stream, arguments);
    }
    dnnl::matmul primitive;
    dnnl::memory a, b, c;
    std::unordered_map<int, dnnl::memory> arguments;
};

void multiply_transposed(const GemmShape& s, MatrixView a, MatrixView b, MutableMatrixView c,
                         bool accumulate) {
    using Key =
        std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t, bool>;
    // Per thread: a primitive's memory handles must not be shared. Bounded, since batch tails bring new
    // shapes.
    thread_local std::map<Key, TransposedProduct> products;
    thread_local dnnl::stream stream(cpu());
    const Key key{s.m, s.n, s.k, a.stride, b.stride, c.stride, accumulate};
    auto it = products.find(key);
    if (it == products.end()) {
        if (products.size() >= 64) products.clear();
        it = products.try_emplace(key, s, a.stride, b.stride, c.stride, accumulate).first;
    }
    it->second(a.data, b.data, c.data, stream);
    stream.wait();
}

// Without AVX-512, dnnl_sgemm is twice as slow for a transposed a with a tall result as for the same with a
// wide one (38 against 84 GFLOP/s for the encoder's weight gradient on Zen 3): make the wide one and turn it.
bool slow_when_tall() {
    static const bool slow = dnnl_get_effective_cpu_isa() < dnnl_cpu_isa_avx512_core;
    return slow;
}

void turn(MatrixView wide, MutableMatrixView tall, bool accumulate) {
    constexpr std::size_t kTile = 16;
    parallel_range(wide.cols, 128, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = 0; r < wide.rows; r += kTile)
            for (std::size_t c = begin; c < end; ++c) {
                float* out = tall.row(c);
                const std::size_t last = std::min(wide.rows, r + kTile);
                if (accumulate)
                    for (std::size_t i = r; i < last; ++i) out[i] += wide(i, c);
                else
                    for (std::size_t i = r; i < last; ++i) out[i] = wide(i, c);
            }
    });
}

}  // namespace

void gemm(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate) {
    const GemmShape s = gemm_shape(op_a, a, op_b, b, c);
    if (s.m == 0 || s.n == 0) return;
    if (op_a == Op::none && op_b == Op::transpose && s.m > 1)
        return multiply_transposed(s, a, b, c, accumulate);
    if (op_a == Op::transpose && op_b == Op::none && s.m >= 4 * s.n && s.m >= 512 && slow_when_tall()) {
        thread_local Matrix wide;
        wide.resize(s.n, s.m);
        gemm(Op::transpose, b, Op::none, a, wide);
        return turn(wide, c, accumulate);
    }
    const auto d = [](std::size_t v) { return static_cast<dnnl_dim_t>(v); };
    const dnnl_status_t status =
        dnnl_sgemm(op_a == Op::none ? 'N' : 'T', op_b == Op::none ? 'N' : 'T', d(s.m), d(s.n), d(s.k), 1.0f,
                   a.data, d(a.stride), b.data, d(b.stride), accumulate ? 1.0f : 0.0f, c.data, d(c.stride));
    if (status != dnnl_success)
        throw std::runtime_error("dnnl_sgemm failed with status " + std::to_string(status));
}

const char* gemm_backend() {
    static const std::string text = [] {
        const dnnl_version_t* v = dnnl_version();
        return "onednn " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
               std::to_string(v->patch);
    }();
    return text.c_str();
}

}  // namespace fearnet::math
