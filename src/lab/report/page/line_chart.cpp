#include <algorithm>
#include <cmath>

#include "lab/report/page/chart_frame.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab::page {
namespace {

constexpr double kLabelGap = 16, kLegendRow = 19;
constexpr std::size_t kLongestName = 32;
// What a letter takes, a number after a name, and the lead before it.
constexpr double kLetter = 6.7, kNumber = 48, kLead = 46;
constexpr double kWide = 800, kNarrow = 344;

std::string classes(const ChartLine& line) {
    if (line.reference) return "ref";
    return fmt::format("l c{} d{}{}", line.color % kColors, line.dash % kDashes,
                       line.strong ? " strong" : "");
}

class LinePicture {
  public:
    LinePicture(const LineChart& chart, ChartWidth width) : chart_(chart), wide_(width == ChartWidth::wide) {
        std::size_t longest = 0;
        for (const ChartLine& line : chart.lines) longest = std::max(longest, line.name.size());
        const double names = kLetter * static_cast<double>(std::min(longest, kLongestName));
        right_ = wide_ ? std::min(610.0, kWide - kLead - names - kNumber) : kNarrow - 10;
        left_ = wide_ ? 56 : 42;
        bottom_ = wide_ ? 336 : 236;
        for (const ChartLine& line : chart.lines) cover(line.series);
    }

    std::string draw() {
        if (points_ == 0) return "";
        choose_axes();
        const double legend = wide_ ? 0 : kLegendRow * static_cast<double>(chart_.lines.size()) + 6;
        open_chart(svg_, {chart_.id, chart_.title, chart_.description}, wide_ ? kWide : kNarrow,
                   bottom_ + 48 + legend);
        grid();
        for (const ChartLine& line : chart_.lines) band(line);
        for (const ChartLine& line : chart_.lines) path(line);
        wide_ ? end_labels() : legend_below();
        svg_.put("</svg>\n");
        return svg_.str();
    }

  private:
    void cover(const Series& s) {
        for (std::size_t i = 0; i < s.session.size(); ++i) {
            const double x = static_cast<double>(s.session[i]);
            if (points_++ == 0) first_ = last_ = x, low_ = s.low[i], high_ = s.high[i];
            first_ = std::min(first_, x), last_ = std::max(last_, x);
            low_ = std::min({low_, s.low[i], s.mean[i]}), high_ = std::max({high_, s.high[i], s.mean[i]});
        }
    }
    void choose_axes() {
        if (last_ <= first_) last_ = first_ + 1;
        if (high_ - low_ < 0.02) low_ -= 0.01, high_ += 0.01;
        y_step_ = tick_step(high_ - low_, 6);
        low_ = std::max(0.0, std::floor(low_ / y_step_ - 0.1) * y_step_);
        high_ = std::ceil(high_ / y_step_ + 0.1) * y_step_;
        if (chart_.percent) high_ = std::min(1.0, high_);
    }
    double x_of(double x) const { return left_ + (right_ - left_) * (x - first_) / (last_ - first_); }
    double y_of(double y) const { return bottom_ - (bottom_ - top_) * (y - low_) / (high_ - low_); }
    SvgPoint at(const Series& s, std::size_t i, double y) const {
        return {x_of(static_cast<double>(s.session[i])), y_of(y)};
    }

    std::string y_text(double y) const {
        if (chart_.percent) return fmt::format("{:.0f} %", 100 * y);
        return fmt::format("{:.{}f}", y, y_step_ < 0.099 ? 2 : 1);
    }
    void grid() {
        const int ticks = static_cast<int>(std::floor((high_ - low_) / y_step_ + 1e-6));
        for (int i = 0; i <= ticks; ++i) {
            const double value = low_ + i * y_step_, y = y_of(value);
            svg_.line({left_, y}, {right_, y}, i == 0 ? "class=\"axis\"" : "class=\"grid\"");
            svg_.text(left_ - 7, y + 4, "class=\"t\" text-anchor=\"end\"", y_text(value));
        }
        const double step = std::max(1.0, tick_step(last_ - first_, wide_ ? 10 : 6));
        for (double x = std::ceil(first_ / step) * step; x <= last_ + 1e-9; x += step) {
            svg_.line({x_of(x), bottom_}, {x_of(x), bottom_ + 5}, "class=\"axis\"");
            svg_.text(x_of(x), bottom_ + 18, "class=\"t\" text-anchor=\"middle\"",
                      chart_.from_base && x == 0 ? "base" : fmt::format("{:.0f}", x));
        }
        svg_.text((left_ + right_) / 2, bottom_ + 38, "class=\"t\" text-anchor=\"middle\"",
                  xml_text(chart_.x_label));
        svg_.text(left_ - (wide_ ? 48 : 34), 14, "class=\"t\"", xml_text(chart_.y_label));
    }

