// Colours: told apart by eyes that confuse red and green, at least 3:1 against the ground as lines and 4.5:1
// as text.
#include "lab/report/page/charts.hpp"

namespace fearnet::lab::page {

const char* const kLightColors =
    "--bg:#fafaf8;--panel:#ffffff;--ink:#1f2933;--muted:#56616c;--grid:#e4e8ec;--axis:#8b97a3;--rule:#dde2e7;"
    "--accent:#1d5fbf;--good:#0d6b4c;--good-bg:#e3f3ec;--bad:#a3341c;--bad-bg:#fbeae5;--open-bg:#eceff2;"
    "--best:#eaf1fb;"
    "--c0:#1d5fbf;--c1:#c2510c;--c2:#12805c;--c3:#8a4fb0;--c4:#7a6a00;--c5:#b8336a;--c6:#1a7f9c;--c7:#5b6570";

const char* const kDarkColors =
    "--bg:#14181d;--panel:#1a1f26;--ink:#e6eaef;--muted:#a7b1bc;--grid:#2b323a;--axis:#6b7682;--rule:#323a43;"
    "--accent:#8ab6f7;--good:#74d3ac;--good-bg:#173329;--bad:#f5a48f;--bad-bg:#3b211b;--open-bg:#2a3038;"
    "--best:#1d2c42;"
    "--c0:#7fb0f5;--c1:#f59b62;--c2:#5cc9a0;--c3:#c79be6;--c4:#d6c44a;--c5:#f28cb4;--c6:#66c7e0;--c7:#aab4be";

const char* const kChartStyle = R"(
svg.chart text{fill:var(--ink);font:12px system-ui,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
svg.chart .t{fill:var(--muted);font-size:11.5px}
svg.chart .strong{font-weight:650}
svg.chart .grid{stroke:var(--grid)}
svg.chart .axis{stroke:var(--axis)}
svg.chart .lead{stroke-opacity:.5}
svg.chart .ref{stroke:var(--muted);stroke-width:1.6;stroke-dasharray:1.5 4;fill:none}
svg.chart .l{stroke-width:1.8;stroke-linejoin:round;fill:none}
svg.chart .l.strong{stroke-width:3}
svg.chart .band{fill-opacity:.12;stroke:none}
svg.chart .ring{fill:var(--panel);stroke:var(--ink);stroke-width:1.5}
svg.chart .range{stroke-width:2;stroke-opacity:.55}
svg.chart .c0{stroke:var(--c0)}svg.chart .c1{stroke:var(--c1)}svg.chart .c2{stroke:var(--c2)}
svg.chart .c3{stroke:var(--c3)}svg.chart .c4{stroke:var(--c4)}svg.chart .c5{stroke:var(--c5)}
svg.chart .c6{stroke:var(--c6)}svg.chart .c7{stroke:var(--c7)}
svg.chart .f0{fill:var(--c0)}svg.chart .f1{fill:var(--c1)}svg.chart .f2{fill:var(--c2)}
svg.chart .f3{fill:var(--c3)}svg.chart .f4{fill:var(--c4)}svg.chart .f5{fill:var(--c5)}
svg.chart .f6{fill:var(--c6)}svg.chart .f7{fill:var(--c7)}
svg.chart .d1{stroke-dasharray:8 3}svg.chart .d2{stroke-dasharray:2.5 2.5}svg.chart .d3{stroke-dasharray:9 3 2 3}
)";

std::string standalone_svg(const std::string& svg) {
    if (svg.empty()) return "";
    const std::size_t at = svg.find('>') + 1;
    // The quotes and brackets of the style are no markup in XML text.
    return svg.substr(0, at) + "\n<style>svg{" + kLightColors + ";background:var(--panel)}\n" +
           "@media (prefers-color-scheme:dark){svg{" + kDarkColors + "}}" + kChartStyle + "</style>" +
           svg.substr(at);
}

}  // namespace fearnet::lab::page
