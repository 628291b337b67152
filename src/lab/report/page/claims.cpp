#include "lab/report/page/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/report/number_text.hpp"

namespace fearnet::lab::page {
namespace {

constexpr double kTrendCorrelation = 0.5, kFlat = 0.1;

struct Finding {
    Verdict verdict = Verdict::not_measured;
    std::string evidence;
};

std::string row_and_value(const Line& line, const std::string& column) {
    return line.row + " " + number_text(*line.mean(column), column);
}

const Line* line_named(const std::vector<const Line*>& lines, const std::string& row) {
    for (const Line* line : lines)
        if (line->row == row) return line;
    return nullptr;
}

Finding not_measured(const std::string& why) {
    return {Verdict::not_measured, why};
}

Finding verdict_of(bool holds, std::string evidence) {
    return {holds ? Verdict::holds : Verdict::does_not_hold, std::move(evidence)};
}

Finding check_best(const Claim& claim, const std::vector<const Line*>& lines) {
    const std::string &row = claim.row, &column = claim.column;
    const Line* mine = line_named(lines, row);
    if (!mine || !mine->mean(column)) return not_measured(row + " was not run");
    const bool paper_has_rows =
        std::any_of(lines.begin(), lines.end(), [](const Line* l) { return !l->paper.empty(); });
    const Line *rival = nullptr, *outsider = nullptr;
    std::string unknown;
    for (const Line* line : lines) {
        const bool of_paper = !paper_has_rows || !line->paper.empty();
        if (line == mine) continue;
        if (!line->mean(column)) {
            if (of_paper) unknown += (unknown.empty() ? "" : ", ") + line->row;
            continue;
        }
        const Line*& best = of_paper ? rival : outsider;
        if (!best || is_better(*line->mean(column), *best->mean(column), column)) best = line;
    }
    if (!rival) return not_measured(row_and_value(*mine, column) + "; no other row of the paper was run");
    const bool ahead = !is_better(*rival->mean(column), *mine->mean(column), column);
    std::string evidence = row_and_value(*mine, column) + ", next " + row_and_value(*rival, column);
    if (!ahead) evidence = row_and_value(*mine, column) + ", but " + row_and_value(*rival, column);
    if (ahead && !unknown.empty()) evidence += "; not run: " + unknown;
    if (outsider && is_better(*outsider->mean(column), *mine->mean(column), column))
        evidence += "; not in the paper: " + row_and_value(*outsider, column);
    // A row that was not run could still be ahead.
    if (ahead && !unknown.empty()) return not_measured(evidence);
    return verdict_of(ahead, evidence);
}

Finding check_trend(const Claim& claim, const std::vector<const Line*>& lines) {
    const std::string &over = claim.over, &row = claim.row, &column = claim.column,
                      &direction = claim.direction;
    std::vector<std::pair<double, double>> points;
    for (const Line* line : lines)
        if (row.empty() || line->row == row || line->learner == row)
            if (const auto x = line->mean(over), y = line->mean(column); x && y) points.emplace_back(*x, *y);
    std::sort(points.begin(), points.end());
    if (points.size() < 3 || points.front().first == points.back().first)
        return not_measured(fmt::format("{} of at least 3 points were run", points.size()));
    std::vector<double> x, y;
    for (const auto& [a, b] : points) x.push_back(a), y.push_back(b);
    const double correlation = rank_correlation(x, y), change = y.back() - y.front();
    const auto [least, most] = std::minmax_element(y.begin(), y.end());
    const double sign = direction == "down" ? -1 : 1;
    const bool holds = direction == "flat" ? *most - *least <= kFlat
                                           : sign * change > 0 && sign * correlation >= kTrendCorrelation;
    return verdict_of(
        holds, fmt::format("{} {} at {} {:.0f}, {} at {:.0f}; between {} and {}, rank correlation {:+.2f} "
                           "over {} points",
                           column_title(column), number_text(y.front(), column), column_title(over),
                           x.front(), number_text(y.back(), column), x.back(), number_text(*least, column),
                           number_text(*most, column), correlation, x.size()));
}

Finding check_greater(const Claim& claim, const std::vector<const Line*>& lines) {
    const std::string &row = claim.row, &column = claim.column;
    const std::string& than_row = claim.than_row.empty() ? row : claim.than_row;
    const std::string& than_column = claim.than_column.empty() ? column : claim.than_column;
    const Line *left = line_named(lines, row), *right = line_named(lines, than_row);
    if (!left || !left->mean(column)) return not_measured(row + " was not run");
    if (!right || !right->mean(than_column)) return not_measured(than_row + " was not run");
    const double a = *left->mean(column), b = *right->mean(than_column);
    std::string evidence = row == than_row
                               ? fmt::format("{} {}, {} {}", column_title(column), number_text(a, column),
                                             column_title(than_column), number_text(b, than_column))
                               : row_and_value(*left, column) + ", " + row_and_value(*right, than_column);
    if (claim.by > 0)
        evidence += fmt::format(": {:+.1f} % (required: {:+.0f} %)", 100 * (a / b - 1), 100 * claim.by);
    return verdict_of(claim.by > 0 ? a >= b * (1 + claim.by) : a > b, std::move(evidence));
}

Finding check_least(const Claim& claim, const std::vector<const Line*>& lines) {
    const Line* line = line_named(lines, claim.row);
    if (!line || !line->mean(claim.column)) return not_measured(claim.row + " was not run");
    return verdict_of(
        *line->mean(claim.column) >= claim.by,
        row_and_value(*line, claim.column) + ", required: " + number_text(claim.by, claim.column));
}

Finding check_on(const Claim& claim, const std::vector<const Line*>& lines) {
    switch (claim.kind) {
        case Claim::Kind::best:
            return check_best(claim, lines);
        case Claim::Kind::trend:
            return check_trend(claim, lines);
        case Claim::Kind::greater:
            return check_greater(claim, lines);
        case Claim::Kind::least:
            return check_least(claim, lines);
    }
    return not_measured("no rule for its kind");
}

bool is_about(const Claim& claim, const std::string& dataset) {
    return claim.datasets.empty() ||
           std::find(claim.datasets.begin(), claim.datasets.end(), dataset) != claim.datasets.end();
}

// Ranks from 1; equal values share their mean rank.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        for (std::size_t i = first; i < end; ++i) result[order[i]] = static_cast<double>(first + 1 + end) / 2;
    }
    return result;
}

}  // namespace

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const std::vector<double> a = ranks(x), b = ranks(y);
    const double middle = (static_cast<double>(x.size()) + 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - middle) * (b[i] - middle);
        aa += (a[i] - middle) * (a[i] - middle);
        bb += (b[i] - middle) * (b[i] - middle);
    }
    return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

