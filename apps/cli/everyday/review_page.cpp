#include "everyday/review_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

// The pictures show the least accurate and the most confused classes; the table has all.
constexpr std::size_t kBars = 60, kMapClasses = 40, kAdvice = 10;
constexpr double kLeastShown = 0.005;  // shares below are not listed

// Text has a contrast of at least 4.5 : 1 against its ground.
constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--bg:#fafaf8;--panel:#fff;--ink:#1f2933;--muted:#56616c;--rule:#dde2e7;--grid:#e4e8ec;
 --bar:#1d5fbf;--gain:#12805c;--cell:#c2510c}
@media (prefers-color-scheme:dark){:root{--bg:#14181d;--panel:#1a1f26;--ink:#e6eaef;--muted:#a7b1bc;--rule:#323a43;
 --grid:#2b323a;--bar:#7fb0f5;--gain:#5cc9a0;--cell:#f59b62}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;
 overflow-wrap:anywhere}
main{max-width:1000px;margin:0 auto;padding:28px 20px 50px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.2rem;margin:0 0 .3rem}
p{margin:.3rem 0}
.muted{color:var(--muted);font-size:.9rem}
section{background:var(--panel);border:1px solid var(--rule);border-radius:12px;padding:18px 20px;margin:18px 0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:12px;margin:1rem 0}
dl div{background:var(--panel);border:1px solid var(--rule);border-radius:10px;padding:.6rem .9rem}
dt{color:var(--muted);font-size:.85rem}
dd{margin:0;font-size:1.4rem;font-weight:650}
ul{margin:.3rem 0;padding-left:1.2rem}
.scroll{overflow-x:auto}
.scroll table{overflow-wrap:normal}
.scroll th,.scroll td{white-space:nowrap}
svg{display:block;max-width:100%;height:auto}
.scroll svg{max-width:none}
svg text{fill:var(--ink);font:12px system-ui,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
svg .t{fill:var(--muted)}
.grid{stroke:var(--grid)}
.bar{fill:var(--bar)}
.gain{fill:var(--gain);fill-opacity:.55}
.error{stroke:var(--ink);stroke-width:1.5}
.cell{fill:var(--cell)}
.empty{fill:var(--grid);fill-opacity:.5}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:.35rem .6rem;text-align:right;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--muted);font-weight:600}
.name{text-align:left;min-width:6rem}
@media (max-width:640px){main{padding:16px 10px 40px}section{padding:14px 12px}th,td{padding:.35rem .35rem}}
)";

std::string percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

std::string cut(const std::string& name, std::size_t width) {
    const std::string text = printable(name);
    return html_text(display_width(text) <= width ? text : fitted(text, width - 1) + "\u2026");
}

using Classes = std::vector<const BrainReview::Class*>;

Classes known_classes(const BrainReview& review) {
    Classes known;
    for (const BrainReview::Class& c : review.classes)
        if (c.accuracy) known.push_back(&c);
    return known;
}

std::string tiles(const BrainReview& review, const Classes& known) {
    std::int64_t examples = 0;
    for (const BrainReview::Class& c : review.classes) examples += c.examples;
    double sum = 0;
    for (const auto* c : known) sum += *c->accuracy;
    std::string out =
        fmt::format("<dl><div><dt>classes</dt><dd>{}</dd></div><div><dt>examples</dt><dd>{}</dd></div>",
                    review.classes.size(), examples);
    if (!known.empty())
        out += fmt::format("<div><dt>expected accuracy</dt><dd>{}</dd></div>",
                           percent(sum / static_cast<double>(known.size())));
    return out + "</dl>\n";
}

