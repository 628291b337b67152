// oneDNN. dnnl_sgemm is the fastest of its calls for a plain b; for a transposed b the matmul primitive is,
// and its descriptors (which change between oneDNN 2 and 3) stay in this file.
//
// oneDNN runs on one thread here, and we divide the work: its own OpenMP threads spin while they wait, and
// take the host's signals (see docs/decisions/threads_and_signals.md).
#include <dnnl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/base/parallel.hpp"
#include "core/math/gemm_shapes.hpp"
#include "core/math/transposed.hpp"
#include "core/math/vectorized.hpp"
#include "fearnet/threads.hpp"

// Of the OpenMP runtime that oneDNN is linked with, whichever compiler builds this file.
extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int);
}

namespace fearnet::math {
namespace {

// While one lives, this thread takes no signal, and oneDNN called from it uses this thread only.
//
// The float kernels of oneDNN 2.6 use the stack pointer as a general register: it points into the heap, and
// the kernel of the system would write a signal's frame there. A blocked signal stays pending and is
// delivered after the product. The system call is made directly because pthread_sigmask leaves out the two
// signals that the C library uses itself, for instance in setuid().
class InOneDnn {
  public:
    InOneDnn() : threads_before_(omp_get_max_threads()) {
        const std::uint64_t all = ~std::uint64_t{0};
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals_before_, sizeof all);
        omp_set_num_threads(1);
    }
    ~InOneDnn() {
        omp_set_num_threads(threads_before_);
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals_before_, nullptr, sizeof signals_before_);
    }
    InOneDnn(const InOneDnn&) = delete;
    InOneDnn& operator=(const InOneDnn&) = delete;

  private:
    int threads_before_;
    std::uint64_t signals_before_ = 0;
};

// Without oneDNN's own cache of compiled products, which keeps one that it had no memory to compile, so that it
// never is compiled again. Every thread keeps its own, below.
const dnnl::engine& cpu() {
    static const dnnl::engine engine = [] {
        dnnl::set_primitive_cache_capacity(0);
        return dnnl::engine(dnnl::engine::kind::cpu, 0);
    }();
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
    // shapes, but not below what a Cholesky factor of thousands of rows needs over and over.
    constexpr std::size_t kProducts = 512;
    thread_local std::map<Key, TransposedProduct> products;
    thread_local dnnl::stream stream(cpu());
    const Key key{s.m, s.n, s.k, a.stride, b.stride, c.stride, accumulate};
    auto it = products.find(key);
    if (it == products.end()) {
        if (products.size() >= kProducts) products.clear();
        try {
            it = products.try_emplace(key, s, a.stride, b.stride, c.stride, accumulate).first;
        } catch (const dnnl::error& error) {
            if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
            throw;
        }
    }
    it->second(a.data, b.data, c.data, stream);
    stream.wait();
}

// Without AVX-512, dnnl_sgemm needs two to three times as long for small results (up to some 500 x 700), the
// matmul primitive does not: then it pays to transpose the factors for it, unless there is little to multiply
// with each number.
bool transposing_pays(const GemmShape& s, Op op_a, Op op_b) {
    constexpr std::size_t kUses = 48;
    return instruction_set() != InstructionSet::avx512 && op_b == Op::none && s.m >= kUses &&
           (op_a == Op::none || s.n >= kUses);
}

void multiply(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate) {
    const GemmShape s = gemm_shape(op_a, a, op_b, b, c);
    const InOneDnn guard;
    if (op_a == Op::none && op_b == Op::transpose && s.m > 1) {
        // With AVX-512 a few rows at a time are up to five times as fast as some dozens at once.
        constexpr std::size_t kFew = 8, kMany = 64;
        const bool divide = s.m < kMany && instruction_set() == InstructionSet::avx512;
        const std::size_t step = divide ? kFew : s.m;
        for (std::size_t first = 0; first < s.m; first += step) {
            const std::size_t rows = std::min(step, s.m - first);
            multiply_transposed({rows, s.n, s.k}, a.slice(first, rows), b, c.slice(first, rows), accumulate);
        }
        return;
    }
    const auto d = [](std::size_t v) { return static_cast<dnnl_dim_t>(v); };
    const dnnl_status_t status =
        dnnl_sgemm(op_a == Op::none ? 'N' : 'T', op_b == Op::none ? 'N' : 'T', d(s.m), d(s.n), d(s.k), 1.0f,
                   a.data, d(a.stride), b.data, d(b.stride), accumulate ? 1.0f : 0.0f, c.data, d(c.stride));
    if (status == dnnl_out_of_memory) throw std::bad_alloc();
    if (status != dnnl_success)
        throw std::runtime_error("dnnl_sgemm failed with status " + std::to_string(status));
}

