#include "fearnet/lab/results_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "fearnet/error.hpp"
#include "fearnet/output_file.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page/claims.hpp"
#include "lab/report/page/origin.hpp"
#include "lab/report/page/page_style.hpp"
#include "lab/report/page/plots.hpp"
#include "lab/report/page/tables.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab {
namespace page {
namespace {

// An experiment with its tables, claims and plots.
struct Chapter {
    ExperimentResults experiment;
    std::vector<Line> lines;
    std::vector<CheckedClaim> claims;
    std::vector<Plot> plots;
};

// Planned seeds without a run count as missing, for rows that have runs with other seeds.
void add_missing_seeds(ExperimentResults& e) {
    std::set<std::tuple<std::string, std::string, std::uint64_t>> known;
    std::vector<std::pair<std::string, std::string>> rows;
    for (const MissingRun& m : e.missing) known.emplace(m.row, m.dataset, m.seed);
    for (const ResultRun& r : e.runs) {
        known.emplace(r.row, r.record.dataset, r.record.seed);
        if (std::find(rows.begin(), rows.end(), std::pair{r.row, r.record.dataset}) == rows.end())
            rows.emplace_back(r.row, r.record.dataset);
    }
    for (const auto& [row, dataset] : rows)
        for (const std::uint64_t seed : e.planned_seeds)
            if (known.emplace(row, dataset, seed).second)
                e.missing.push_back({row, dataset, seed, "not run", false});
}

// The experiments that `order` names first, in its order.
std::vector<Chapter> chapters_of(const std::filesystem::path& folder, const std::vector<std::string>& order) {
    std::vector<std::string> names = result_names(folder);
    std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
    });
    std::vector<Chapter> chapters;
    for (const std::string& name : names) {
        Chapter c{read_results(folder, name), {}, {}, {}};
        add_missing_seeds(c.experiment);
        c.lines = summarize(c.experiment);
        c.claims = check_claims(c.experiment, c.lines);
        c.plots = plots_of(c.experiment, c.lines);
        chapters.push_back(std::move(c));
    }
    return chapters;
}

std::string plural(std::size_t n, const std::string& noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// Texts under headings, both in the order in which they were added.
using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;
void add_to(Groups& groups, const std::string& heading, const std::string& text) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == heading; });
    if (at == groups.end()) at = groups.insert(groups.end(), {heading, {}});
    at->second.push_back(text);
}

// With the picture's class for the width of page it is for.
std::string for_width(const std::string& svg, const char* width) {
    std::string marked = svg;
    const std::string before = "class=\"chart\"";
    return marked.replace(marked.find(before), before.size(), fmt::format("class=\"chart {}\"", width));
}

std::string figures(const Chapter& c) {
    std::string html;
    for (const Plot& plot : c.plots)
        html += fmt::format("<figure data-plot=\"{}\">\n{}{}<figcaption>{}</figcaption>\n</figure>\n",
                            xml_text(plot.file), for_width(plot.wide, "wide"),
                            for_width(plot.narrow, "narrow"), xml_text(plot.caption));
    return html;
}

// "Omega_all" as the tables write it.
std::string with_omega(std::string text) {
    const std::string plain = "Omega_";
    for (std::size_t at = 0; (at = text.find(plain, at)) != text.npos;)
        text.replace(at, plain.size(), "\u03a9 ");
    return text;
}

// The source of an experiment that is not in the paper says so.
bool from_paper(const ExperimentResults& e) {
    return !e.source.starts_with("not in the paper");
}

std::string source_text(const ExperimentResults& e) {
    if (from_paper(e)) return "The paper's " + xml_text(e.source);
    return "N" + xml_text(e.source.substr(1));
}

std::string claims_list(const ExperimentResults& e, const std::vector<CheckedClaim>& claims) {
    if (claims.empty()) return "";
    std::string html =
        fmt::format("<h3>{}laims</h3>\n<ul class=\"claims\">\n", from_paper(e) ? "The paper's c" : "C");
    for (const CheckedClaim& claim : claims) {
        const auto [look, text] = claim.verdict == Verdict::holds ? std::pair{"holds", "\u2713 holds"}
                                  : claim.verdict == Verdict::does_not_hold
                                      ? std::pair{"fails", "\u2717 does not hold"}
                                      : std::pair{"open", "? not measured"};
        html += fmt::format("<li><span class=\"verdict {}\">{}</span><div><p>{}</p>", look, text,
                            xml_text(with_omega(claim.text), kLongText));
        for (const std::string& line : claim.evidence)
            html += "<p class=\"muted\">" + xml_text(line, kLongText) + "</p>";
        html += "</div></li>\n";
    }
    return html + "</ul>\n";
}

