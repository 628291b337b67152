// What FearNetPlus sees of a row: its features or their roots, centered and scaled.
#pragma once

#include "fearnet/base/state.hpp"

namespace fearnet {

// Fixed by the base session: what is counted of the features stays true for ever.
class FeatureMap {
  public:
    FeatureMap() = default;
    // Centers on `rows` and divides by their mean deviation; `root` takes the roots first, keeping the sign.
    FeatureMap(MatrixView rows, bool root);

    // (x or its roots - center) * scale
    Matrix operator()(MatrixView x) const;
    bool root() const { return root_; }
    const Matrix& center() const { return center_; }
    float scale() const { return scale_; }

    std::size_t bytes() const { return center_.bytes(); }
    void save(State& state) const;
    // Throws Error unless it takes rows of this width.
    static FeatureMap load(const State& state, std::size_t width);

  private:
    bool root_ = false;
    Matrix center_;  // 1 x features
    float scale_ = 1;
};

}  // namespace fearnet
