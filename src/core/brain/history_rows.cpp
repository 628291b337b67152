#include "core/brain/history_rows.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include "core/brain/checksum.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::int64_t kMaxNumber = std::int64_t{1} << 53;

// "0,7,12"
std::string ids_text(const std::vector<ClassId>& ids) {
    std::string text;
    for (const ClassId id : ids) text += (text.empty() ? "" : ",") + std::to_string(index_of(id));
    return text;
}

// Empty if the text is not such a list.
std::vector<ClassId> ids_of(std::string_view text) {
    std::vector<ClassId> ids;
    for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
        std::int32_t id = -1;
        at = std::from_chars(at, end, id).ptr;
        if (id < 0 || (at < end && *at != ',')) return {};
        ids.push_back(ClassId{id});
    }
    return ids;
}

}  // namespace

std::int64_t history_checksum(const HistoryEntry& entry) {
    Checksum sum;
    sum.add(std::string_view(kHistoryTable));
    sum.add(std::string_view(std::to_string(entry.number)));
    sum.add(std::string_view(entry.time));
    sum.add(std::string_view(entry.action));
    sum.add(std::string_view(entry.detail));
    sum.add(std::string_view(ids_text(entry.new_classes)));
    sum.add(std::string_view(ids_text(entry.known_classes)));
    sum.add(static_cast<std::uint64_t>(entry.examples));
    sum.add(std::bit_cast<std::uint64_t>(entry.seconds));
    return sum.value();
}

std::vector<HistoryEntry> read_history(const io::Database& database, const RowCheck& check) {
    std::vector<HistoryEntry> entries;
    io::Statement rows(database,
                       "SELECT number, time, action, detail, new_classes, known_classes, examples, seconds, "
                       "checksum FROM history "
                       "ORDER BY number");
    while (rows.step()) {
        HistoryEntry entry;
        entry.number = rows.integer(0);
        entry.time = rows.text(1);
        entry.action = rows.text(2);
        entry.detail = rows.text(3);
        entry.new_classes = ids_of(rows.text(4));
        entry.known_classes = ids_of(rows.text(5));
        entry.examples = rows.integer(6);
        entry.seconds = rows.real(7);
        const std::string number = std::to_string(entry.number);
        check.found(kHistoryTable, number, rows.integer(8), history_checksum(entry));
        if (rows.text(4) != ids_text(entry.new_classes) || rows.text(5) != ids_text(entry.known_classes))
            check.damaged("history '" + number + "': no list of classes");
        if (entry.number < 1 || entry.number > kMaxNumber)
            check.damaged("history '" + number + "': no number");
        for (const std::string& text : {entry.time, entry.action, entry.detail})
            if (printable(text) != text) check.damaged("history '" + number + "': unsafe text: " + text);
        entries.push_back(std::move(entry));
    }
    return entries;
}

void write_history(const io::Database& database, const HistoryEntry& entry) {
    io::Statement(database, "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, entry.number)
        .bind(2, std::string_view(entry.time))
        .bind(3, std::string_view(entry.action))
        .bind(4, std::string_view(entry.detail))
        .bind(5, std::string_view(ids_text(entry.new_classes)))
        .bind(6, std::string_view(ids_text(entry.known_classes)))
        .bind(7, entry.examples)
        .bind(8, entry.seconds)
        .bind(9, history_checksum(entry))
        .run();
}

void describe_history(const std::vector<NamedClass>& classes, std::vector<HistoryEntry>& entries) {
    constexpr std::size_t kShown = 8;
    std::map<ClassId, std::string> names;
    for (const NamedClass& c : classes) names.emplace(c.id, c.name);
    const auto listed = [&](const std::vector<ClassId>& ids) {
        std::string text;
        for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i) {
            const auto name = names.find(ids[i]);
            text += (i > 0 ? ", " : "") + (name == names.end() ? "(a forgotten class)" : name->second);
        }
        return ids.size() > kShown ? text + " and " + std::to_string(ids.size() - kShown) + " more" : text;
    };
    for (HistoryEntry& entry : entries) {
        if (entry.action == "learn") {
            entry.detail = listed(entry.new_classes);
            if (!entry.known_classes.empty())
                entry.detail +=
                    (entry.detail.empty() ? "again: " : "; again: ") + listed(entry.known_classes);
        } else if (entry.detail.empty() && (entry.action == "rename" || entry.action == "merge")) {
            entry.detail = "(a forgotten class)";
        }
    }
}

}  // namespace fearnet