std::string advice(const BrainReview& review, Classes known) {
    std::erase_if(known, [](const auto* c) { return !c->more_would_help(); });
    std::stable_sort(known.begin(), known.end(), [](const auto* l, const auto* r) {
        return *l->with_twice - *l->accuracy > *r->with_twice - *r->accuracy;
    });
    std::string items;
    for (std::size_t i = 0; i < std::min(kAdvice, review.maybe_one.size()); ++i) {
        const BrainReview::Pair& p = review.maybe_one[i];
        items += fmt::format(
            "<li><b>{}</b> and <b>{}</b> might be one class: {} of their rows get the other name.</li>\n",
            html_text(printable(p.first)), html_text(printable(p.second)), percent(p.confused));
    }
    for (std::size_t i = 0; i < std::min(kAdvice, known.size()); ++i)
        items += fmt::format(
            "<li>More examples of <b>{}</b> would help: {} with {}, {} with twice as many.</li>\n",
            html_text(printable(known[i]->name)), percent(*known[i]->accuracy), known[i]->examples,
            percent(*known[i]->with_twice));
    if (items.empty()) items = "<li>Nothing: no class needs more examples, and all can be told apart.</li>\n";
    const std::size_t more = review.maybe_one.size() - std::min(kAdvice, review.maybe_one.size()) +
                             known.size() - std::min(kAdvice, known.size());
    if (more > 0) items += fmt::format("<li>{} more; the table has all classes.</li>\n", more);
    return "<section><h2>What to do</h2><ul>\n" + items + "</ul></section>\n";
}

// Bars of the expected accuracy, the least accurate classes first.
std::string bars(Classes known) {
    std::stable_sort(known.begin(), known.end(),
                     [](const auto* l, const auto* r) { return *l->accuracy < *r->accuracy; });
    const std::size_t shown = std::min(kBars, known.size());
    constexpr double kLeft = 150, kWidth = 300, kRow = 22, kTop = 22;
    const double height = kTop + kRow * static_cast<double>(shown) + 6;
    std::string out = fmt::format(
        "<section><h2>Expected accuracy</h2><p class=\"muted\">{}The line is the standard error; the green "
        "part is what "
        "twice as many examples would add.</p>\n<svg viewBox=\"0 0 520 {:.0f}\" width=\"760\" role=\"img\" "
        "aria-label=\"Expected accuracy of each class\">\n",
        shown < known.size() ? fmt::format("The {} least accurate of {} classes. ", shown, known.size()) : "",
        height);
    for (int tick = 0; tick <= 100; tick += 25) {
        const double x = kLeft + kWidth * tick / 100;
        out += fmt::format(
            "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"18\" y2=\"{1:.0f}\"/>"
            "<text class=\"t\" x=\"{0:.1f}\" y=\"12\" text-anchor=\"middle\">{2}</text>\n",
            x, height, tick);
    }
    for (std::size_t i = 0; i < shown; ++i) {
        const BrainReview::Class& c = *known[i];
        const double y = kTop + kRow * static_cast<double>(i), now = kWidth * *c.accuracy,
                     gain = kWidth * std::max(0.0, c.with_twice.value_or(0) - *c.accuracy),
                     low = kWidth * std::max(0.0, *c.accuracy - *c.error),
                     high = kWidth * std::min(1.0, *c.accuracy + *c.error), middle = y + 9;
        out += fmt::format(
            "<g><title>{}: {} +- {}, {} examples</title>"
            "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>"
            "<rect class=\"bar\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"14\" rx=\"2\"/>"
            "<rect class=\"gain\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"14\"/>"
            "<line class=\"error\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.0f}\" y2=\"{:.0f}\"/>"
            "<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text></g>\n",
            html_text(printable(c.name)), percent(*c.accuracy), percent(*c.error), c.examples, kLeft - 8,
            y + 13, cut(c.name, 18), kLeft, y + 2, now, kLeft + now, y + 2, gain, kLeft + low, kLeft + high,
            middle, middle, kLeft + kWidth + 10, y + 13, percent(*c.accuracy));
    }
    return out + "</svg></section>\n";
}

// The classes with the most confusions, so ordered that confused ones are neighbors.
Classes map_classes(const Classes& known) {
    std::map<std::string, const BrainReview::Class*> by_name;
    for (const auto* c : known) by_name[c->name] = c;
    std::map<std::string, double> errors;
    for (const auto* c : known)
        for (const BrainReview::Confusion& k : c->confusions)
            errors[c->name] += k.share, errors[k.with] += k.share;
    Classes order = known;
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto* l, const auto* r) { return errors[l->name] > errors[r->name]; });
    if (order.size() > kMapClasses) order.resize(kMapClasses);
    Classes result;
    std::map<std::string, bool> left;
    for (const auto* c : order) left[c->name] = true;
    for (const auto* c : order)
        for (const auto* at = c; at != nullptr && left[at->name];) {
            left[at->name] = false;
            result.push_back(at);
            const BrainReview::Class* next = nullptr;
            for (const BrainReview::Confusion& k : at->confusions)
                if (const auto it = left.find(k.with); it != left.end() && it->second) {
                    next = by_name[k.with];
                    break;
                }
            at = next;
        }
    return result;
}

