#include "everyday/answer_format.hpp"

#include <fmt/format.h>

namespace fearnet::cli {
namespace {

// An element of an array, as Json::dump(2) of the whole array shows it.
std::string element(const Json& j) {
    std::string text = "  " + json_text(j);
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
        text.insert(at + 1, "  ");
    return text;
}

constexpr const char* kUnknown = "unknown";

std::string as_tsv(const BrainExplanation& e) {
    std::string line = fmt::format("\t{} memory", apps::name_of(e.memory));
    if (!e.recent_label.empty())
        line += fmt::format("; recent: {} {:.4f}, A(x) {:.4f}, psi {:.4g}", e.recent_label,
                            e.recent_probability, e.router, e.psi);
    return line +
           fmt::format("; consolidated: {} {:.4f}\n", e.consolidated_label, e.consolidated_probability);
}

// RFC 4180: in quotes when it holds a comma or a quote, and quotes doubled.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"") == text.npos && text.find_first_not_of(' ') == 0 && text.back() != ' ')
        return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string as_csv(const BrainExplanation& e) {
    return fmt::format(",{},{},{:.4f},{},{:.4f},{:.4f},{:.4g}", apps::name_of(e.memory),
                       e.recent_label.empty() ? "" : csv_field(e.recent_label), e.recent_probability,
                       csv_field(e.consolidated_label), e.consolidated_probability, e.router, e.psi);
}

constexpr const char* kExplanationColumns =
    ",memory,recent_label,recent_probability,consolidated_label,consolidated_probability,router,psi";
constexpr const char* kNoExplanation = ",,,,,,,";  // the same columns, empty

}  // namespace

// With sets, the number of classes varies: their names are one field, a JSON array.
std::string AnswerFormat::as_csv(const AnsweredRow& row) const {
    std::string line = inputs ? csv_field(printable(row.input)) : std::to_string(row.row);
    const std::vector<RankedClass> best = row.answer.top(classes);
    for (std::size_t i = 0; i < best.size(); ++i)
        line +=
            fmt::format(",{},{:.4f}", i == 0 && is_unknown(row.answer) ? kUnknown : csv_field(best[i].name),
                        best[i].probability);
    const std::optional<double> familiarity = row.answer.familiarity();
    line += familiarity ? fmt::format(",{:.4g}", *familiarity) : ",";
    if (sets) {
        Json names = Json::array();
        for (const std::string& name : *row.set) names.push_back(name);
        line += ',' + csv_field(names.dump());
    }
    if (explain) line += row.explanation == nullptr ? kNoExplanation : cli::as_csv(*row.explanation);
    return line + '\n';
}

// An unknown row has its familiarity in place of a probability.
std::string AnswerFormat::as_tsv(const AnsweredRow& row) const {
    std::string line = inputs ? printable(row.input) : std::to_string(row.row);
    const std::vector<RankedClass> classes_of_row = ranked(row);
    const bool unknown = is_unknown(row.answer) || classes_of_row.empty();
    if (unknown) line += fmt::format("\t{}\t{:.4f}", kUnknown, row.answer.familiarity().value_or(0));
    if (!unknown || classes > 1 || sets)
        for (const RankedClass& c : classes_of_row)
            line += fmt::format("\t{}\t{:.4f}", c.name, c.probability);
    line += '\n';
    return row.explanation == nullptr ? line : line + cli::as_tsv(*row.explanation);
}

std::string AnswerFormat::before() const {
    if (style == AnswerStyle::json) return "[\n";
    if (style != AnswerStyle::csv) return "";
    std::string header = inputs ? "input,label,probability" : "row,label,probability";
    for (std::size_t i = 2; i <= classes; ++i) header += fmt::format(",label_{},probability_{}", i, i);
    header += ",familiarity";
    if (sets) header += ",set";
    if (explain) header += kExplanationColumns;
    return header + '\n';
}

std::string AnswerFormat::answer(const AnsweredRow& row) const {
    switch (style) {
        case AnswerStyle::csv:
            return as_csv(row);
        case AnswerStyle::jsonl:
            return apps::as_json(row, *this).dump() + '\n';
        case AnswerStyle::json:
            return (row.row > 0 ? ",\n" : "") + element(apps::as_json(row, *this));
        default:
            return as_tsv(row);
    }
}

std::string AnswerFormat::after() const {
    return style == AnswerStyle::json ? "\n]\n" : "";
}

}  // namespace fearnet::cli