// Rows that miss for the same reason together: "GeppNet: CUB-200 (seeds 1, 2), AudioSet (seed 1)".
std::string missing_list(const ExperimentResults& e) {
    if (e.missing.empty()) return "";
    std::vector<std::pair<std::string, std::string>> kinds;  // row and reason
    for (const MissingRun& m : e.missing)
        if (std::find(kinds.begin(), kinds.end(), std::pair{m.row, m.reason}) == kinds.end())
            kinds.emplace_back(m.row, m.reason);
    std::string html =
        fmt::format("<h3>Missing: {}</h3>\n<ul class=\"missing\">\n", plural(e.missing.size(), "run"));
    for (const auto& [row, reason] : kinds) {
        Groups seeds;  // by data set
        for (const MissingRun& m : e.missing)
            if (m.row == row && m.reason == reason) add_to(seeds, m.dataset, std::to_string(m.seed));
        std::vector<std::string> places;
        for (const auto& [dataset, of] : seeds)
            places.push_back(dataset_title(dataset) +
                             fmt::format(" (seed{} {})", of.size() == 1 ? "" : "s", joined(of, ", ")));
        html += fmt::format("<li><b>{}</b> on {}: {}</li>\n", xml_text(row), xml_text(joined(places, ", ")),
                            xml_text(reason.empty() ? "no reason given" : reason, kLongText));
    }
    return html + "</ul>\n";
}

// Notes on the paper's numbers; a note of several rows is printed once.
std::string paper_notes(const std::vector<Line>& lines) {
    Groups notes;  // rows by note
    for (const Line& line : lines)
        if (!line.note.empty()) add_to(notes, line.note, line.row);
    std::string html;
    for (const auto& [note, rows] : notes)
        html += fmt::format("<p class=\"muted\">The paper's numbers of {}: {}.</p>\n",
                            xml_text(joined(rows, ", ")), xml_text(with_omega(note), kLongText));
    return html;
}

// Rows that were evaluated less often than others, so that their scores are means over other sessions.
std::string rarely_tested(const std::vector<Line>& lines) {
    double least = std::numeric_limits<double>::infinity();
    for (const Line& line : lines) least = std::min(least, line.mean("evaluate_every").value_or(least));
    Groups rows;  // data sets by row and interval
    for (const Line& line : lines)
        if (const double every = line.mean("evaluate_every").value_or(least); every > least)
            add_to(rows, fmt::format("{}, every {:g} sessions", line.row, every),
                   dataset_title(line.dataset));
    if (rows.empty()) return "";
    std::vector<std::string> texts;
    for (const auto& [row, datasets] : rows) texts.push_back(row + " (" + joined(datasets, ", ") + ")");
    return fmt::format(
        "<p class=\"muted\">Tested more rarely than the others, so that the means are over other sessions: "
        "{}.</p>\n",
        xml_text(joined(texts, "; "), kLongText));
}

constexpr const char* kHowToReadOpenWorld =
    "<p class=\"muted\">Known rows are the test rows of the classes taught so far, unknown rows those of the "
    "classes not taught yet. AUROC: probability that a known row scores higher than an unknown one. FPR95: "
    "share "
    "of unknown rows accepted at the threshold that accepts 95 % of the known rows. AUROC is also measured "
    "against Gaussian noise, uniform noise and rows of another data set (far data). Familiar at 95 %: share "
    "of "
    "known rows with a familiarity of at least 5 %. Class in 90 % set: share of known rows whose class is in "
    "the "
    "set of confidence 90 %. Deviation: largest distance from the nominal share after any session. ECE: "
    "expected "
    "calibration error, the distance between probability and accuracy. All other numbers are means over the "
    "evaluated sessions.</p>\n";

std::string section(const Chapter& c) {
    const ExperimentResults& e = c.experiment;
    std::string html = fmt::format(
        "<section id=\"{0}\">\n<h2>{1}</h2>\n<p class=\"source\">{2}{3}; {4}, best of ours in bold.</p>\n",
        xml_text(e.name), xml_text(e.title), e.source.empty() ? "" : source_text(e) + "; ",
        plural(e.runs.size(), "run"),
        one_seed(c.lines) ? seeds_text(c.lines)
                          : "mean \u00b1 standard deviation over the seeds (" + seeds_text(c.lines) + ")");
    if (e.name == "memory")
        html +=
            "<p class=\"muted\">Bytes of live objects after the last session. Memory at 1,000 classes "
            "carries on the "
            "line from the base session to the last session that keeps no recent examples.</p>\n";
    if (has_open_world(c.lines)) html += kHowToReadOpenWorld;
    html += c.lines.empty() ? "<p>Nothing was run.</p>\n" : comparison_table(e, c.lines);
    if (has_open_world(c.lines)) html += detectors_table(e, c.lines);
    html += paper_notes(c.lines) + rarely_tested(c.lines);
    html += figures(c) + claims_list(e, c.claims) + missing_list(e);
    if (!e.runs.empty()) html += "<details><summary>Every run</summary>\n" + runs_table(e) + "</details>\n";
    return html + options_list(e) + provenance(e) + "</section>\n";
}

