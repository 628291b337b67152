#include <algorithm>
#include <cmath>

#include "lab/report/number_text.hpp"
#include "lab/report/page/chart_frame.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab::page {
namespace {

constexpr double kRow = 26, kPanelTop = 30, kPanelBottom = 30, kLegend = 28, kGap = 26, kEdge = 16;
constexpr std::size_t kLongestName = 22;

// Where numbers of a panel lie, and its ticks.
class Axis {
  public:
    Axis(const DotPanel& panel, double left, double right)
        : log_(panel.logarithmic), left_(left), right_(right) {
        bool first = true;
        for (const DotRow& row : panel.rows)
            for (const auto& value : {row.ours, row.low, row.high, row.paper})
                if (value && (!log_ || *value > 0)) {
                    low_ = first ? scaled(*value) : std::min(low_, scaled(*value));
                    high_ = first ? scaled(*value) : std::max(high_, scaled(*value));
                    first = false;
                }
        empty_ = first;
        if (log_) {
            low_ = std::floor(low_ - 0.05), high_ = std::ceil(high_ + 0.05), step_ = 1;
        } else {
            if (high_ - low_ < 0.02) low_ -= 0.01, high_ += 0.01;
            step_ = tick_step(high_ - low_, 4);
            low_ = std::max(0.0, std::floor(low_ / step_ - 0.1) * step_);
            high_ = std::ceil(high_ / step_ + 0.1) * step_;
        }
    }
    bool empty() const { return empty_; }
    bool has(const std::optional<double>& value) const { return value && (!log_ || *value > 0); }
    double at(double value) const { return place(scaled(value)); }
    // Value and place of every tick.
    std::vector<std::pair<double, double>> ticks() const {
        std::vector<std::pair<double, double>> result;
        const int count = static_cast<int>(std::floor((high_ - low_) / step_ + 1e-6));
        for (int i = 0; i <= count; ++i) {
            const double s = low_ + i * step_;
            result.emplace_back(log_ ? std::pow(10.0, s) : s, place(s));
        }
        return result;
    }
    double step() const { return step_; }

  private:
    double scaled(double value) const { return log_ ? std::log10(value) : value; }
    double place(double s) const { return left_ + (right_ - left_) * (s - low_) / (high_ - low_); }
    bool log_, empty_ = true;
    double left_, right_, low_ = 0, high_ = 1, step_ = 1;
};

class DotPicture {
  public:
    DotPicture(const DotChart& chart, ChartWidth width) : chart_(chart), wide_(width == ChartWidth::wide) {}

    std::string draw() {
        std::size_t rows = 0;
        bool any = false;
        for (const DotPanel& panel : chart_.panels) {
            rows = std::max(rows, panel.rows.size());
            any = any || !Axis(panel, 0, 1).empty();
        }
        if (!any) return "";
        const double panel_height = kPanelTop + kRow * static_cast<double>(rows) + kPanelBottom;
        const double down = wide_ ? 1 : static_cast<double>(chart_.panels.size());
        open_chart(svg_, {chart_.id, chart_.title, chart_.description}, wide_ ? 800 : 344,
                   panel_height * down + kLegend);
        double top = 0;
        const double names = wide_ ? 170 : 126, count = static_cast<double>(chart_.panels.size());
        const double width = wide_ ? (800 - names - kGap * count) / count : 344 - names - 16;
        for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
            const double left = wide_ ? names + static_cast<double>(i) * (width + kGap) : names;
            if (!wide_ || i == 0) row_names(chart_.panels[i], names - 12, top);
            panel(chart_.panels[i], left, left + width, top);
            if (!wide_) top += panel_height;
        }
        legend(panel_height * down + 14);
        svg_.put("</svg>\n");
        return svg_.str();
    }

