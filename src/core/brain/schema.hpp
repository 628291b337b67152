// The tables of a brain file, and which array goes where.
#pragma once

#include <array>
#include <string_view>

namespace fearnet {

inline constexpr std::int64_t kApplicationId = 0x46724E74;  // "FrNt"
inline constexpr std::int64_t kVersion = 1;

struct Table {
    std::string_view name;
    std::string_view columns;
};

// Frozen: files of every released version stay readable. A later version adds tables and a step that makes
// them.
#define FEARNET_TEXT "(name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT"
#define FEARNET_ARRAY                                                                                   \
    "(name TEXT PRIMARY KEY, row_count INTEGER NOT NULL, column_count INTEGER NOT NULL, data BLOB NOT " \
    "NULL, "                                                                                            \
    "checksum INTEGER NOT NULL) STRICT"
inline constexpr std::array<Table, 9> kTables{{
    {"brain", FEARNET_TEXT},
    {"options", FEARNET_TEXT},
    {"texts", FEARNET_TEXT},
    {"numbers", "(name TEXT PRIMARY KEY, data BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT"},
    {"networks", FEARNET_ARRAY},
    {"statistics", FEARNET_ARRAY},
    {"examples", FEARNET_ARRAY},
    {"classes",
     "(id INTEGER PRIMARY KEY, name TEXT NOT NULL, examples INTEGER NOT NULL, checksum INTEGER NOT NULL) "
     "STRICT"},
    {"history",
     "(number INTEGER PRIMARY KEY, time TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, examples "
     "INTEGER "
     "NOT NULL, seconds REAL NOT NULL, checksum INTEGER NOT NULL) STRICT"},
}};
#undef FEARNET_TEXT
#undef FEARNET_ARRAY

// Rows as they were taught; means and covariances; everything that was trained.
inline std::string_view table_of_array(std::string_view key) {
    if (key.find("example") != key.npos || key.find("exemplars") != key.npos) return "examples";
    for (const std::string_view part : {".mean", ".factor", ".residual", "means", "scatter"})
        if (key.find(part) != key.npos) return "statistics";
    return "networks";
}

}  // namespace fearnet
