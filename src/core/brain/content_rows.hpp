// The content of a brain file as rows of tables, each with its checksum.
#pragma once

#include <functional>

#include "core/brain/brain_file.hpp"

namespace fearnet {

// A row of a table: its place, its checksum, and the function that writes it.
struct ContentRow {
    std::string table;
    std::string name;
    std::int64_t checksum = 0;
    std::function<void(const io::Database&)> write;  // refers to the content it was made from
};

// All rows of the content, without those of the history.
std::vector<ContentRow> content_rows(const BrainContent& content);

// Reading the rows of an open file. Each function calls found(table, name, stored checksum, computed
// checksum) for every row, and damaged(text) for a malformed row.
struct RowCheck {
    std::function<void(const std::string& table, const std::string& name, std::int64_t stored,
                       std::int64_t actual)>
        found;
    std::function<void(const std::string& text)> damaged;
};
void read_content(const io::Database& database, const RowCheck& check, BrainContent& content);

}  // namespace fearnet