  private:
    static double row_y(double top, std::size_t i) {
        return top + kPanelTop + kRow * (static_cast<double>(i) + 0.5);
    }
    void row_names(const DotPanel& panel, double right, double top) {
        for (std::size_t i = 0; i < panel.rows.size(); ++i)
            svg_.text(right, row_y(top, i) + 4, "text-anchor=\"end\"",
                      xml_text(panel.rows[i].name, wide_ ? kLongestName : 17));
    }
    void panel(const DotPanel& panel, double left, double right, double top) {
        const Axis axis(panel, left, right);
        const double bottom = top + kPanelTop + kRow * static_cast<double>(panel.rows.size());
        svg_.text(left, top + 18, "class=\"strong\"", xml_text(panel.title));
        if (axis.empty()) {
            svg_.text(left, row_y(top, 0) + 4, "class=\"t\"", "not measured");
            return;
        }
        const auto ticks = axis.ticks();
        // Labels of many decades would touch each other.
        const std::size_t every = 1 + (ticks.size() - 1) / static_cast<std::size_t>((right - left) / 52);
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            svg_.line({ticks[i].second, top + kPanelTop}, {ticks[i].second, bottom}, "class=\"grid\"");
            if (i % every != 0) continue;
            // At the edges labels stay inside, where the next panel's do not reach.
            const double x = ticks[i].second;
            const char* anchor = x - left < kEdge ? "start" : right - x < kEdge ? "end" : "middle";
            svg_.text(x, bottom + 16, fmt::format("class=\"t\" text-anchor=\"{}\"", anchor),
                      tick_text(panel, ticks[i].first, axis.step()));
        }
        for (std::size_t i = 0; i < panel.rows.size(); ++i) row(panel, panel.rows[i], axis, row_y(top, i));
    }
    static std::string tick_text(const DotPanel& panel, double value, double step) {
        if (is_bytes(panel.column)) {
            std::string text = bytes_text(value);
            if (const std::size_t zero = text.find(".0 "); zero != text.npos) text.erase(zero, 2);
            return text;
        }
        return fmt::format("{:.{}f}", value, step < 0.099 ? 2 : 1);
    }
    void row(const DotPanel& panel, const DotRow& r, const Axis& axis, double y) {
        if (axis.has(r.low) && axis.has(r.high) && *r.high > *r.low)
            svg_.line({axis.at(*r.low), y}, {axis.at(*r.high), y}, "class=\"range c0\"");
        if (axis.has(r.paper)) svg_.circle({axis.at(*r.paper), y}, 5, mark("ring", "paper", panel, r));
        if (axis.has(r.ours)) svg_.circle({axis.at(*r.ours), y}, 4.2, mark("f0", "ours", panel, r));
    }
    static std::string mark(const char* look, const char* whose, const DotPanel& panel, const DotRow& r) {
        return fmt::format("class=\"{}\" data-dot=\"{}\" data-column=\"{}\" data-row=\"{}\"", look, whose,
                           xml_text(panel.column), xml_text(r.name));
    }
    void legend(double y) {
        double x = wide_ ? 170 : 40;
        svg_.circle({x, y - 4}, 4.2, "class=\"f0\"");
        bool ranges = false, paper = false;
        for (const DotPanel& panel : chart_.panels)
            for (const DotRow& row : panel.rows) {
                ranges = ranges || (row.low && row.high && *row.high > *row.low);
                paper = paper || row.paper;
            }
        svg_.text(x + 10, y, "class=\"t\"", ranges ? "ours, range over seeds" : "ours");
        if (!paper) return;
        x += ranges ? 165 : 65;
        svg_.circle({x, y - 4}, 5, "class=\"ring\"");
        svg_.text(x + 10, y, "class=\"t\"", "paper");
    }

    const DotChart& chart_;
    bool wide_;
    SvgWriter svg_;
};

}  // namespace

std::string dot_chart_svg(const DotChart& chart, ChartWidth width) {
    return DotPicture(chart, width).draw();
}

}  // namespace fearnet::lab::page
