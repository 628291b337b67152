#include "core/brain/content_rows.hpp"

#include <charconv>
#include <limits>

#include "core/brain/array_rows.hpp"
#include "core/brain/checksum.hpp"
#include "core/brain/drift_rows.hpp"
#include "core/brain/schema.hpp"

namespace fearnet {
namespace {

constexpr const char* kOptionPrefix = "option.";

struct Counter {
    const char* name;
    std::int64_t BrainContent::*value;
};
constexpr Counter kCounters[] = {{"next_class", &BrainContent::next_class},
                                 {"sessions_since_sleep", &BrainContent::sessions_since_sleep},
                                 {"examples_since_sleep", &BrainContent::examples_since_sleep}};

std::int64_t text_checksum(std::string_view table, std::string_view name, std::string_view value) {
    Checksum sum = checksum_of_row(table, name);
    sum.add(value);
    return sum.value();
}
std::int64_t class_checksum(const NamedClass& c) {
    Checksum sum = checksum_of_row("classes", std::to_string(index_of(c.id)));
    sum.add(c.name);
    sum.add(static_cast<std::uint64_t>(c.examples));
    return sum.value();
}

ContentRow text_row(const std::string& table, const std::string& name, const std::string& value) {
    const std::int64_t checksum = text_checksum(table, name, value);
    return {table, name, checksum, [=](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO " + table + " VALUES (?, ?, ?)")
                    .bind(1, std::string_view(name))
                    .bind(2, std::string_view(value))
                    .bind(3, checksum)
                    .run();
            }};
}

ContentRow class_row(const NamedClass& c) {
    const std::int64_t checksum = class_checksum(c);
    return {"classes", std::to_string(index_of(c.id)), checksum, [=, &c](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO classes VALUES (?, ?, ?, ?)")
                    .bind(1, std::int64_t{index_of(c.id)})
                    .bind(2, std::string_view(c.name))
                    .bind(3, c.examples)
                    .bind(4, checksum)
                    .run();
            }};
}

class Reader {
  public:
    Reader(const io::Database& database, const RowCheck& check) : database_(database), check_(check) {}

    template <class Use>
    void texts(const std::string& table, const Use& use) {
        io::Statement rows(database_, "SELECT name, value, checksum FROM " + table);
        while (rows.step()) {
            const std::string name(rows.text(0)), value(rows.text(1));
            check_.found(table, name, rows.integer(2), text_checksum(table, name, value));
            use(name, value);
        }
    }
    void classes(std::vector<NamedClass>& classes) {
        io::Statement rows(database_, "SELECT id, name, examples, checksum FROM classes ORDER BY id");
        while (rows.step()) {
            const std::int64_t id = rows.integer(0);
            if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) {
                check_.damaged("classes: " + std::to_string(id) + " is no class");
                continue;
            }
            NamedClass c{ClassId(id), std::string(rows.text(1)), rows.integer(2)};
            check_.found("classes", std::to_string(id), rows.integer(3), class_checksum(c));
            classes.push_back(std::move(c));
        }
    }

  private:
    const io::Database& database_;
    const RowCheck& check_;
};

std::int64_t whole(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        throw Error("'" + text.substr(0, 40) + "' is no count");
    return value;
}

constexpr const char* kFrontEnd = "front_end";
constexpr const char* kFrontEndFingerprint = "front_end_fingerprint";
constexpr const char* kFrontEndWidth = "front_end_width";

void add_front_end_rows(const FrontEnd& front_end, std::vector<ContentRow>& rows) {
    if (front_end.name.empty()) return;
    rows.push_back(text_row("brain", kFrontEnd, front_end.name));
    rows.push_back(text_row("brain", kFrontEndFingerprint, front_end.fingerprint));
    rows.push_back(text_row("brain", kFrontEndWidth, std::to_string(front_end.width)));
}

void read_front_end(const std::string& name, const std::string& value, FrontEnd& front_end) {
    if (name == kFrontEnd || name == kFrontEndFingerprint) {
        if (const std::string problem = name_problem(value); !problem.empty()) throw Error(problem);
        (name == kFrontEnd ? front_end.name : front_end.fingerprint) = value;
    }
    if (name == kFrontEndWidth) front_end.width = static_cast<std::size_t>(whole(value));
}

}  // namespace

std::vector<ContentRow> content_rows(const BrainContent& content) {
    std::vector<ContentRow> rows;
    for (const auto& [name, value] : options_as_text(content.settings))
        rows.push_back(text_row("brain", name, value));
    for (const Counter& c : kCounters)
        rows.push_back(text_row("brain", c.name, std::to_string(content.*c.value)));
    add_front_end_rows(content.front_end, rows);
    const std::string prefix = kOptionPrefix;
    for (const auto& [key, value] : content.learner.texts)
        rows.push_back(key.starts_with(prefix) ? text_row("options", key.substr(prefix.size()), value)
                                               : text_row("texts", key, value));
    for (const auto& [key, array] : content.learner.arrays) add_array_rows(key, array, rows);
    for (const NamedClass& c : content.classes) rows.push_back(class_row(c));
    add_familiarity_rows(content.familiarity, rows);
    return rows;
}

void read_content(const io::Database& database, const RowCheck& check, BrainContent& content) {
    Reader reader(database, check);
    reader.texts("brain", [&](const std::string& name, const std::string& value) {
        try {
            if (name.find('.') != name.npos) apply_options(content.settings, {{name, value}});
            for (const Counter& c : kCounters)
                if (name == c.name) content.*c.value = whole(value);
            read_front_end(name, value, content.front_end);
        } catch (const Error& error) {
            check.damaged("brain '" + name + "': " + error.what());
        }
    });
    const FrontEnd& front_end = content.front_end;
    if (front_end.name.empty() != (front_end.width == 0) ||
        front_end.name.empty() != front_end.fingerprint.empty())
        check.damaged("brain: the front end is incomplete");
    reader.texts("options", [&](const std::string& name, const std::string& value) {
        content.learner.set(kOptionPrefix + name, value);
    });
    reader.texts("texts", [&](const std::string& name, const std::string& value) {
        content.learner.set(name, value);
    });
    read_arrays(database, check, content.learner);
    reader.classes(content.classes);
    read_familiarity(database, check, content);
}

}  // namespace fearnet
