#include "lab/report/svg.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "core/base/utf8.hpp"
#include "fearnet/error.hpp"

namespace fearnet::lab {
namespace {

std::string points_text(const std::vector<SvgPoint>& points) {
    std::string text;
    for (const auto& [x, y] : points) text += fmt::format("{:.1f},{:.1f} ", x, y);
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
    const std::string safe = printable(text);
    std::size_t characters = 0;
    char32_t c = 0;
    for (std::string_view rest = safe; !rest.empty(); ++characters) {
        if (characters == longest) return out + "...";
        next_code_point(rest, c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            append_utf8(out, c);
    }
    return out;
}

}  // namespace fearnet::lab
