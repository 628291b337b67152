#include "lab/report/page/origin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "lab/report/page/summary.hpp"
#include "lab/report/svg.hpp"
#include "lab/report/table.hpp"

namespace fearnet::lab::page {
namespace {

// How a row was run on those data sets on which its options are the same, whatever preset they come from.
struct RowOptions {
    const ResultRun* run;
    std::vector<std::string> datasets, presets;
};

std::vector<RowOptions> row_options(const ExperimentResults& e) {
    std::vector<RowOptions> rows;
    for (const ResultRun& run : e.runs) {
        auto same = std::find_if(rows.begin(), rows.end(), [&](const RowOptions& r) {
            return r.run->row == run.row && r.run->record.learner == run.record.learner &&
                   r.run->record.options == run.record.options;
        });
        if (same == rows.end()) same = rows.insert(rows.end(), {&run, {}, {}});
        add_new(same->datasets, run.record.dataset);
        add_new(same->presets, run.record.preset);
    }
    return rows;
}

// Runs of several commands have their own version and date: each version once, by its first date.
std::pair<std::string, std::string> versions_and_dates(const ExperimentResults& e) {
    std::vector<std::pair<std::string, std::string>> versions;  // date, version
    for (const ResultRun& run : e.runs) {
        if (run.version.empty() || run.date.empty()) return {e.context.version, e.context.date};
        const auto known = std::find_if(versions.begin(), versions.end(),
                                        [&](const auto& v) { return v.second == run.version; });
        if (known == versions.end())
            versions.emplace_back(run.date, run.version);
        else
            known->first = std::min(known->first, run.date);
    }
    if (versions.empty()) return {e.context.version, e.context.date};
    std::sort(versions.begin(), versions.end());
    std::vector<std::string> names;
    for (const auto& version : versions) names.push_back(version.second);
    const std::string first = versions.front().first.substr(0, 10),
                      last = versions.back().first.substr(0, 10);
    return {joined(names, ", "), first == last ? first : first + " to " + last};
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts)
        if (!part.empty()) text += (text.empty() ? "" : between) + part;
    return text;
}

std::string options_list(const ExperimentResults& e) {
    std::string html;
    for (const RowOptions& row : row_options(e)) {
        const std::string presets = joined(row.presets, ", ");
        html += fmt::format("<details><summary>{} <span class=\"muted\">{}</span></summary>\n",
                            xml_text(row.run->row),
                            xml_text(joined({row.run->record.learner, joined(row.datasets, ", "),
                                             presets.empty() ? "" : "preset " + presets},
                                            "; ")));
        if (row.run->record.options.empty()) {
            html += "<p class=\"muted\">It has no options.</p></details>\n";
            continue;
        }
        Table table{"", "class=\"options\"", {{{"option"}, {"value"}}}, {{}}};
        for (const auto& [name, value] : row.run->record.options)
            table.groups[0].push_back(
                {{name},
                 {"", value.empty() ? "<span class=\"none\">none</span>" : xml_text(value, kLongText)}});
        html += "<div class=\"scroll\" tabindex=\"0\">" + html_table(table) + "</div></details>\n";
    }
    if (html.empty()) return "";
    return "<details><summary>Every option of every row</summary>\n" + html + "</details>\n";
}

std::string provenance(const ExperimentResults& e) {
    const auto [version, date] = versions_and_dates(e);
    double seconds = 0;
    for (const ResultRun& run : e.runs)
        for (const auto& phase : run.record.seconds) seconds += phase.second;
    const std::string text = joined({e.context.cpu, version.empty() ? "" : "fearnet " + version, date,
                                     seconds > 0 ? duration_text(seconds) + " of computing" : ""},
                                    "; ");
    return text.empty() ? "" : "<p class=\"muted\">Measured on " + xml_text(text, kLongText) + ".</p>\n";
}

}  // namespace fearnet::lab::page
