// The history of a brain file: one row per change, each with its checksum.
#pragma once

#include "core/brain/content_rows.hpp"

namespace fearnet {

inline constexpr const char* kHistoryTable = "history";

// As everywhere: the checksum adds the table, the row's number as its name, and the values.
std::int64_t history_checksum(const HistoryEntry& entry);

// All entries, oldest first. Calls `check` as read_content does. Text that is not safe to print is damage:
// the library never writes any.
std::vector<HistoryEntry> read_history(const io::Database& database, const RowCheck& check);

// Fills in HistoryEntry::detail where classes are listed by id: with the names they have now.
void describe_history(const std::vector<NamedClass>& classes, std::vector<HistoryEntry>& entries);

// Adds the entry, or replaces the one of its number.
void write_history(const io::Database& database, const HistoryEntry& entry);

}  // namespace fearnet
