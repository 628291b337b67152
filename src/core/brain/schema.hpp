// The tables of a brain file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fearnet {

inline constexpr std::int64_t kApplicationId = 0x46724E74;  // "FrNt"
inline constexpr std::int64_t kVersion = 2;

struct Table {
    std::string_view name;
    std::string_view columns;
    bool optional = false;  // created when it gets its first row
};

// Frozen once a version is released: files of every released version stay readable.
#define FEARNET_TEXT "(name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT"
inline constexpr std::array<Table, 8> kTables{{
    {"brain", FEARNET_TEXT},
    {"options", FEARNET_TEXT},
    {"texts", FEARNET_TEXT},
    {"arrays",
     "(name TEXT PRIMARY KEY, kind INTEGER NOT NULL, type INTEGER NOT NULL, row_count INTEGER NOT NULL, "
     "column_count INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT"},
    {"blocks",
     "(array TEXT NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY "
     "KEY (array, number)) STRICT"},
    {"classes",
     "(id INTEGER PRIMARY KEY, name TEXT NOT NULL, examples INTEGER NOT NULL, checksum INTEGER NOT NULL) "
     "STRICT"},
    {"history",
     "(number INTEGER PRIMARY KEY, time TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, "
     "new_classes TEXT NOT NULL, known_classes TEXT NOT NULL, examples INTEGER NOT NULL, seconds REAL NOT "
     "NULL, checksum INTEGER NOT NULL) STRICT"},
    {"familiarity",
     "(name TEXT PRIMARY KEY, since TEXT NOT NULL, examples INTEGER NOT NULL, row_count INTEGER NOT NULL, "
     "weight REAL NOT NULL, sum REAL NOT NULL, checksum INTEGER NOT NULL) STRICT",
     true},
}};
#undef FEARNET_TEXT

// Arrays are stored in blocks of this many bytes; the last one may be shorter. Only changed blocks are
// written. A block fills eight pages of 8,192 bytes.
inline constexpr std::size_t kBlockBytes = 65536;

}  // namespace fearnet
