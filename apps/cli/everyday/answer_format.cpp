#include "everyday/answer_format.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

namespace fearnet::cli {
namespace {

const char* name_of(Memory memory) {
    return memory == Memory::recent ? "recent" : "consolidated";
}

Json as_json(const BrainExplanation& e) {
    return {{"memory", name_of(e.memory)},
            {"recent_label", e.recent_label},
            {"recent_probability", e.recent_probability},
            {"consolidated_label", e.consolidated_label},
            {"consolidated_probability", e.consolidated_probability},
            {"router", e.router},
            {"psi", e.psi}};
}

// An element of an array, as Json::dump(2) of the whole array shows it.
std::string element(const Json& j) {
    std::string text = "  " + json_text(j);
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
        text.insert(at + 1, "  ");
    return text;
}

constexpr std::size_t kAllClasses = std::numeric_limits<std::size_t>::max();
constexpr const char* kUnknown = "unknown";

std::string as_tsv(const BrainExplanation& e) {
    std::string line = fmt::format("\t{} memory", name_of(e.memory));
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
    return fmt::format(",{},{},{:.4f},{},{:.4f},{:.4f},{:.4g}", name_of(e.memory),
                       e.recent_label.empty() ? "" : csv_field(e.recent_label), e.recent_probability,
                       csv_field(e.consolidated_label), e.consolidated_probability, e.router, e.psi);
}

constexpr const char* kExplanationColumns =
    ",memory,recent_label,recent_probability,consolidated_label,consolidated_probability,router,psi";
constexpr const char* kNoExplanation = ",,,,,,,";  // the same columns, empty

}  // namespace

bool AnswerFormat::is_unknown(const BrainAnswer& answer) const {
    return answer.familiarity().value_or(1) < unknown_below;
}

std::vector<RankedClass> AnswerFormat::ranked(const AnsweredRow& row) const {
    if (row.set == nullptr) return row.answer.top(classes);
    std::map<std::string, double> probability;
    for (const RankedClass& c : row.answer.top(kAllClasses)) probability[c.name] = c.probability;
    std::vector<RankedClass> result;
    for (const std::string& name : *row.set) result.push_back({name, probability.at(name)});
    return result;
}

Json AnswerFormat::as_json(const AnsweredRow& row) const {
    Json list = Json::array();
    for (const RankedClass& c : ranked(row))
        list.push_back({{"label", c.name}, {"probability", c.probability}});
    Json j{{"row", row.row}, {"label", row.answer.label()}, {"classes", std::move(list)}};
    if (inputs) j.add("input", row.input);
    const std::optional<double> familiarity = row.answer.familiarity();
    j.add("familiarity", familiarity ? Json(*familiarity) : Json());
    j.add("unknown", is_unknown(row.answer));
    if (explain) j.add("explanation", row.explanation == nullptr ? Json() : cli::as_json(*row.explanation));
    return j;
}

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
            return as_json(row).dump() + '\n';
        case AnswerStyle::json:
            return (row.row > 0 ? ",\n" : "") + element(as_json(row));
        default:
            return as_tsv(row);
    }
}

std::string AnswerFormat::after() const {
    return style == AnswerStyle::json ? "\n]\n" : "";
}

}  // namespace fearnet::cli
