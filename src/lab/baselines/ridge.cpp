#include "lab/baselines/ridge.hpp"

#include "core/math/gemm.hpp"

namespace fearnet::lab {

void RanPac::prepare(std::size_t width) {
    if (projection_.rows() == width) return;
    Matrix projection(width, mapped_width());
    Rng rng = fixed_rng();
    rng.fill_normal({projection.data(), projection.size()});
    projection_ = std::move(projection);
}

Matrix RanPac::map(MatrixView x) const {
    Matrix mapped(x.rows, projection_.cols());
    math::gemm(math::Op::none, x, math::Op::none, projection_, mapped);
    float* v = mapped.data();
    for (std::size_t i = 0; i < mapped.size(); ++i) v[i] = v[i] > 0 ? v[i] : 0;
    return mapped;
}

MemoryUse RanPac::memory() const {
    MemoryUse use = ReadoutLearner::memory();
    use["projection"] = class_count() == 0 ? 0 : projection_.bytes();
    return use;
}

}  // namespace fearnet::lab
