// The arrays of a learner in a brain file: a row of table "arrays" holds the type and shape of an array, rows
// of table "blocks" hold its bytes.
#pragma once

#include <vector>

#include "core/brain/content_rows.hpp"

namespace fearnet {

void add_array_rows(const std::string& name, const StateArray& array, std::vector<ContentRow>& rows);

// Calls `check` as read_content does. Allocates memory only for bytes that the file really has.
void read_arrays(const io::Database& database, const RowCheck& check, State& state);

// A row of "blocks" is called "array/number".
std::string block_name(const std::string& array, std::int64_t number);
void delete_block(const io::Database& database, const std::string& name);

}  // namespace fearnet