std::string confusion_map(const Classes& known) {
    const Classes shown = map_classes(known);
    std::map<std::string, std::size_t> column;
    for (std::size_t i = 0; i < shown.size(); ++i) column[shown[i]->name] = i;
    constexpr double kCell = 18, kLeft = 150, kTop = 130;
    const double side = kCell * static_cast<double>(shown.size()), width = kLeft + side + 90,
                 height = kTop + side + 4;
    std::string out = fmt::format(
        "<section><h2>Confusions</h2><p class=\"muted\">{}Each line is a class; a colored square is a class "
        "that its rows are taken for, stronger if that is more frequent.</p>\n<div class=\"scroll\"><svg "
        "viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" role=\"img\" aria-label=\"Map of confusions\">\n",
        shown.size() < known.size()
            ? fmt::format("The {} most confused of {} classes. ", shown.size(), known.size())
            : "",
        width, height, width);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const double at = kCell * static_cast<double>(i);
        const std::string name = cut(shown[i]->name, 18);
        out += fmt::format(
            "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>"
            "<text transform=\"translate({:.0f} {:.0f}) rotate(-50)\">{}</text>"
            "<rect class=\"empty\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n",
            kLeft - 8, kTop + at + 13, name, kLeft + at + 12, kTop - 6, name, kLeft + at, kTop + at,
            kCell - 1, kCell - 1);
        for (const BrainReview::Confusion& k : shown[i]->confusions) {
            const auto it = column.find(k.with);
            if (it == column.end() || k.share < kLeastShown) continue;
            out += fmt::format(
                "<rect class=\"cell\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
                "fill-opacity=\"{:.2f}\"><title>{} taken for {}: {}</title></rect>\n",
                kLeft + kCell * static_cast<double>(it->second), kTop + at, kCell - 1, kCell - 1,
                std::clamp(0.15 + 2 * k.share, 0.15, 1.0), html_text(printable(shown[i]->name)),
                html_text(printable(k.with)), percent(k.share));
        }
    }
    return out + "</svg></div></section>\n";
}

std::string table(const BrainReview& review) {
    std::string out =
        "<section><h2>All classes</h2><div class=\"scroll\"><table><thead><tr><th class=\"name\">class</th>"
        "<th>examples</th><th>accuracy</th><th>with half</th><th>with twice</th><th class=\"name\">confused "
        "with</th></tr></thead><tbody>\n";
    const auto shown = [](const std::optional<double>& share) { return share ? percent(*share) : "?"; };
    for (const BrainReview::Class& c : review.classes) {
        std::string confusions;
        for (const BrainReview::Confusion& k : c.confusions)
            if (k.share >= kLeastShown)
                confusions += fmt::format("{}{} {}", confusions.empty() ? "" : ", ",
                                          html_text(printable(k.with)), percent(k.share));
        out += fmt::format(
            "<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td "
            "class=\"name\">{}</td></tr>\n",
            html_text(printable(c.name)), c.examples,
            c.accuracy ? fmt::format("{} \u00b1 {:.0f}", percent(*c.accuracy), 100 * *c.error) : "?",
            shown(c.with_half), shown(c.with_twice), confusions);
    }
    return out + "</tbody></table></div></section>\n";
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    return out;
}

std::string review_page(const BrainReview& review, const std::string& title) {
    const Classes known = known_classes(review);
    const std::string name = html_text(printable(title));
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none';style-src "
        "'unsafe-inline'\"><title>{0}</title><style>{1}</style></head>\n"
        "<body><main><h1>{0}</h1><p class=\"muted\">What the brain expects of its classes on new rows from "
        "the source of its examples. Learner {2}.</p>\n",
        name, kStyle, html_text(review.learner));
    out += tiles(review, known);
    if (known.empty())
        out +=
            "<section><p>Accuracy and confusions are not available: learner fearnet-plus estimates them, "
            "for two or more classes.</p></section>\n";
    else
        out += advice(review, known) + bars(known) + confusion_map(known);
    if (!review.classes.empty()) out += table(review);
    return out + "</main></body></html>\n";
}

}  // namespace fearnet::cli
