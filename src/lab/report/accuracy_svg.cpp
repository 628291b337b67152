// The accuracy plot as SVG, written without a plotting library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fearnet/lab/report.hpp"
#include "lab/report/accuracy_series.hpp"
#include "lab/report/scores.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab {
namespace {

constexpr double kWidth = 900, kHeight = 520;
constexpr double kLeft = 66, kRight = 672, kTop = 92, kBottom = 462;  // the plot itself
constexpr double kLabelGap = 18;
constexpr std::size_t kSmoothing = 5;  // sessions in the running mean of the newest class

constexpr const char* kInk = "#1f2933";
constexpr const char* kMuted = "#66727f";
constexpr const char* kGrid = "#e4e8ec";
constexpr const char* kAxis = "#9aa5b1";
constexpr const char* kAll = "#1d5fbf";
constexpr const char* kBase = "#12805c";
constexpr const char* kNewest = "#cc6a10";
constexpr const char* kOffline = "#5b6570";
constexpr const char* kSleep = "#8e6fc1";

struct Line {
    std::string label;
    const char* color;
    const char* style;  // further attributes of the path
    Series series;
    bool band = false;  // show the range over the seeds
};

class Picture {
  public:
    explicit Picture(const std::vector<RunRecord>& all) : all_(all), runs_(runs_to_show(all)) {
        if (!runs_.empty()) collect_lines();
    }

