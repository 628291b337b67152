#include <algorithm>
#include <cmath>

#include "lab/report/page/chart_frame.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab::page {
namespace {

constexpr double kWide = 800, kNarrow = 344;
constexpr std::size_t kWideColumns = 4, kNarrowColumns = 2;
constexpr double kLeft = 40, kTop = 44, kBelow = 44, kGap = 10;  // around a panel
constexpr double kLargestDot = 11;                               // radius of a dot of all rows
constexpr std::size_t kLongestName = 24;

class ReliabilityPicture {
  public:
    ReliabilityPicture(const ReliabilityChart& chart, ChartWidth width)
        : chart_(chart),
          width_(width == ChartWidth::wide ? kWide : kNarrow),
          columns_(width == ChartWidth::wide ? kWideColumns : kNarrowColumns),
          side_(width_ / static_cast<double>(columns_) - kLeft - kGap) {}

    std::string draw() {
        if (chart_.panels.empty()) return "";
        const std::size_t rows = (chart_.panels.size() + columns_ - 1) / columns_;
        open_chart(svg_, {chart_.id, chart_.title, chart_.description}, width_,
                   static_cast<double>(rows) * (kTop + side_ + kBelow));
        for (std::size_t i = 0; i < chart_.panels.size(); ++i) panel(chart_.panels[i], i);
        svg_.put("</svg>\n");
        return svg_.str();
    }

  private:
    SvgPoint at(double confidence, double accuracy) const {
        return {left_ + side_ * confidence, top_ + side_ * (1 - accuracy)};
    }

    void panel(const ReliabilityPanel& p, std::size_t i) {
        left_ = static_cast<double>(i % columns_) * (side_ + kLeft + kGap) + kLeft;
        top_ = static_cast<double>(i / columns_) * (kTop + side_ + kBelow) + kTop;
        svg_.text(left_, top_ - 24, "class=\"strong\"", xml_text(p.name, kLongestName));
        svg_.text(left_, top_ - 8, "class=\"t\"", xml_text(p.note));
        for (const double tick : {0.0, 0.5, 1.0}) {
            const char* look = tick == 0 ? "class=\"axis\"" : "class=\"grid\"";
            svg_.line(at(0, tick), at(1, tick), look);
            svg_.line(at(tick, 0), at(tick, 1), look);
            const std::string text = fmt::format("{:.0f} %", 100 * tick);
            svg_.text(left_ - 5, at(0, tick).second + 4, "class=\"t\" text-anchor=\"end\"", text);
            svg_.text(at(tick, 0).first, top_ + side_ + 16, "class=\"t\" text-anchor=\"middle\"", text);
        }
        if (i % columns_ == 0) svg_.text(2, top_ + side_ + 34, "class=\"t\"", "accuracy over confidence");
        svg_.line(at(0, 0), at(1, 1), "class=\"ref\"");
        std::vector<SvgPoint> points;
        for (const ReliabilityBin& bin : p.bins)
            if (bin.share > 0) points.push_back(at(bin.confidence, bin.accuracy));
        svg_.polyline(points, fmt::format("class=\"l c0\" data-line=\"{}\"", xml_text(p.name)));
        for (const ReliabilityBin& bin : p.bins)
            if (bin.share > 0)
                svg_.circle(at(bin.confidence, bin.accuracy),
                            std::round(10 * std::max(1.5, kLargestDot * std::sqrt(bin.share))) / 10,
                            "class=\"f0\"");
    }

    const ReliabilityChart& chart_;
    double width_;
    std::size_t columns_;
    double side_;
    double left_ = 0, top_ = 0;
    SvgWriter svg_;
};

}  // namespace

std::string reliability_chart_svg(const ReliabilityChart& chart, ChartWidth width) {
    return ReliabilityPicture(chart, width).draw();
}

}  // namespace fearnet::lab::page
