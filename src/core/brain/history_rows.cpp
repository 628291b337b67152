#include "core/brain/history_rows.hpp"

#include <bit>

#include "core/brain/checksum.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::int64_t kMaxNumber = std::int64_t{1} << 53;

}  // namespace

std::int64_t history_checksum(const HistoryEntry& entry) {
    Checksum sum;
    sum.add(std::string_view(kHistoryTable));
    sum.add(std::string_view(std::to_string(entry.number)));
    sum.add(std::string_view(entry.time));
    sum.add(std::string_view(entry.action));
    sum.add(std::string_view(entry.detail));
    sum.add(static_cast<std::uint64_t>(entry.examples));
    sum.add(std::bit_cast<std::uint64_t>(entry.seconds));
    return sum.value();
}

std::vector<HistoryEntry> read_history(const io::Database& database, const RowCheck& check) {
    std::vector<HistoryEntry> entries;
    io::Statement rows(database,
                       "SELECT number, time, action, detail, examples, seconds, checksum FROM history "
                       "ORDER BY number");
    while (rows.step()) {
        HistoryEntry entry{rows.integer(0),           std::string(rows.text(1)), std::string(rows.text(2)),
                           std::string(rows.text(3)), rows.integer(4),           rows.real(5)};
        const std::string number = std::to_string(entry.number);
        check.found(kHistoryTable, number, rows.integer(6), history_checksum(entry));
        if (entry.number < 1 || entry.number > kMaxNumber)
            check.damaged("history '" + number + "': no number");
        for (const std::string& text : {entry.time, entry.action, entry.detail})
            if (printable(text) != text) check.damaged("history '" + number + "': unsafe text: " + text);
        entries.push_back(std::move(entry));
    }
    return entries;
}

void write_history(const io::Database& database, const HistoryEntry& entry) {
    io::Statement(database, "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(1, entry.number)
        .bind(2, std::string_view(entry.time))
        .bind(3, std::string_view(entry.action))
        .bind(4, std::string_view(entry.detail))
        .bind(5, entry.examples)
        .bind(6, entry.seconds)
        .bind(7, history_checksum(entry))
        .run();
}

}  // namespace fearnet