    std::string draw() {
        svg_.put(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\">\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            kWidth, kHeight);
        titles();
        if (lines_.empty())
            label((kLeft + kRight) / 2, (kTop + kBottom) / 2, kMuted, "no session finished",
                  "text-anchor=\"middle\"");
        else
            plot();
        svg_.put("</svg>\n");
        return svg_.str();
    }

  private:
    void collect_lines() {
        const auto accuracy = [this](auto value) { return collect(runs_, value); };
        using S = SessionRecord;
        using Value = std::optional<double>;
        const Series offline_seen = accuracy([](const S& s) { return Value(s.offline.all); });
        Series offline = offline_seen;
        double constant = 0;
        for (const RunRecord* run : runs_)
            constant += run->offline_accuracy / static_cast<double>(runs_.size());
        std::fill(offline.mean.begin(), offline.mean.end(), constant);
        newest_ = accuracy([](const S& s) { return s.session == 0 ? Value() : Value(s.accuracy.recent); });

        add({"offline MLP, all classes", kOffline, "stroke-width=\"1.5\" stroke-dasharray=\"1.5 4\"",
             offline});
        add({"offline, classes so far", kOffline, "stroke-width=\"1.5\" stroke-dasharray=\"5 3 1.5 3\"",
             offline_seen});
        add({"newest class, smoothed", kNewest, "stroke-width=\"1.8\"", running_mean(newest_, kSmoothing)});
        add({"base classes", kBase, "stroke-width=\"2\"",
             accuracy([](const S& s) { return Value(s.accuracy.base); }), true});
        add({"all, perfect router", kAll,
             "stroke-width=\"1.6\" stroke-dasharray=\"6 4\" stroke-opacity=\"0.75\"",
             accuracy([](const S& s) { return s.oracle ? Value(s.oracle->all) : Value(); })});
        add({"all classes so far", kAll, "stroke-width=\"2.8\"",
             accuracy([](const S& s) { return Value(s.accuracy.all); }), true});

        last_ = std::max<std::size_t>(1, lines_.back().series.session.back());
        double low = 1, high = 0;
        const auto cover = [&](const std::vector<double>& values) {
            for (const double v : values) low = std::min(low, v), high = std::max(high, v);
        };
        for (const Line& line : lines_) {
            cover(line.series.mean);
            if (line.band) cover(line.series.low), cover(line.series.high);
        }
        for (const double v : newest_.mean) high = std::max(high, v);
        low_ = std::max(0.0, std::floor(low * 10 - 0.2) / 10);
        high_ = std::min(1.0, std::max(low_ + 0.3, std::ceil(high * 10 + 0.2) / 10));
        low_ = std::min(low_, high_ - 0.3);
    }
    void add(Line line) {
        if (!line.series.empty()) lines_.push_back(std::move(line));
    }

    double x_of(double session) const {
        return kLeft + (kRight - kLeft) * session / static_cast<double>(last_);
    }
    double y_of(double accuracy) const {
        return kBottom - (kBottom - kTop) * (accuracy - low_) / (high_ - low_);
    }

    // `text` is XML already.
    void label(double x, double y, const char* color, const std::string& text, const char* more = "") {
        svg_.text(x, y, fmt::format("fill=\"{}\" {}", color, more), text);
    }

    void titles() {
        if (runs_.empty()) {
            label(kLeft, 34, kInk, "accuracy over sessions", "font-size=\"19\" font-weight=\"600\"");
            return;
        }
        const RunRecord& run = *runs_.front();
        label(kLeft, 34, kInk, xml_text(run.learner, 30) + " on " + xml_text(run.dataset, 50),
              "font-size=\"19\" font-weight=\"600\"");
        std::string subtitle =
            fmt::format("{} base classes, then one new class per session", run.protocol.base_classes);
        subtitle += run.protocol.sleep_every > 0 ? fmt::format("; sleep every {}", run.protocol.sleep_every)
                                                 : "; no sleep";
        if (runs_.size() > 1) subtitle += fmt::format("; mean and range of {} seeds", runs_.size());
        if (!run.finished) subtitle += fmt::format("; stopped after session {}", run.sessions.size() - 1);
        label(kLeft, 55, kMuted, subtitle);
        std::string omegas;
        for (const char* name : {"base", "new", "all"})
            if (const auto mean = statistics(all_, column_named(std::string("omega_") + name)).mean)
                omegas += fmt::format(
                    "<tspan dx=\"{}\">&#937;</tspan><tspan font-size=\"10\" dy=\"3\">{}</tspan>"
                    "<tspan dx=\"5\" dy=\"-3\">{:.3f}</tspan>",
                    omegas.empty() ? 0 : 18, name, *mean);
        if (!omegas.empty()) label(kLeft, 76, kInk, omegas);
    }

    void plot() {
        grid();
        sleeps();
        for (const Line& line : lines_)
            if (line.band && runs_.size() > 1) band(line);
        // A single session may fall far below the rest; it leaves the plot rather than flatten every other
        // line.
        svg_.put("<clipPath id=\"plot\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
                 kLeft, kTop, kRight - kLeft, kBottom - kTop);
        path(newest_, kNewest, "stroke-width=\"1\" stroke-opacity=\"0.35\" clip-path=\"url(#plot)\"");
        for (const Line& line : lines_) path(line.series, line.color, line.style);
        end_labels();
    }

    void grid() {
        const int first = static_cast<int>(std::lround(low_ * 10)),
                  end = static_cast<int>(std::lround(high_ * 10));
        for (int tick = first; tick <= end; ++tick) {
            const double y = y_of(tick / 10.0);
            svg_.line({kLeft, y}, {kRight, y}, stroke(tick == first ? kAxis : kGrid));
            label(kLeft - 8, y + 4.5, kMuted, fmt::format("{} %", tick * 10),
                  "text-anchor=\"end\" font-size=\"12\"");
        }
        const auto step = static_cast<std::size_t>(std::max(1.0, tick_step(static_cast<double>(last_), 12)));
        for (std::size_t t = 0; t <= last_; t += step) {
            const double x = x_of(static_cast<double>(t));
            svg_.line({x, kBottom}, {x, kBottom + 5}, stroke(kAxis));
            label(x, kBottom + 19, kMuted, t == 0 ? "base" : std::to_string(t),
                  "text-anchor=\"middle\" font-size=\"12\"");
        }
        label((kLeft + kRight) / 2, kBottom + 42, kMuted, "session", "text-anchor=\"middle\"");
        svg_.put(
            "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
            "fill=\"{}\">mean-class test "
            "accuracy</text>\n",
            (kTop + kBottom) / 2, kMuted);
    }
    void sleeps() {
        bool named = false;
        for (const SessionRecord& s : runs_.front()->sessions) {
            if (!s.slept || s.session > last_) continue;
            const double x = x_of(static_cast<double>(s.session));
            svg_.line({x, kTop}, {x, kBottom},
                      stroke(kSleep, "stroke-opacity=\"0.28\" stroke-dasharray=\"2 3\""));
            svg_.line({x, kBottom - 7}, {x, kBottom}, stroke(kSleep, "stroke-width=\"2\""));
            if (!named) label(x + 5, kBottom - 5, kSleep, "sleep", "font-size=\"11\"");
            named = true;
        }
    }

    void band(const Line& line) {
        const Series& s = line.series;
        std::vector<SvgPoint> around;
        for (std::size_t i = 0; i < s.session.size(); ++i) around.push_back(point(s.session[i], s.high[i]));
        for (std::size_t i = s.session.size(); i-- > 0;) around.push_back(point(s.session[i], s.low[i]));
        svg_.polygon(around, fmt::format("fill=\"{}\" fill-opacity=\"0.13\"", line.color));
    }
    void path(const Series& s, const char* color, const char* style) {
        std::vector<SvgPoint> points;
        for (std::size_t i = 0; i < s.session.size(); ++i) points.push_back(point(s.session[i], s.mean[i]));
        svg_.polyline(points, stroke(color, std::string("stroke-linejoin=\"round\" ") + style));
        if (points.size() == 1)  // a line of one point would not be seen
            svg_.circle(points[0], 3, fmt::format("fill=\"{}\"", color));
    }
    SvgPoint point(std::size_t session, double accuracy) const {
        return {x_of(static_cast<double>(session)), y_of(accuracy)};
    }
    static std::string stroke(const char* color, const std::string& more = "") {
        return fmt::format("stroke=\"{}\"{}{}", color, more.empty() ? "" : " ", more);
    }

    void end_labels() {
        std::vector<double> wanted;
        for (const Line& line : lines_) wanted.push_back(y_of(line.series.mean.back()));
        const std::vector<double> placed = place_labels(wanted, kLabelGap, kTop, kBottom);
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const double x = x_of(static_cast<double>(lines_[i].series.session.back()));
            svg_.polyline({{x + 2, wanted[i]}, {kRight + 12, placed[i]}, {kRight + 16, placed[i]}},
                          stroke(lines_[i].color, "stroke-opacity=\"0.45\""));
            const bool main = i + 1 == lines_.size();
            label(kRight + 20, placed[i] + 4.5, lines_[i].color,
                  fmt::format("{}<tspan dx=\"5\">{:.1f} %</tspan>", lines_[i].label,
                              100 * lines_[i].series.mean.back()),
                  main ? "font-size=\"12.5\" font-weight=\"600\"" : "font-size=\"12.5\"");
        }
    }

    const std::vector<RunRecord>& all_;
    std::vector<const RunRecord*> runs_;
    std::vector<Line> lines_;  // drawn in this order; the last is the main one
    Series newest_;            // as measured
    std::size_t last_ = 1;     // session at the right end
    double low_ = 0, high_ = 1;
    SvgWriter svg_;
};

}  // namespace

std::string accuracy_svg(const std::vector<RunRecord>& runs) {
    return Picture(runs).draw();
}

}  // namespace fearnet::lab