// How many parts to make of a product: one per thread, none so small that starting it costs more than it
// saves, and none so large that a signal would be late by more than about a tenth of a second.
std::size_t parts_of(const GemmShape& s) {
    // In floating-point operations. A number that is read counts as ten: a product with few rows waits for
    // memory.
    constexpr double kSmallest = 5e5, kLargest = 1e10, kRead = 10;
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const double work = 2 * m * n * k + kRead * k * (m + n);
    const auto threads = static_cast<double>(max_threads());
    return static_cast<std::size_t>(std::max({1.0, std::min(threads, work / kSmallest), work / kLargest}));
}

// A product whose sums have this many times more terms than c has rows and columns is divided by terms.
constexpr std::size_t kLongSum = 8;

MatrixView columns_of(MatrixView m, std::size_t begin, std::size_t end) {
    return {m.data + begin, m.rows, end - begin, m.stride};
}

// Each part computes some rows or columns of c: its longer side is divided, columns in whole vectors.
void divide_result(const GemmShape& s, std::size_t parts, Op op_a, MatrixView a, Op op_b, MatrixView b,
                   MutableMatrixView c, bool accumulate) {
    const bool by_rows = s.m >= s.n;
    const std::size_t length = by_rows ? s.m : s.n, tile = by_rows ? 2 : 16;
    const std::size_t tiles = (length + tile - 1) / tile;
    parallel_blocks(tiles, std::min(tiles, parts), [&](std::size_t, std::size_t first, std::size_t last) {
        const std::size_t begin = std::min(length, first * tile), end = std::min(length, last * tile);
        if (begin == end) return;
        if (by_rows)
            multiply(op_a, op_a == Op::none ? a.slice(begin, end - begin) : columns_of(a, begin, end), op_b,
                     b, c.slice(begin, end - begin), accumulate);
        else
            multiply(op_a, a, op_b,
                     op_b == Op::none ? columns_of(b, begin, end) : b.slice(begin, end - begin),
                     {c.data + begin, c.rows, end - begin, c.stride}, accumulate);
    });
}

// Each part computes some terms of the sums in c. Pays where c is small: the parts of divide_result would
// each rearrange the whole of one factor.
void divide_sum(const GemmShape& s, std::size_t parts, Op op_a, MatrixView a, Op op_b, MatrixView b,
                MutableMatrixView c, bool accumulate) {
    const std::size_t size = (s.k + parts - 1) / parts;
    parts = (s.k + size - 1) / size;      // none of them is empty
    Matrix sums((parts - 1) * s.m, s.n);  // of all parts but the first
    parallel_blocks(s.k, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
        multiply(op_a, op_a == Op::none ? columns_of(a, begin, end) : a.slice(begin, end - begin), op_b,
                 op_b == Op::none ? b.slice(begin, end - begin) : columns_of(b, begin, end),
                 part == 0 ? c : sums.view().slice((part - 1) * s.m, s.m), part == 0 && accumulate);
    });
    parallel_range(s.m, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = 1; part < parts; ++part)
            for (std::size_t i = begin; i < end; ++i) {
                float* into = c.row(i);
                const float* from = sums.view().row((part - 1) * s.m + i);
                for (std::size_t j = 0; j < s.n; ++j) into[j] += from[j];
            }
    });
}

}  // namespace

void gemm(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate) {
    const GemmShape s = gemm_shape(op_a, a, op_b, b, c);
    if (s.m == 0 || s.n == 0) return;
    if (transposing_pays(s, op_a, op_b)) {
        constexpr std::size_t kKept = 1 << 20;  // numbers; larger memory is given back
        thread_local Matrix left, right;
        gemm(Op::none, op_a == Op::none ? a : transposed(a, left), Op::transpose, transposed(b, right), c,
             accumulate);
        for (Matrix* memory : {&left, &right})
            if (memory->size() > kKept) *memory = Matrix();
        return;
    }
    const std::size_t parts = parts_of(s);
    if (parts > 1 && s.k >= kLongSum * std::max(s.m, s.n))
        divide_sum(s, parts, op_a, a, op_b, b, c, accumulate);
    else
        divide_result(s, parts, op_a, a, op_b, b, c, accumulate);
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
