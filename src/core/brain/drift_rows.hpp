// The table `familiarity` of a brain file: one row per record, each with its checksum.
#pragma once

#include "core/brain/content_rows.hpp"

namespace fearnet {

inline constexpr const char* kFamiliarityTable = "familiarity";

void add_familiarity_rows(const std::vector<FamiliarityRecord>& records, std::vector<ContentRow>& rows);

// Calls `check` as read_content does. Numbers and texts that this library never writes count as damage. A
// file without the table has no records.
void read_familiarity(const io::Database& database, const RowCheck& check, BrainContent& content);

}  // namespace fearnet
