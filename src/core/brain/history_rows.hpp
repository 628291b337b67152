// The history of a brain file: one row per change, each with its checksum.
#pragma once

#include "core/brain/content_rows.hpp"

namespace fearnet {

inline constexpr const char* kHistoryTable = "history";

// The checksum covers the table, the number of the row as its name, and the values.
std::int64_t history_checksum(const HistoryEntry& entry);

// All entries, oldest first. Calls `check` as read_content does. Text that is not safe to print counts as
// damage, since the library never writes such text.
std::vector<HistoryEntry> read_history(const io::Database& database, const RowCheck& check);

// Sets HistoryEntry::detail of entries that list classes by id, with the current names of the classes.
void describe_history(const std::vector<NamedClass>& classes, std::vector<HistoryEntry>& entries);

// Adds the entry, or replaces the entry with the same number.
void write_history(const io::Database& database, const HistoryEntry& entry);

}  // namespace fearnet
