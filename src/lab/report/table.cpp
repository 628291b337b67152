#include "lab/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/svg.hpp"

namespace fearnet::lab {
namespace {

constexpr std::size_t kGap = 3;  // blanks between two columns of a terminal

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

template <class Use>
void for_each_row(const Table& table, const Use& use) {
    for (const TableRow& row : table.head) use(row);
    for (const auto& group : table.groups)
        for (const TableRow& row : group) use(row);
}

std::vector<std::size_t> widths_of(const Table& table) {
    std::vector<std::size_t> widths;
    for_each_row(table, [&](const TableRow& row) {
        std::size_t column = 0;
        for (const Cell& cell : row) {
            widths.resize(std::max(widths.size(), column + cell.span));
            if (cell.span == 1) widths[column] = std::max(widths[column], characters(cell.text));
            column += cell.span;
        }
    });
    return widths;
}

std::string padded(const Cell& cell, std::size_t width, Align align) {
    if (cell.span > 1 && characters(cell.text) + 1 < width)
        return cell.text + " " + std::string(width - characters(cell.text) - 1, '-');
    const std::string blanks(width - std::min(width, characters(cell.text)), ' ');
    return align == Align::left ? cell.text + blanks : blanks + cell.text;
}

std::string content(const Cell& cell) {
    return cell.html.empty() ? xml_text(cell.text) : cell.html;
}

std::string with_blank(const std::string& attributes) {
    return attributes.empty() ? "" : " " + attributes;
}

std::string head_row(const TableRow& row) {
    std::string html = "<tr>";
    for (const Cell& cell : row)
        html += fmt::format("<th scope=\"{}\"{}>{}</th>",
                            cell.span == 1 ? "col" : fmt::format("colgroup\" colspan=\"{}", cell.span),
                            with_blank(cell.attributes), content(cell));
    return html + "</tr>";
}

std::string body_row(const TableRow& row) {
    if (row.size() == 1)
        return fmt::format("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                           row[0].span, content(row[0]));
    std::string html = "<tr><th scope=\"row\">" + content(row[0]) + "</th>";
    for (std::size_t i = 1; i < row.size(); ++i)
        html += "<td" + with_blank(row[i].attributes) + ">" + content(row[i]) + "</td>";
    return html + "</tr>\n";
}

}  // namespace

std::string terminal_table(const Table& table, Align align) {
    const std::vector<std::size_t> widths = widths_of(table);
    std::string out;
    for_each_row(table, [&](const TableRow& row) {
        std::string line;
        std::size_t column = 0;
        for (const Cell& cell : row) {
            std::size_t width = kGap * (cell.span - 1);
            for (std::size_t i = 0; i < cell.span; ++i) width += widths[column++];
            line += (line.empty() ? "" : std::string(kGap, ' ')) + padded(cell, width, align);
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    });
    return out;
}

std::string html_table(const Table& table) {
    std::string html = "<table" + with_blank(table.attributes) + ">\n";
    if (!table.caption.empty()) html += "<caption><span>" + xml_text(table.caption) + "</span></caption>\n";
    html += "<thead>";
    for (const TableRow& row : table.head) html += (&row == &table.head.front() ? "" : "\n") + head_row(row);
    html += "</thead>\n";
    for (const auto& group : table.groups) {
        html += "<tbody>\n";
        for (const TableRow& row : group) html += body_row(row);
        html += "</tbody>\n";
    }
    return html + "</table>\n";
}

}  // namespace fearnet::lab
