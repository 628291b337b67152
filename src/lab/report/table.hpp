// A table as data, written for a terminal and as HTML.
#pragma once

#include <string>
#include <vector>

namespace fearnet::lab {

struct Cell {
    std::string text;
    std::string html = {};        // in HTML in place of the text
    std::string attributes = {};  // of the HTML element
    std::size_t span = 1;         // columns
};
using TableRow = std::vector<Cell>;

struct Table {
    std::string caption;
    std::string attributes;  // of the HTML element
    std::vector<TableRow> head;
    std::vector<std::vector<TableRow>> groups;  // a row of one cell is the title of its group
};

enum class Align { left, right };

// Columns that line up; a title over several columns is drawn out with dashes.
std::string terminal_table(const Table& table, Align align);
// The first cell of a row is its heading.
std::string html_table(const Table& table);

}  // namespace fearnet::lab
