#include "report/svg.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace fearnet {
namespace {

// Bytes of the UTF-8 character at the front of `text`; 0 when it is none (overlong forms and surrogates
// included).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool outside = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
    return overlong || outside ? 0 : length;
}

std::string points_text(const std::vector<SvgPoint>& points) {
    std::string text;
    for (const auto& [x, y] : points) fmt::format_to(std::back_inserter(text), "{:.1f},{:.1f} ", x, y);
    return text;
}

}  // namespace

void SvgWriter::text(double x, double y, const std::string& attributes, const std::string& xml) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, xml);
}

void SvgWriter::line(SvgPoint from, SvgPoint to, const std::string& attributes) {
    put("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.first, to.first,
        from.second, to.second, attributes);
}

void SvgWriter::polyline(const std::vector<SvgPoint>& points, const std::string& attributes) {
    put("<polyline fill=\"none\" {} points=\"{}\"/>\n", attributes, points_text(points));
}

void SvgWriter::polygon(const std::vector<SvgPoint>& points, const std::string& attributes) {
    put("<polygon {} points=\"{}\"/>\n", attributes, points_text(points));
}

void SvgWriter::circle(SvgPoint center, double radius, const std::string& attributes) {
    put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}/>\n", center.first, center.second, radius,
        attributes);
}

double tick_step(double range, int most) {
    double ten = std::pow(10.0, std::floor(std::log10(range / most)));
    for (;; ten *= 10)
        for (const double digit : {1.0, 2.0, 5.0})
            if (range / (digit * ten) <= most * (1 + 1e-9)) return digit * ten;
}

std::vector<double> place_labels(const std::vector<double>& wanted, double gap, double low, double high) {
    const std::size_t n = wanted.size();
    if (n == 0) return {};
    if (n > 1) gap = std::min(gap, (high - low) / static_cast<double>(n - 1));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });

    // Neighbours that collide form a block, which stands where the mean of its wishes is; blocks merge until
    // none collide.
    struct Block {
        double sum = 0;  // of wish minus place within the block
        std::size_t count = 0;
        double top = 0;
    };
    const auto settle = [&](Block& b) {
        const double extent = gap * static_cast<double>(b.count - 1);
        b.top = std::clamp(b.sum / static_cast<double>(b.count), low, std::max(low, high - extent));
    };
    std::vector<Block> blocks;
    for (const std::size_t i : order) {
        Block block{wanted[i], 1, 0};
        settle(block);
        while (!blocks.empty() &&
               blocks.back().top + gap * static_cast<double>(blocks.back().count) > block.top) {
            Block& above = blocks.back();
            const double shift = gap * static_cast<double>(above.count);
            block = {above.sum + block.sum - shift * static_cast<double>(block.count),
                     above.count + block.count, 0};
            settle(block);
            blocks.pop_back();
        }
        blocks.push_back(block);
    }
    std::vector<double> placed(n);
    std::size_t next = 0;
    for (const Block& b : blocks)
        for (std::size_t k = 0; k < b.count; ++k)
            placed[order[next++]] = b.top + gap * static_cast<double>(k);
    return placed;
}

std::string xml_text(const std::string& text, std::size_t longest) {
    std::string out;
    std::size_t characters = 0;
    for (std::string_view rest = text; !rest.empty(); ++characters) {
        if (characters == longest) return out + "...";
        const std::size_t length = utf8_length(rest);
        const unsigned char c = static_cast<unsigned char>(rest[0]);
        if (length == 0 || c < 0x20 || c == 0x7f)
            out += '?';
        else if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += rest.substr(0, length);
        rest.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

}  // namespace fearnet