struct Totals {
    std::size_t runs = 0, missing = 0, hold = 0, fail = 0, open = 0;
};

Totals totals_of(const std::vector<Chapter>& chapters) {
    Totals t;
    for (const Chapter& c : chapters) {
        t.runs += c.experiment.runs.size();
        t.missing += c.experiment.missing.size();
        for (const CheckedClaim& claim : c.claims)
            ++(claim.verdict == Verdict::holds           ? t.hold
               : claim.verdict == Verdict::does_not_hold ? t.fail
                                                         : t.open);
    }
    return t;
}

std::string tiles(const std::vector<Chapter>& chapters) {
    const Totals t = totals_of(chapters);
    std::string html = "<dl class=\"tiles\">";
    for (const auto& [name, value] : {std::pair{"experiments", chapters.size()},
                                      {"runs", t.runs},
                                      {"runs missing", t.missing},
                                      {"claims that hold", t.hold},
                                      {"claims that do not", t.fail},
                                      {"claims not measured", t.open}})
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
    return html + "</dl>\n";
}

std::string missing_summary(const std::vector<Chapter>& chapters) {
    std::vector<std::string> parts;
    for (const Chapter& c : chapters)
        if (!c.experiment.missing.empty())
            parts.push_back(fmt::format("<a href=\"#{}\">{}</a> ({})", xml_text(c.experiment.name),
                                        xml_text(c.experiment.title), c.experiment.missing.size()));
    if (parts.empty()) return "<p>Nothing is missing: every run of the experiments below is there.</p>\n";
    return "<p>Runs are missing in " + joined(parts, ", ") + "; each section says which and why.</p>\n";
}

constexpr const char* kHowToRead =
    "<p class=\"muted\">\u03a9 base and \u03a9 all: accuracy on the base classes and on all classes so far, "
    "averaged over the "
    "sessions and divided by the accuracy of an MLP trained on everything at once (the offline MLP); 1 is as "
    "good as that. "
    "\u03a9 new: accuracy on the newest class. Each cell has our mean and, below it, the paper's number and "
    "the difference to "
    "it. \u2013 means not measured.</p>\n";

std::string header(const std::vector<Chapter>& chapters) {
    std::string html =
        "<header>\n<div class=\"top\"><h1>FearNet: our results beside the paper\u2019s</h1>"
        "<button id=\"theme\" type=\"button\" hidden>Dark</button></div>\n"
        "<p class=\"muted\"><i>FearNet: Brain-Inspired Model for Incremental Learning</i>, Kemker and Kanan, "
        "ICLR 2018. "
        "Every number of ours on this page comes from the CSV files beside it.</p>\n"
        "<nav aria-label=\"Experiments\"><ul>";
    for (const Chapter& c : chapters)
        html += fmt::format("<li><a href=\"#{}\">{}</a></li>", xml_text(c.experiment.name),
                            xml_text(c.experiment.title));
    return html + "</ul></nav>\n" + tiles(chapters) + "</header>\n";
}

std::string whole_page(const std::vector<Chapter>& chapters) {
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline';"
        "script-src 'unsafe-inline'\">\n<title>FearNet: results</title>\n<style>" +
        page_style() + "</style>\n</head>\n<body>\n" + header(chapters) + "<main>\n";
    html += "<section id=\"summary\">\n<h2>At a glance</h2>\n" + missing_summary(chapters) + kHowToRead;
    for (const Chapter& c : chapters)
        if (c.experiment.name == "soa" && !c.lines.empty()) html += overview_table(c.experiment, c.lines);
    html += "</section>\n";
    for (const Chapter& c : chapters) html += section(c);
    return html +
           "</main>\n<footer><p class=\"muted\">Made by <code>fearnet report</code>. A claim about a trend "
           "holds when the "
           "last point lies on the claimed side of the first and the rank correlation is at least 0.5 that "
           "way; "
           "a claim about the best row counts the rows that the paper compares.</p></footer>\n<script>" +
           kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace
}  // namespace page

ResultsPage results_page(const std::filesystem::path& folder, const std::vector<std::string>& order) {
    const std::vector<page::Chapter> chapters = page::chapters_of(folder, order);
    ResultsPage result;
    result.html = page::whole_page(chapters);
    for (const page::Chapter& c : chapters)
        for (const page::Plot& plot : c.plots)
            result.plots.emplace_back(plot.file, page::standalone_svg(plot.wide));
    const page::Totals totals = page::totals_of(chapters);
    result.experiments = chapters.size();
    result.runs = totals.runs;
    result.missing = totals.missing;
    return result;
}

void write_results_page(const ResultsPage& page, const std::filesystem::path& file) {
    if (!page.plots.empty()) {
        const std::filesystem::path plots = make_folder_inside(file.parent_path(), "plots");
        for (const auto& [name, svg] : page.plots) write_file_atomically(plots / name, svg);
    }
    write_file_atomically(file, page.html);
}

}  // namespace fearnet::lab
