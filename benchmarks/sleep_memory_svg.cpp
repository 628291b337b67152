#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sleep_memory.hpp"

namespace fearnet::bench {
namespace {

constexpr double kWidth = 800, kHeight = 440;
constexpr double kLeft = 64, kRight = 560, kTop = 84, kBottom = 380;  // the plot itself
constexpr const char* kInk = "#1f2933";
constexpr const char* kMuted = "#66727f";
constexpr const char* kGrid = "#e4e8ec";
constexpr const char* kAbove = "#1d5fbf";
constexpr const char* kKept = "#12805c";
constexpr const char* kBound = "#b3261e";

// 1, 2 or 5 times a power of ten, for about five steps.
double nice_step(double range) {
    const double rough = range / 5, power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

class Picture {
  public:
    explicit Picture(const std::vector<SleepMemory>& measured) : measured_(measured) {
        for (const SleepMemory& m : measured) {
            most_classes_ = std::max(most_classes_, static_cast<double>(m.classes));
            most_mb_ = std::max({most_mb_, above(m), kept(m)});
        }
        most_mb_ = std::ceil(most_mb_ * 1.05 / nice_step(most_mb_)) * nice_step(most_mb_);
    }

    std::string draw(const std::string& subtitle) {
        text_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\">\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            kWidth, kHeight);
        label(kLeft, 30, kInk, "Memory that a sleep needs, by number of consolidated classes",
              "font-size=\"17\" font-weight=\"600\"");
        label(kLeft, 52, kMuted, subtitle);
        axes();
        const double limit = kLimit / kMegabyte;
        line(kLeft, y(limit), kRight, y(limit), kBound, "stroke-dasharray=\"6 4\"");
        double limit_label = y(limit);
        if (!measured_.empty()) {
            limit_label = clear_of(limit_label, {y(above(measured_.back())), y(kept(measured_.back()))});
            series([](const SleepMemory& m) { return kept(m); }, kKept, "model + recent memory");
            series([](const SleepMemory& m) { return above(m); }, kAbove, "peak of sleep above them");
        }
        label(kRight + 12, limit_label + 4, kBound, fmt::format("limit at 1,000: {:.0f} MB", limit));
        return text_ + "</svg>\n";
    }

  private:
    static double above(const SleepMemory& m) { return m.above() / kMegabyte; }
    static double kept(const SleepMemory& m) {
        return static_cast<double>(m.model_bytes + m.recent_bytes) / kMegabyte;
    }
    double x(double classes) const { return kLeft + (kRight - kLeft) * classes / most_classes_; }
    double y(double mb) const { return kBottom - (kBottom - kTop) * mb / most_mb_; }
    // Moves a label up, so that it stands at least a line away from the others.
    static double clear_of(double at, std::vector<double> others) {
        constexpr double kLine = 34;  // the others have two lines
        std::sort(others.rbegin(), others.rend());
        for (const double other : others)
            if (std::abs(at - other) < kLine) at = other - kLine;
        return at;
    }

    void label(double at_x, double at_y, const char* color, const std::string& words, const char* more = "") {
        text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" {}>{}</text>\n", at_x, at_y, color,
                             more, words);
    }
    void line(double x1, double y1, double x2, double y2, const char* color, const char* more = "") {
        text_ +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n",
                        x1, y1, x2, y2, color, more);
    }
    void axes() {
        for (double mb = 0; mb <= most_mb_ + 1e-6; mb += nice_step(most_mb_)) {
            line(kLeft, y(mb), kRight, y(mb), mb == 0 ? kMuted : kGrid);
            label(kLeft - 8, y(mb) + 4, kMuted, fmt::format("{:.0f}", mb), "text-anchor=\"end\"");
        }
        label(kLeft - 8, kTop - 12, kMuted, "MB", "text-anchor=\"end\"");
        for (const SleepMemory& m : measured_)
            label(x(static_cast<double>(m.classes)), kBottom + 20, kMuted, fmt::format("{}", m.classes),
                  "text-anchor=\"middle\"");
        label((kLeft + kRight) / 2, kBottom + 44, kMuted, "consolidated classes", "text-anchor=\"middle\"");
    }
    template <class Value>
    void series(const Value& value, const char* color, const char* name) {
        std::string points;
        for (const SleepMemory& m : measured_)
            points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(m.classes)), y(value(m)));
        text_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"/>\n",
                             points, color);
        for (const SleepMemory& m : measured_)
            text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                                 x(static_cast<double>(m.classes)), y(value(m)), color);
        const SleepMemory& last = measured_.back();
        label(kRight + 12, y(value(last)), color, name, "font-weight=\"600\"");
        label(kRight + 12, y(value(last)) + 16, color, fmt::format("{:.0f} MB", value(last)));
    }

    const std::vector<SleepMemory>& measured_;
    std::string text_;
    double most_classes_ = 1, most_mb_ = kLimit / kMegabyte;
};

}  // namespace

std::string sleep_memory_svg(const std::vector<SleepMemory>& measured, const std::string& subtitle) {
    return Picture(measured).draw(subtitle);
}

}  // namespace fearnet::bench
