#include "everyday/suspect_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr std::size_t kLines = 10, kRows = 8;

// "row 4", "rows 4 and 17", "rows 4, 17 and 3 more"
std::string rows_text(const std::vector<std::size_t>& rows, const std::vector<std::string>& inputs) {
    std::string text = !inputs.empty() ? "" : rows.size() == 1 ? "row " : "rows ";
    const std::size_t shown = rows.size() > kRows ? kRows - 1 : rows.size();
    for (std::size_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + row_name(inputs, rows[i]);
    if (shown < rows.size()) text += fmt::format(" and {} more", rows.size() - shown);
    return text;
}

}  // namespace

void require_label_check(const Brain& brain, const std::string& what) {
    if (brain.learner().name() != "fearnet-plus")
        throw Error(what + ": the learner " + brain.learner().name() +
                    " cannot tell wrong labels; a brain of learner fearnet-plus can");
}

std::vector<std::string> suspect_lines(const std::vector<SuspectLabel>& suspects, bool several_labels,
                                       const std::vector<std::string>& inputs) {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
    for (const SuspectLabel& s : suspects) groups[{s.label, s.looks_like}].push_back(s.row);
    std::vector<std::pair<std::pair<std::string, std::string>, std::vector<std::size_t>>> order(
        groups.begin(), groups.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& l, const auto& r) { return l.second.size() > r.second.size(); });
    std::vector<std::string> lines;
    std::size_t left = suspects.size();
    for (const auto& [names, rows] : order) {
        if (lines.size() == kLines) break;
        left -= rows.size();
        lines.push_back(
            fmt::format("{}{} look{} like '{}'", rows_text(rows, inputs),
                        several_labels ? fmt::format(", labeled '{}',", printable(names.first)) : "",
                        rows.size() == 1 ? "s" : "", printable(names.second)));
    }
    if (left > 0)
        lines.push_back(fmt::format("{} more {}; --json lists them all", left, left == 1 ? "row" : "rows"));
    return lines;
}

NamedRows without(const std::vector<SuspectLabel>& suspects, const NamedRows& rows) {
    std::vector<bool> out(rows.x.rows());
    for (const SuspectLabel& s : suspects) out[s.row] = true;
    NamedRows left;
    left.x = Matrix(rows.x.rows() - suspects.size(), rows.x.cols());
    left.label_source = rows.label_source;
    left.embedder = rows.embedder;
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows.x.rows(); ++i) {
        if (out[i]) continue;
        std::copy_n(rows.x.row(i), rows.x.cols(), left.x.row(at++));
        left.labels.push_back(rows.labels[i]);
    }
    return left;
}

}  // namespace fearnet::cli
