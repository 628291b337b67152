#include "data/frontends/media/resampler.hpp"

#include <soxr.h>

#include <array>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// Gives all of `samples` to soxr, or the end of the sound, and appends all that soxr gives back.
void process(soxr_t soxr, const float* samples, std::size_t count, std::vector<float>& out) {
    std::array<float, 4096> block;
    for (;;) {
        std::size_t taken = 0, given = 0;
        const soxr_error_t error =
            soxr_process(soxr, samples, count, &taken, block.data(), block.size(), &given);
        if (error) throw Error(std::string("decode_sound: resampling failed: ") + error);
        out.insert(out.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(given));
        if (samples) {
            samples += taken;
            count -= taken;
        }
        if (given < block.size() && count == 0) return;
    }
}

}  // namespace

void Resampler::Close::operator()(void* resampler) const {
    soxr_delete(static_cast<soxr_t>(resampler));
}

Resampler::Resampler(double from, double to) {
    if (from == to) return;
    soxr_error_t error = nullptr;
    soxr_.reset(soxr_create(from, to, 1, &error, nullptr, nullptr, nullptr));
    if (error)
        throw Error("decode_sound: no resampling from " + std::to_string(from) + " to " + std::to_string(to) +
                    " samples per second: " + error);
}

void Resampler::add(std::span<const float> samples, std::vector<float>& out) {
    if (!soxr_)
        out.insert(out.end(), samples.begin(), samples.end());
    else if (!samples.empty())
        process(static_cast<soxr_t>(soxr_.get()), samples.data(), samples.size(), out);
}

void Resampler::finish(std::vector<float>& out) {
    if (soxr_) process(static_cast<soxr_t>(soxr_.get()), nullptr, 0, out);
}

}  // namespace fearnet
