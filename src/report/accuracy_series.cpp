#include "report/accuracy_series.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace

std::vector<const RunRecord*> runs_to_show(const std::vector<RunRecord>& runs) {
    std::vector<const RunRecord*> finished, stopped;
    for (const RunRecord& run : runs) {
        if (run.sessions.empty()) continue;
        (run.finished ? finished : stopped).push_back(&run);
    }
    return finished.empty() ? stopped : finished;
}

Series collect(const std::vector<const RunRecord*>& runs,
               const std::function<std::optional<double>(const SessionRecord&)>& value) {
    Series series;
    std::size_t sessions = runs.empty() ? 0 : runs.front()->sessions.size();
    for (const RunRecord* run : runs) sessions = std::min(sessions, run->sessions.size());
    for (std::size_t t = 0; t < sessions; ++t) {
        std::vector<double> values;
        for (const RunRecord* run : runs)
            if (const auto v = value(run->sessions[t])) values.push_back(*v);
        if (values.size() < runs.size()) continue;
        series.session.push_back(t);
        series.mean.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size()));
        series.low.push_back(*std::min_element(values.begin(), values.end()));
        series.high.push_back(*std::max_element(values.begin(), values.end()));
    }
    return series;
}

Series running_mean(const Series& series, std::size_t width) {
    Series smooth = series;
    const std::size_t half = width / 2;
    for (std::size_t i = 0; i < series.mean.size(); ++i) {
        const std::size_t first = i < half ? 0 : i - half;
        const std::size_t end = std::min(series.mean.size(), i + half + 1);
        smooth.mean[i] = std::accumulate(series.mean.begin() + static_cast<std::ptrdiff_t>(first),
                                         series.mean.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                         static_cast<double>(end - first);
    }
    return smooth;
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
