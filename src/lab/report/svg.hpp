// What the pictures share: a writer of elements, text for XML, ticks, and labels that do not collide.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace fearnet::lab {

using SvgPoint = std::pair<double, double>;

// Collects elements. `attributes` and `xml` are XML already; coordinates get one decimal.
class SvgWriter {
  public:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        text_ += fmt::format(format, std::forward<Args>(args)...);
    }
    void text(double x, double y, const std::string& attributes, const std::string& xml);
    void line(SvgPoint from, SvgPoint to, const std::string& attributes);
    void polyline(const std::vector<SvgPoint>& points, const std::string& attributes);
    void polygon(const std::vector<SvgPoint>& points, const std::string& attributes);
    void circle(SvgPoint center, double radius, const std::string& attributes);
    const std::string& str() const { return text_; }

  private:
    std::string text_;
};

// 1, 2 or 5 times a power of ten: the smallest that divides `range` into at most `most` parts.
double tick_step(double range, int most);

// Moves labels that want to stand at `wanted` (any order) up and down until neighbours are at least `gap`
// apart and all lie in low..high, each as near to its wish as a simple sweep gets it. When there is no room
// for all, the gap shrinks.
std::vector<double> place_labels(const std::vector<double>& wanted, double gap, double low, double high);

// Text for an XML document: markup escaped, control characters and bytes that are not UTF-8 replaced by '?',
// cut to `longest` characters.
std::string xml_text(const std::string& text, std::size_t longest = 1000);

}  // namespace fearnet::lab
