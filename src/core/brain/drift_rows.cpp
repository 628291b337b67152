#include "core/brain/drift_rows.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "core/brain/checksum.hpp"
#include "core/brain/schema.hpp"

namespace fearnet {
namespace {

constexpr const char* kSeenAs[] = {"taught", "predicted"};

// "7/taught"
std::string name_of(const FamiliarityRecord& r) {
    return std::to_string(index_of(r.id)) + "/" + kSeenAs[static_cast<int>(r.seen_as)];
}

bool parse_name(std::string_view name, FamiliarityRecord& r) {
    std::int32_t id = -1;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id < 0) return false;
    r.id = ClassId{id};
    for (const SeenAs seen : {SeenAs::taught, SeenAs::predicted}) {
        r.seen_as = seen;
        if (name_of(r) == name) return true;
    }
    return false;
}

std::int64_t checksum_of(const std::string& name, const FamiliarityRecord& r) {
    Checksum sum = checksum_of_row(kFamiliarityTable, name);
    sum.add(r.since);
    sum.add(static_cast<std::uint64_t>(r.examples));
    sum.add(static_cast<std::uint64_t>(r.rows));
    sum.add(std::bit_cast<std::uint64_t>(r.weight));
    sum.add(std::bit_cast<std::uint64_t>(r.sum));
    return sum.value();
}

// "2026-03-04T05:06:07Z"
bool is_time(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(),
                      [](char is, char form) { return form == '0' ? is >= '0' && is <= '9' : is == form; });
}

// What is wrong with the record; empty if nothing is.
std::string problem_of(const FamiliarityRecord& r, const BrainContent& content) {
    const auto at = std::lower_bound(content.classes.begin(), content.classes.end(), r.id,
                                     [](const NamedClass& c, ClassId id) { return c.id < id; });
    if (at == content.classes.end() || at->id != r.id) return "no such class";
    if (!is_time(r.since)) return "'" + r.since.substr(0, 40) + "' is no time";
    if (r.examples < 0 || r.examples > kMostCount || r.rows < 1 || r.rows > kMostCount) return "no count";
    if (!(r.weight > 0) || !(r.weight <= static_cast<double>(r.rows))) return "no weight of that many rows";
    if (!(r.sum >= 0) || !(r.sum <= r.weight)) return "no sum of p-values";
    return "";
}

}  // namespace

void add_familiarity_rows(const std::vector<FamiliarityRecord>& records, std::vector<ContentRow>& rows) {
    for (const FamiliarityRecord& r : records) {
        const std::string name = name_of(r);
        const std::int64_t checksum = checksum_of(name, r);
        rows.push_back({kFamiliarityTable, name, checksum, [=, &r](const io::Database& db) {
                            io::Statement(db,
                                          "INSERT OR REPLACE INTO familiarity VALUES (?, ?, ?, ?, ?, ?, ?)")
                                .bind(1, std::string_view(name))
                                .bind(2, std::string_view(r.since))
                                .bind(3, r.examples)
                                .bind(4, r.rows)
                                .bind(5, r.weight)
                                .bind(6, r.sum)
                                .bind(7, checksum)
                                .run();
                        }});
    }
}

void read_familiarity(const io::Database& database, const RowCheck& check, BrainContent& content) {
    if (!has_table(database, kFamiliarityTable)) return;
    io::Statement rows(database,
                       "SELECT name, since, examples, row_count, weight, sum, checksum FROM familiarity");
    while (rows.step()) {
        const std::string name(rows.text(0));
        FamiliarityRecord r;
        const bool named = parse_name(name, r);
        r.since = rows.text(1);
        r.examples = rows.integer(2), r.rows = rows.integer(3);
        r.weight = rows.real(4), r.sum = rows.real(5);
        check.found(kFamiliarityTable, name, rows.integer(6), checksum_of(name, r));
        const std::string problem = named ? problem_of(r, content) : "no record of a class";
        if (problem.empty())
            content.familiarity.push_back(std::move(r));
        else
            check.damaged(std::string(kFamiliarityTable) + " '" + name + "': " + problem);
    }
}

}  // namespace fearnet