    void band(const ChartLine& line) {
        const Series& s = line.series;
        if (s.low == s.high) return;
        std::vector<SvgPoint> around;
        for (std::size_t i = 0; i < s.session.size(); ++i) around.push_back(at(s, i, s.high[i]));
        for (std::size_t i = s.session.size(); i-- > 0;) around.push_back(at(s, i, s.low[i]));
        svg_.polygon(around, fmt::format("class=\"band f{}\"", line.color % kColors));
    }
    void path(const ChartLine& line) {
        const Series& s = line.series;
        if (s.empty()) return;
        std::vector<SvgPoint> points;
        for (std::size_t i = 0; i < s.session.size(); ++i) points.push_back(at(s, i, s.mean[i]));
        svg_.polyline(points,
                      fmt::format("class=\"{}\" data-line=\"{}\"", classes(line), xml_text(line.name)));
        if (chart_.points || points.size() == 1)
            for (const SvgPoint& p : points)
                svg_.circle(p, 3.2, fmt::format("class=\"f{}\"", line.color % kColors));
    }

    std::string last_text(const ChartLine& line) const {
        const double y = line.series.mean.back();
        return chart_.percent ? fmt::format("{:.1f} %", 100 * y) : fmt::format("{:.3f}", y);
    }
    static const char* text_class(const ChartLine& line) { return line.strong ? "class=\"strong\"" : ""; }
    void end_labels() {
        std::vector<const ChartLine*> lines;
        std::vector<double> wanted;
        for (const ChartLine& line : chart_.lines)
            if (!line.series.empty()) lines.push_back(&line), wanted.push_back(y_of(line.series.mean.back()));
        const std::vector<double> placed = place_labels(wanted, kLabelGap, top_, bottom_);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const double x = x_of(static_cast<double>(lines[i]->series.session.back()));
            svg_.polyline(
                {{x + 4, wanted[i]}, {right_ + 18, placed[i]}},
                fmt::format("class=\"lead c{}\"", lines[i]->reference ? 7 : lines[i]->color % kColors));
            svg_.line({right_ + 18, placed[i]}, {right_ + 40, placed[i]},
                      fmt::format("class=\"{}\"", classes(*lines[i])));
            svg_.text(right_ + kLead, placed[i] + 4, text_class(*lines[i]),
                      xml_text(lines[i]->name, kLongestName) + "<tspan class=\"t\" dx=\"5\">" +
                          last_text(*lines[i]) + "</tspan>");
        }
    }
    void legend_below() {
        double y = bottom_ + 62;
        for (const ChartLine& line : chart_.lines) {
            if (line.series.empty()) continue;
            svg_.line({left_, y - 4}, {left_ + 30, y - 4}, fmt::format("class=\"{}\"", classes(line)));
            svg_.text(left_ + 40, y, text_class(line), xml_text(line.name, kLongestName));
            svg_.text(right_, y, "class=\"t\" text-anchor=\"end\"", last_text(line));
            y += kLegendRow;
        }
    }

    const LineChart& chart_;
    bool wide_;
    double left_, right_, bottom_;
    double top_ = 28;
    double first_ = 0, last_ = 1, low_ = 0, high_ = 1, y_step_ = 0.1;
    std::size_t points_ = 0;
    SvgWriter svg_;
};

}  // namespace

std::string line_chart_svg(const LineChart& chart, ChartWidth width) {
    return LinePicture(chart, width).draw();
}

}  // namespace fearnet::lab::page
