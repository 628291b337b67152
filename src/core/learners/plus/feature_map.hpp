// The feature map of FearNetPlus: the features, their signed square roots, or random ReLU features.
#pragma once

#include "fearnet/rng.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// (x - center) * scale
struct Centering {
    // The mean of the rows seen and one over their mean deviation.
    Matrix center;  // 1 x features
    float scale = 1;

    void apply(Matrix& x) const;
    void save(State& state, const std::string& prefix) const;
    // Throws Error unless it takes rows of this width.
    static Centering load(const State& state, const std::string& prefix, std::size_t width);
};

// Fixed by the base session, so that sums over features stay valid.
class FeatureMap {
  public:
    FeatureMap() = default;
    // Centers on `rows` and divides by their mean deviation; `root` takes the roots first, keeping the sign.
    FeatureMap(MatrixView rows, bool root);
    // `count` random ReLU features: max(0, a + b . x) of centered rows, with random a and b, centered again.
    // From kManyFeatures given features on, b is drawn with the covariance of the rows. For rows of several
    // frames, the random features of the frames are averaged.
    static FeatureMap random(MatrixView rows, std::size_t count, Rng rng, std::size_t frames = 1);

    Matrix operator()(MatrixView x) const;
    // The rows without random features: centered, scaled, and the roots if those are used.
    Matrix without_random(MatrixView x) const;
    std::size_t inputs() const { return frames_ * piece(); }
    // Width of a frame.
    std::size_t piece() const { return given_.center.cols(); }
    std::size_t frames() const { return frames_; }
    std::size_t outputs() const { return is_random() ? made_.center.cols() : inputs(); }
    bool root() const { return root_; }
    bool is_random() const { return weights_.rows() > 0; }
    // Features are (y - center) * scale, random ones (mean(max(0, weights (y - given_center) + bias)) -
    // center) * scale, the mean over the frames; y = x or its roots.
    float scale() const { return is_random() ? made_.scale : given_.scale; }
    const Matrix& center() const { return is_random() ? made_.center : given_.center; }
    const Matrix& given_center() const { return given_.center; }
    Matrix weights() const;
    const Matrix& bias() const { return bias_; }

    static std::size_t bytes(std::size_t piece, std::size_t outputs, bool random);
    std::size_t bytes() const { return bytes(piece(), outputs(), is_random()); }
    void save(State& state) const;
    // Throws Error unless it takes rows of this width.
    static FeatureMap load(const State& state, std::size_t width);

  private:
    FeatureMap(MatrixView rows, bool root, std::size_t frames);
    // The frames of the rows, centered and scaled.
    Matrix given(MatrixView x) const;
    void add_random(MatrixView x, MutableMatrixView sums) const;

    bool root_ = false;
    std::size_t frames_ = 1;
    Centering given_;        // of a piece
    Matrix weights_, bias_;  // outputs x piece, 1 x outputs; none: not random
    Centering made_;
};

}  // namespace fearnet
