#include "everyday/answer_format.hpp"

#include <fmt/format.h>

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

std::string as_tsv(const std::vector<RankedClass>& classes, const BrainExplanation* e, std::size_t row) {
    std::string line = std::to_string(row);
    for (const RankedClass& c : classes) line += fmt::format("\t{}\t{:.4f}", c.name, c.probability);
    line += '\n';
    if (e == nullptr) return line;
    line += fmt::format("\t{} memory", name_of(e->memory));
    if (!e->recent_label.empty())
        line += fmt::format("; recent: {} {:.4f}, A(x) {:.4f}, psi {:.4g}", e->recent_label,
                            e->recent_probability, e->router, e->psi);
    return line +
           fmt::format("; consolidated: {} {:.4f}\n", e->consolidated_label, e->consolidated_probability);
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

Json AnswerFormat::as_json(const std::vector<RankedClass>& ranked, const BrainExplanation* e,
                           std::size_t row) const {
    Json list = Json::array();
    for (const RankedClass& c : ranked) list.push_back({{"label", c.name}, {"probability", c.probability}});
    Json j{{"row", row}, {"label", ranked.front().name}, {"classes", std::move(list)}};
    if (explain) j.add("explanation", e == nullptr ? Json() : cli::as_json(*e));
    return j;
}

std::string AnswerFormat::as_csv(const std::vector<RankedClass>& ranked, const BrainExplanation* e,
                                 std::size_t row) const {
    std::string line = std::to_string(row);
    for (const RankedClass& c : ranked) line += fmt::format(",{},{:.4f}", csv_field(c.name), c.probability);
    if (explain) line += e == nullptr ? kNoExplanation : cli::as_csv(*e);
    return line + '\n';
}

std::string AnswerFormat::before() const {
    if (style == AnswerStyle::json) return "[\n";
    if (style != AnswerStyle::csv) return "";
    std::string header = "row,label,probability";
    for (std::size_t i = 2; i <= classes; ++i) header += fmt::format(",label_{},probability_{}", i, i);
    if (explain) header += kExplanationColumns;
    return header + '\n';
}

std::string AnswerFormat::answer(const BrainAnswer& answer, const BrainExplanation* e,
                                 std::size_t row) const {
    const std::vector<RankedClass> ranked = answer.top(classes);
    switch (style) {
        case AnswerStyle::csv:
            return as_csv(ranked, e, row);
        case AnswerStyle::jsonl:
            return as_json(ranked, e, row).dump() + '\n';
        case AnswerStyle::json:
            return (row > 0 ? ",\n" : "") + element(as_json(ranked, e, row));
        default:
            return as_tsv(ranked, e, row);
    }
}

std::string AnswerFormat::after() const {
    return style == AnswerStyle::json ? "\n]\n" : "";
}

}  // namespace fearnet::cli
