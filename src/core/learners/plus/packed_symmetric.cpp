#include "core/learners/plus/packed_symmetric.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet {
namespace {

constexpr float kWhole = 32767;

// To the nearest whole number, as vector code: adding and subtracting 1.5 * 2^23 rounds.
std::int16_t rounded(float share) {
    constexpr float kRound = 12582912.0f;
    share = share < -kWhole ? -kWhole : share;
    share = share > kWhole ? kWhole : share;
    return static_cast<std::int16_t>(static_cast<std::int32_t>((share + kRound) - kRound));
}

}  // namespace

PackedSymmetric::PackedSymmetric(const Matrix& m) : roots_(m.rows()), shares_(m.rows() * (m.rows() - 1) / 2) {
    for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = std::sqrt(std::max(0.0f, m(i, i)));
    std::vector<float> inverse;
    for (const float root : roots_) inverse.push_back(root > 0 ? 1 / root : 0);
    parallel_range(roots_.size(), 64, math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           std::int16_t* out = shares_.data() + i * (i - 1) / 2;
                           const float *row = m.row(i), scale = kWhole * inverse[i];
                           for (std::size_t j = 0; j < i; ++j) out[j] = rounded(row[j] * scale * inverse[j]);
                       }
                   }));
}

Matrix PackedSymmetric::unpacked() const {
    const std::size_t n = size();
    Matrix m;
    m.resize(n, n);
    parallel_range(n, 64, math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           const std::int16_t* in = shares_.data() + i * (i - 1) / 2;
                           float* row = m.row(i);
                           const float scale = roots_[i] / kWhole;
                           for (std::size_t j = 0; j < i; ++j)
                               row[j] = static_cast<float>(in[j]) * scale * roots_[j];
                           row[i] = roots_[i] * roots_[i];
                           std::fill(row + i + 1, row + n, 0.0f);
                       }
                   }));
    return m;
}

void PackedSymmetric::save(State& state, const std::string& prefix) const {
    Matrix roots(1, roots_.size());
    std::copy(roots_.begin(), roots_.end(), roots.data());
    state.set(prefix + ".roots", std::move(roots), ArrayKind::statistics);
    state.set(prefix + ".quantized", shares_, ArrayKind::statistics);
}

PackedSymmetric PackedSymmetric::load(const State& state, const std::string& prefix, std::size_t size) {
    const Matrix& roots = state.matrix(prefix + ".roots", 1, size);
    PackedSymmetric m;
    m.shares_ = state.list<std::int16_t>(prefix + ".quantized", size * (size - 1) / 2);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        if (!(roots.data()[i] >= 0) || !std::isfinite(roots.data()[i] * roots.data()[i]))
            throw Error("State: '" + prefix + ".roots' has a number that is no root of a variance");
        m.roots_.push_back(roots.data()[i]);
    }
    if (std::any_of(m.shares_.begin(), m.shares_.end(), [](std::int16_t s) { return s < -kWhole; }))
        throw Error("State: '" + prefix + ".quantized' has a number below -" +
                    std::to_string(static_cast<int>(kWhole)));
    return m;
}

}  // namespace fearnet
