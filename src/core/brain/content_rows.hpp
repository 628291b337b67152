// The content of a brain file as rows of tables, each with its checksum.
#pragma once

#include <functional>

#include "core/brain/brain_file.hpp"

namespace fearnet {

// One row: where it stands, its checksum, and how to write it.
struct ContentRow {
    std::string table;
    std::string name;
    std::int64_t checksum = 0;
    std::function<void(const io::Database&)> write;  // refers to the content it was made from
};

// Every row of the content but those of the history.
std::vector<ContentRow> content_rows(const BrainContent& content);

// What the rows of an open file say. Each function calls found(table, name, checksum in the file, checksum of
// what is there) for every row, and damaged(text) for a row that cannot be one.
struct RowCheck {
    std::function<void(const std::string& table, const std::string& name, std::int64_t stored,
                       std::int64_t actual)>
        found;
    std::function<void(const std::string& text)> damaged;
};
void read_content(const io::Database& database, const RowCheck& check, BrainContent& content);

}  // namespace fearnet
