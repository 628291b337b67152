// Samples at another rate, block by block.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace fearnet {

class Resampler {
  public:
    Resampler(double from, double to);

    // Appends to `out` what follows from `samples`; later blocks bring the rest.
    void add(std::span<const float> samples, std::vector<float>& out);
    // The rest, after the last block.
    void finish(std::vector<float>& out);

  private:
    struct Close {
        void operator()(void* resampler) const;
    };
    std::unique_ptr<void, Close> soxr_;  // none when the rates are equal
};

}  // namespace fearnet
