// The beginning of every chart.
#pragma once

#include "lab/report/page/charts.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab::page {

struct ChartNames {
    const std::string& id;
    const std::string& title;
    const std::string& description;
};

// <svg> with a name and a description for those who do not see it.
inline void open_chart(SvgWriter& svg, const ChartNames& names, double width, double height) {
    svg.put(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\">\n"
        "<title id=\"{2}-t\">{3}</title>\n<desc id=\"{2}-d\">{4}</desc>\n",
        width, height, names.id, xml_text(names.title), xml_text(names.description, 4000));
}

}  // namespace fearnet::lab::page
