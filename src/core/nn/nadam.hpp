// NAdam (Dozat 2016) with Keras' momentum schedule: beta1 * (1 - 0.5 * 0.96^(t * decay)).
#pragma once

#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::nn {

struct NAdamOptions {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double schedule_decay = 0.004;
};

// Updates a fixed list of parameters, each with its own learning rate, in one pass over each.
class NAdam {
  public:
    explicit NAdam(const NAdamOptions& options = {}) : options_(options) {}

    // `parameter` and `gradient` must outlive the optimizer and keep their size.
    void add(Matrix& parameter, const Matrix& gradient, double rate);
    // `share` scales every learning rate, for schedules.
    void step(double share = 1);

  private:
    struct Slot {
        float* parameter;
        const float* gradient;
        std::size_t size;
        double rate;
        Matrix first, second;  // running moments
    };
    NAdamOptions options_;
    std::vector<Slot> slots_;
    long steps_ = 0;
    double schedule_ = 1;  // product of the momenta so far
};

}  // namespace fearnet::nn
