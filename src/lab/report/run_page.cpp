#include <fmt/format.h>

#include <algorithm>

#include "data/io/files.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/report.hpp"
#include "lab/report/page/page_style.hpp"
#include "lab/report/svg.hpp"

namespace fearnet::lab {
namespace {

constexpr std::uint64_t kMostPictureBytes = 400'000;
constexpr std::size_t kLongestText = 220;  // bytes

constexpr const char* kStyle = R"(
main svg{width:100%;max-width:960px;height:auto;border-radius:8px}
.answers{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:14px;margin:1rem 0;padding:0;list-style:none}
.answers li{border:1px solid var(--rule);border-radius:10px;overflow:hidden;font-size:.88rem}
.answers img{display:block;width:100%;height:150px;object-fit:cover}
.answers blockquote{margin:0;padding:.6rem .8rem;min-height:110px;background:var(--bg);overflow-wrap:anywhere}
.answers p{margin:0;padding:.45rem .8rem}
.answers b{font-weight:650}
.classes td:last-child,.classes th:last-child{text-align:left}
)";

std::string base64(io::ByteView bytes) {
    constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

// "image/jpeg"; empty: no picture that a browser shows.
std::string picture_type(io::ByteView bytes) {
    const std::string_view text = io::as_text(bytes);
    if (text.starts_with("\xff\xd8\xff")) return "image/jpeg";
    if (text.starts_with("\x89PNG\r\n")) return "image/png";
    return text.starts_with("RIFF") && text.substr(0, 16).find("WEBP") == 8 ? "image/webp" : "";
}

// The picture itself, the text, or the name of the file.
std::string shown_input(const ShownAnswer& answer) {
    if (!answer.is_file) return "<blockquote>" + xml_text(answer.input, kLongestText) + "</blockquote>";
    const std::string name = xml_text(std::filesystem::path(answer.input).filename().string());
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(answer.input, error);
    if (!error && bytes <= kMostPictureBytes) try {
            const io::Bytes picture = io::read_file(answer.input);
            if (const std::string type = picture_type(picture); !type.empty())
                return fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\">", name, type, base64(picture));
        } catch (const Error&) {  // it was there when it was embedded
        }
    return "<blockquote>" + name + "</blockquote>";
}

std::string answers_section(const std::vector<ShownAnswer>& answers) {
    if (answers.empty()) return "";
    std::string right, wrong;
    for (const ShownAnswer& a : answers) {
        const bool is_right = a.truth == a.answer;
        (is_right ? right : wrong) += fmt::format(
            "<li>{}<p>{}</p></li>\n", shown_input(a),
            is_right
                ? "<b>" + xml_text(a.answer) + "</b>"
                : fmt::format("answered <b>{}</b>, it is <b>{}</b>", xml_text(a.answer), xml_text(a.truth)));
    }
    std::string out =
        "<section><h2>Some answers</h2><p class=\"muted\">Drawn at random from the test examples, "
        "after the last session.</p>\n";
    if (!right.empty()) out += "<h3>Right</h3><ul class=\"answers\">\n" + right + "</ul>\n";
    if (!wrong.empty()) out += "<h3>Wrong</h3><ul class=\"answers\">\n" + wrong + "</ul>\n";
    return out + "</section>\n";
}

std::string classes_section(const std::vector<ClassOutcome>& classes) {
    if (classes.empty()) return "";
    std::string out =
        "<section><h2>Classes</h2><div class=\"scroll\" tabindex=\"0\"><table class=\"classes\"><thead><tr>"
        "<th>class</th><th>learned in</th><th>accuracy</th><th>right</th><th>most often taken for</th>"
        "</tr></thead><tbody>\n";
    for (const ClassOutcome& c : classes)
        out += fmt::format(
            "<tr><th>{}</th><td>{}</td><td>{:.0f} %</td><td>{} of {}</td><td>{}</td></tr>\n",
            xml_text(c.name), c.session == 0 ? "base session" : fmt::format("session {}", c.session),
            100.0 * static_cast<double>(c.right) / static_cast<double>(std::max<std::size_t>(1, c.test_rows)),
            c.right, c.test_rows, xml_text(c.confused_with));
    return out + "</tbody></table></div></section>\n";
}

}  // namespace

std::string run_page(const std::vector<RunRecord>& runs, const RunContext& context) {
    const RunRecord& run = runs.front();
    std::string svg = accuracy_svg(runs);
    svg.erase(0, svg.find("<svg"));  // an XML declaration has no place in HTML
    double final = 0;
    for (const RunRecord& r : runs) final += r.final_accuracy / static_cast<double>(runs.size());
    const std::string title = xml_text(run.learner) + " on " + xml_text(run.dataset);
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
        title + "</title><style>" + page::page_style() + kStyle + "</style></head><body>\n";
    out += "<header><h1>" + title + "</h1><p>" +
           fmt::format("{} classes at once, then one class per session, without keeping old examples.",
                       run.protocol.base_classes) +
           "</p>\n<dl class=\"tiles\">";
    const auto tile = [&](const char* name, const std::string& value) {
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
    };
    tile("classes", std::to_string(run.class_outcomes.size()));
    tile("accuracy after the last session", fmt::format("{:.1f} %", 100 * final));
    tile("offline model, all classes at once", fmt::format("{:.1f} %", 100 * run.offline_accuracy));
    tile("seeds", std::to_string(runs.size()));
    out += "</dl></header>\n<main><section><h2>Accuracy over sessions</h2>\n" + svg + "</section>\n";
    out += answers_section(run.shown_answers) + classes_section(run.class_outcomes);
    out += "</main>\n<footer><p class=\"muted\">" + xml_text(context.command) + "<br>fearnet " +
           xml_text(context.version) + ", " + xml_text(context.date) + ", " + xml_text(context.cpu) + ", " +
           std::to_string(context.threads) + " threads</p></footer></body></html>\n";
    return out;
}

}  // namespace fearnet::lab
