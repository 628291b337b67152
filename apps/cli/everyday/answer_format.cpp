#include "everyday/answer_format.hpp"

#include <fmt/format.h>

namespace fearnet::cli {
namespace {

const char* name_of(Memory memory) {
    return memory == Memory::recent ? "recent" : "consolidated";
}

Json as_json(const BrainAnswer& answer, std::size_t row, bool explain) {
    Json classes = Json::array();
    for (const BrainAnswer::Ranked& c : answer.classes)
        classes.push_back({{"label", c.name}, {"probability", c.probability}});
    Json j{{"row", row}, {"label", answer.classes.front().name}, {"classes", std::move(classes)}};
    if (!explain) return j;
    const Explanation& e = answer.explanation;
    j["explanation"] = {{"memory", name_of(e.memory)},
                        {"recent_label", answer.recent_name},
                        {"recent_probability", e.recent_probability},
                        {"consolidated_label", answer.consolidated_name},
                        {"consolidated_probability", e.consolidated_probability},
                        {"router", e.router},
                        {"psi", e.psi}};
    return j;
}

// An element of an array, as Json::dump(2) of the whole array shows it.
std::string element(const Json& j) {
    std::string text = "  " + json_text(j);
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
        text.insert(at + 1, "  ");
    return text;
}

std::string as_tsv(const BrainAnswer& answer, std::size_t row, bool explain) {
    std::string line = std::to_string(row);
    for (const BrainAnswer::Ranked& c : answer.classes)
        line += fmt::format("\t{}\t{:.4f}", c.name, c.probability);
    line += '\n';
    if (!explain) return line;
    const Explanation& e = answer.explanation;
    line += fmt::format("\t{} memory", name_of(e.memory));
    if (!answer.recent_name.empty())
        line += fmt::format("; recent: {} {:.4f}, A(x) {:.4f}, psi {:.4g}", answer.recent_name,
                            e.recent_probability, e.router, e.psi);
    return line +
           fmt::format("; consolidated: {} {:.4f}\n", answer.consolidated_name, e.consolidated_probability);
}

// RFC 4180: in quotes when it holds a comma or a quote, and quotes doubled.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"") == text.npos && text.find_first_not_of(' ') == 0 && text.back() != ' ')
        return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string as_csv(const BrainAnswer& answer, std::size_t row, bool explain) {
    std::string line = std::to_string(row);
    for (const BrainAnswer::Ranked& c : answer.classes)
        line += fmt::format(",{},{:.4f}", csv_field(c.name), c.probability);
    const Explanation& e = answer.explanation;
    if (explain)
        line +=
            fmt::format(",{},{},{:.4f},{},{:.4f},{:.4f},{:.4g}", name_of(e.memory),
                        answer.recent_name.empty() ? "" : csv_field(answer.recent_name), e.recent_probability,
                        csv_field(answer.consolidated_name), e.consolidated_probability, e.router, e.psi);
    return line + '\n';
}

}  // namespace

std::string AnswerFormat::before() const {
    if (style == AnswerStyle::json) return "[\n";
    if (style != AnswerStyle::csv) return "";
    std::string header = "row,label,probability";
    for (std::size_t i = 2; i <= classes; ++i) header += fmt::format(",label_{},probability_{}", i, i);
    if (explain)
        header +=
            ",memory,recent_label,recent_probability,consolidated_label,consolidated_probability,router,psi";
    return header + '\n';
}

std::string AnswerFormat::answer(const BrainAnswer& answer, std::size_t row) const {
    switch (style) {
        case AnswerStyle::csv:
            return as_csv(answer, row, explain);
        case AnswerStyle::jsonl:
            return as_json(answer, row, explain).dump() + '\n';
        case AnswerStyle::json:
            return (row > 0 ? ",\n" : "") + element(as_json(answer, row, explain));
        default:
            return as_tsv(answer, row, explain);
    }
}

std::string AnswerFormat::after() const {
    return style == AnswerStyle::json ? "\n]\n" : "";
}

}  // namespace fearnet::cli