CheckedClaim check_claim(const Claim& claim, const std::vector<Line>& lines) {
    std::size_t failed = 0, open = 0, checked = 0;
    CheckedClaim result{claim.text, Verdict::not_measured, {}};
    const std::vector<std::string> datasets = datasets_of(lines);
    for (const std::string& dataset : datasets) {
        if (!is_about(claim, dataset)) continue;
        std::vector<const Line*> here;
        for (const Line& line : lines)
            if (line.dataset == dataset) here.push_back(&line);
        const Finding finding = check_on(claim, here);
        ++checked;
        if (finding.verdict == Verdict::not_measured) ++open;
        if (finding.verdict == Verdict::does_not_hold) ++failed;
        result.evidence.push_back((datasets.size() > 1 ? dataset_title(dataset) + ": " : "") +
                                  finding.evidence);
    }
    if (checked == 0) result.evidence = {"no run on its data set"};
    if (failed > 0)
        result.verdict = Verdict::does_not_hold;
    else if (checked > 0 && open == 0)
        result.verdict = Verdict::holds;
    return result;
}

std::vector<CheckedClaim> check_claims(const ExperimentResults& results, const std::vector<Line>& lines) {
    std::vector<CheckedClaim> checked;
    for (const Claim& claim : results.claims) checked.push_back(check_claim(claim, lines));
    return checked;
}

}  // namespace fearnet::lab::page
