#include "data/frontends/media/crop.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// How the pixels begin .. begin + count of a line make one output pixel.
struct Tap {
    std::size_t begin = 0, count = 0;
    const float* weights = nullptr;
};

// The taps of output pixels first .. first + count of a line of `from` pixels that is scaled to `to`.
class Taps {
  public:
    Taps(std::size_t from, std::size_t to, std::size_t first, std::size_t count) {
        const double ratio = static_cast<double>(from) / static_cast<double>(to);
        const double support = std::max(ratio, 1.0);
        const std::size_t most = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
        weights_.reserve(most * count);  // the taps point into it
        for (std::size_t i = 0; i < count; ++i) {
            const double center = (static_cast<double>(first + i) + 0.5) * ratio;
            const auto begin = static_cast<std::size_t>(std::max(center - support + 0.5, 0.0));
            const std::size_t end = std::min(static_cast<std::size_t>(center + support + 0.5), from);
            const auto triangle = [&](std::size_t k) {
                return std::max(1 - std::abs((static_cast<double>(k) + 0.5 - center) / support), 0.0);
            };
            double sum = 0;
            for (std::size_t k = begin; k < end; ++k) sum += triangle(k);
            taps_.push_back({begin, end - begin, weights_.data() + weights_.size()});
            for (std::size_t k = begin; k < end; ++k)
                weights_.push_back(static_cast<float>(triangle(k) / sum));
        }
        for (const Tap& tap : taps_) {
            begin_ = std::min(begin_, tap.begin);
            end_ = std::max(end_, tap.begin + tap.count);
        }
    }
    const Tap& operator[](std::size_t i) const { return taps_[i]; }
    std::size_t size() const { return taps_.size(); }
    // The pixels that any output pixel needs.
    std::size_t begin() const { return begin_; }
    std::size_t end() const { return end_; }

  private:
    std::vector<float> weights_;
    std::vector<Tap> taps_;
    std::size_t begin_ = static_cast<std::size_t>(-1), end_ = 0;
};

// A line of pixels before and after: its length, the length after scaling, and where the crop starts.
struct Line {
    std::size_t from, to, first;
};

// Half of `margin`, rounded to even as Python's round does.
std::size_t half(std::size_t margin) {
    return margin / 2 + (margin % 4 == 3 ? 1 : 0);
}

// `whole` pixels and `other` of the other side, of which `crop` remain, at the start, the end or the middle.
Line line(std::size_t whole, std::size_t other, std::size_t crop, std::size_t short_side, ImagePart part,
          bool at_end) {
    const std::size_t to = whole <= other ? short_side : short_side * whole / other;
    const std::size_t margin = to - crop;
    return {whole, to, part == ImagePart::center ? half(margin) : at_end ? margin : 0};
}

// The columns begin .. end of the rows of a tap, weighted and added. `out` gets 3 numbers per column.
void add_rows(const Image& image, const Tap& tap, std::size_t begin, std::size_t end, float* out) {
    const std::size_t numbers = 3 * (end - begin), stride = 3 * image.width;
    const std::uint8_t* row = image.rgb.data() + tap.begin * stride + 3 * begin;
    const float first = tap.weights[0];
    for (std::size_t i = 0; i < numbers; ++i) out[i] = first * static_cast<float>(row[i]);
    for (std::size_t k = 1; k < tap.count; ++k) {
        row += stride;
        const float weight = tap.weights[k];
        for (std::size_t i = 0; i < numbers; ++i) out[i] += weight * static_cast<float>(row[i]);
    }
}

// (value - mean) / deviation, and where the three numbers of a pixel go.
struct Layout {
    std::array<float, 3> scale, offset;
    std::array<std::size_t, 3> start;
    std::size_t step;

    explicit Layout(const ImageInput& input) : step(input.channels_first ? 1 : 3) {
        for (std::size_t color = 0; color < 3; ++color) {
            const std::size_t channel = input.bgr ? 2 - color : color;
            scale[color] = 1 / input.deviation[channel];
            offset[color] = -input.mean[channel] / input.deviation[channel];
            start[color] = channel * (input.channels_first ? input.width * input.height : 1);
        }
    }
};

// One output row from the sums of add_rows, whose first column is `begin`. There is a number to read after
// the last pixel: four numbers at once are one instruction.
void add_columns(const float* sums, std::size_t begin, const Taps& columns, const Layout& layout,
                 float* out) {
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const Tap& tap = columns[x];
        const float* pixel = sums + 3 * (tap.begin - begin);
        float color[4] = {};
        for (std::size_t k = 0; k < tap.count; ++k, pixel += 3)
            for (std::size_t c = 0; c < 4; ++c) color[c] += tap.weights[k] * pixel[c];
        for (std::size_t c = 0; c < 3; ++c)
            out[layout.start[c] + x * layout.step] = color[c] * layout.scale[c] + layout.offset[c];
    }
}

void check(const Image& image, const ImageInput& input) {
    if (image.width == 0 || image.height == 0 || image.rgb.size() != 3 * image.width * image.height)
        throw Error("image_tensor: a picture of " + std::to_string(image.width) + " x " +
                    std::to_string(image.height) + " pixels with " + std::to_string(image.rgb.size()) +
                    " values; expected 3 values per pixel");
    if (input.width == 0 || input.height == 0 || std::max(input.width, input.height) > input.short_side)
        throw Error("image_tensor: a crop of " + std::to_string(input.width) + " x " +
                    std::to_string(input.height) + " from pictures with a short side of " +
                    std::to_string(input.short_side) + "; the crop must be at least 1 x 1 and fit in");
}

}  // namespace

void image_tensor(const Image& image, const ImageInput& input, ImagePart part, float* out) {
    check(image, input);
    using Part = ImagePart;
    const bool right = part == Part::top_right || part == Part::bottom_right;
    const bool bottom = part == Part::bottom_left || part == Part::bottom_right;
    const Line across = line(image.width, image.height, input.width, input.short_side, part, right);
    const Line down = line(image.height, image.width, input.height, input.short_side, part, bottom);
    const Taps columns(across.from, across.to, across.first, input.width);
    const Taps rows(down.from, down.to, down.first, input.height);

    const Layout layout(input);
    std::vector<float> sums(3 * (columns.end() - columns.begin()) + 1);
    for (std::size_t y = 0; y < rows.size(); ++y) {
        add_rows(image, rows[y], columns.begin(), columns.end(), sums.data());
        add_columns(sums.data(), columns.begin(), columns, layout, out + y * input.width * layout.step);
    }
}

}  // namespace fearnet
