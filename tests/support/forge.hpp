// A brain file that somebody changed with care: every checksum fits again.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "core/brain/brain_file.hpp"
#include "core/brain/checksum.hpp"
#include "core/brain/history_rows.hpp"
#include "core/brain/sqlite.hpp"

namespace fearnet::test {

inline std::int64_t checksum_of(const std::vector<std::string>& texts) {
    Checksum sum;
    for (const std::string& text : texts) sum.add(std::string_view(text));
    return sum.value();
}

inline void forge_texts(io::Database& database, const std::string& table) {
    std::map<std::string, std::int64_t> sums;
    {
        io::Statement rows(database, "SELECT name, value FROM " + table);
        while (rows.step()) {
            const std::string name(rows.text(0));
            sums[name] = checksum_of({table, name, std::string(rows.text(1))});
        }
    }
    for (const auto& [name, sum] : sums)
        io::Statement(database, "UPDATE " + table + " SET checksum = ? WHERE name = ?")
            .bind(1, sum)
            .bind(2, std::string_view(name))
            .run();
}

inline void forge_classes(io::Database& database) {
    std::map<std::int64_t, std::int64_t> sums;
    {
        io::Statement rows(database, "SELECT id, name, examples FROM classes");
        while (rows.step()) {
            Checksum sum;
            for (const std::string& text :
                 {std::string("classes"), std::to_string(rows.integer(0)), std::string(rows.text(1))})
                sum.add(std::string_view(text));
            sum.add(static_cast<std::uint64_t>(rows.integer(2)));
            sums[rows.integer(0)] = sum.value();
        }
    }
    for (const auto& [id, sum] : sums)
        io::Statement(database, "UPDATE classes SET checksum = ? WHERE id = ?")
            .bind(1, sum)
            .bind(2, id)
            .run();
}

inline void forge_history(io::Database& database) {
    const auto ignore = [](const auto&...) {};
    for (const HistoryEntry& entry : read_history(database, {ignore, ignore})) write_history(database, entry);
}

inline void forge_familiarity(io::Database& database) {
    if (!has_table(database, "familiarity")) return;
    std::map<std::string, std::int64_t> sums;
    {
        io::Statement rows(database, "SELECT name, since, examples, row_count, weight, sum FROM familiarity");
        while (rows.step()) {
            Checksum sum;
            sum.add(std::string_view("familiarity")), sum.add(rows.text(0)), sum.add(rows.text(1));
            sum.add(static_cast<std::uint64_t>(rows.integer(2)));
            sum.add(static_cast<std::uint64_t>(rows.integer(3)));
            sum.add(std::bit_cast<std::uint64_t>(rows.real(4)));
            sum.add(std::bit_cast<std::uint64_t>(rows.real(5)));
            sums[std::string(rows.text(0))] = sum.value();
        }
    }
    for (const auto& [name, sum] : sums)
        io::Statement(database, "UPDATE familiarity SET checksum = ? WHERE name = ?")
            .bind(1, sum)
            .bind(2, std::string_view(name))
            .run();
}

inline void forge_digest(io::Database& database) {
    std::map<std::pair<std::string, std::string>, std::int64_t> sums;
    for (const std::string table :
         {"brain", "options", "texts", "arrays", "blocks", "classes", "familiarity", "history"}) {
        if (!has_table(database, table.c_str())) continue;
        const std::string key = table == "classes"   ? "CAST(id AS TEXT)"
                                : table == "history" ? "CAST(number AS TEXT)"
                                : table == "blocks"  ? "array || '/' || CAST(number AS TEXT)"
                                                     : "name";
        io::Statement rows(database, "SELECT " + key + ", checksum FROM " + table);
        while (rows.step()) sums[{table, std::string(rows.text(0))}] = rows.integer(1);
    }
    sums.erase({"brain", "changes"}), sums.erase({"brain", "digest"});
    std::int64_t changes = 0;
    {
        io::Statement row(database, "SELECT CAST(value AS INTEGER) FROM brain WHERE name = 'changes'");
        if (row.step()) changes = row.integer(0);
    }
    Checksum digest;
    digest.add(static_cast<std::uint64_t>(changes));
    for (const auto& [key, sum] : sums) digest.add(static_cast<std::uint64_t>(sum));
    const std::string value = std::to_string(digest.value());
    io::Statement(database, "UPDATE brain SET value = ?, checksum = ? WHERE name = 'digest'")
        .bind(1, std::string_view(value))
        .bind(2, checksum_of({"brain", "digest", value}))
        .run();
}

// Runs `sql`, then makes all checksums fit what is there.
inline void forge(const std::filesystem::path& file, const std::string& sql) {
    io::Database database(file, io::DatabaseAccess::write, std::chrono::seconds(5));
    io::Transaction change(database, true);
    database.run(sql);
    for (const char* table : {"brain", "options", "texts"}) forge_texts(database, table);
    forge_classes(database);
    forge_history(database);
    forge_familiarity(database);
    forge_digest(database);
    change.commit();
}

}  // namespace fearnet::test
