// Decoding of MP3.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/byte_view.hpp"

namespace fearnet {

// The samples of an MP3 sound, block by block. Throws Error for bytes that are none and for damage that the
// decoder cannot skip. libsndfile would let the decoder print what it finds.
class Mp3 {
  public:
    explicit Mp3(io::ByteView bytes);
    ~Mp3();
    Mp3(const Mp3&) = delete;
    Mp3& operator=(const Mp3&) = delete;

    int channels() const { return channels_; }
    int rate() const { return rate_; }  // samples per second
    // Writes at most `frames` samples of every channel, interleaved. Returns how many; 0 at the end.
    std::size_t read(float* out, std::size_t frames);

  private:
    struct State;
    std::unique_ptr<State> state_;
    int channels_ = 0, rate_ = 0;
};

}  // namespace fearnet
