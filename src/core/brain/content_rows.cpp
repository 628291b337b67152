#include "core/brain/content_rows.hpp"

#include <charconv>
#include <limits>

#include "core/brain/checksum.hpp"
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

io::ByteView bytes_of(const Matrix& m) {
    return {reinterpret_cast<const std::uint8_t*>(m.data()), m.bytes()};
}
io::ByteView bytes_of(const std::vector<std::int64_t>& numbers) {
    return {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(std::int64_t)};
}

// The table and the name are part of it: a row in the wrong place is damaged too.
Checksum start(std::string_view table, std::string_view name) {
    Checksum sum;
    sum.add(table);
    sum.add(name);
    return sum;
}
std::int64_t text_checksum(std::string_view table, std::string_view name, std::string_view value) {
    Checksum sum = start(table, name);
    sum.add(value);
    return sum.value();
}
std::int64_t array_checksum(std::string_view table, std::string_view name, std::size_t rows,
                            std::size_t columns, io::ByteView data) {
    Checksum sum = start(table, name);
    sum.add(rows);
    sum.add(columns);
    sum.add(data);
    return sum.value();
}
std::int64_t number_checksum(std::string_view name, io::ByteView data) {
    Checksum sum = start("numbers", name);
    sum.add(data);
    return sum.value();
}
std::int64_t class_checksum(const NamedClass& c) {
    Checksum sum = start("classes", std::to_string(index_of(c.id)));
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

ContentRow array_row(const std::string& name, const Matrix& value) {
    const std::string table(table_of_array(name));
    const std::int64_t checksum = array_checksum(table, name, value.rows(), value.cols(), bytes_of(value));
    return {table, name, checksum, [=, &value](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO " + table + " VALUES (?, ?, ?, ?, ?)")
                    .bind(1, std::string_view(name))
                    .bind(2, static_cast<std::int64_t>(value.rows()))
                    .bind(3, static_cast<std::int64_t>(value.cols()))
                    .bind(4, bytes_of(value))
                    .bind(5, checksum)
                    .run();
            }};
}

ContentRow number_row(const std::string& name, const std::vector<std::int64_t>& value) {
    const std::int64_t checksum = number_checksum(name, bytes_of(value));
    return {"numbers", name, checksum, [=, &value](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO numbers VALUES (?, ?, ?)")
                    .bind(1, std::string_view(name))
                    .bind(2, bytes_of(value))
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
    void arrays(const std::string& table, State& state) {
        io::Statement rows(database_, "SELECT name, row_count, column_count, data, checksum FROM " + table);
        while (rows.step()) {
            const std::string name(rows.text(0));
            const std::int64_t n = rows.integer(1), columns = rows.integer(2);
            const io::ByteView data = rows.bytes(3);
            const auto most = static_cast<std::int64_t>(data.size() / sizeof(float));
            // A matrix of no rows or no columns has no bytes and any other side; the checksum vouches for
            // that.
            const bool fits =
                n >= 0 && columns >= 0 &&
                (n == 0 || columns == 0 ? data.empty()
                                        : columns <= most && n == most / columns && n * columns == most &&
                                              data.size() % sizeof(float) == 0);
            if (!fits || n > kMostSide || columns > kMostSide) {
                check_.damaged(table + " '" + name + "': " + std::to_string(n) + " x " +
                               std::to_string(columns) + " numbers in " + std::to_string(data.size()) +
                               " bytes");
                continue;
            }
            const auto r = static_cast<std::size_t>(n), c = static_cast<std::size_t>(columns);
            check_.found(table, name, rows.integer(4), array_checksum(table, name, r, c, data));
            if (table_of_array(name) != table)
                check_.damaged(table + " '" + name + "': does not belong there");
            Matrix value;
            value.resize(r, c);
            if (!data.empty()) std::memcpy(value.data(), data.data(), data.size());
            state.set(name, std::move(value));
        }
    }
    void numbers(State& state) {
        io::Statement rows(database_, "SELECT name, data, checksum FROM numbers");
        while (rows.step()) {
            const std::string name(rows.text(0));
            const io::ByteView data = rows.bytes(1);
            check_.found("numbers", name, rows.integer(2), number_checksum(name, data));
            if (data.size() % sizeof(std::int64_t) != 0)
                check_.damaged("numbers '" + name + "': " + std::to_string(data.size()) +
                               " bytes are no whole numbers");
            std::vector<std::int64_t> value(data.size() / sizeof(std::int64_t));
            if (!value.empty()) std::memcpy(value.data(), data.data(), value.size() * sizeof(std::int64_t));
            state.set(name, std::move(value));
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
    static constexpr std::int64_t kMostSide = std::int64_t{1} << 40;
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

}  // namespace

std::vector<ContentRow> content_rows(const BrainContent& content) {
    std::vector<ContentRow> rows;
    for (const auto& [name, value] : options_as_text(content.settings))
        rows.push_back(text_row("brain", name, value));
    for (const Counter& c : kCounters)
        rows.push_back(text_row("brain", c.name, std::to_string(content.*c.value)));
    const std::string prefix = kOptionPrefix;
    for (const auto& [key, value] : content.learner.strings)
        rows.push_back(key.starts_with(prefix) ? text_row("options", key.substr(prefix.size()), value)
                                               : text_row("texts", key, value));
    for (const auto& [key, value] : content.learner.integers) rows.push_back(number_row(key, value));
    for (const auto& [key, value] : content.learner.matrices) rows.push_back(array_row(key, value));
    for (const NamedClass& c : content.classes) rows.push_back(class_row(c));
    return rows;
}

void read_content(const io::Database& database, const RowCheck& check, BrainContent& content) {
    Reader reader(database, check);
    reader.texts("brain", [&](const std::string& name, const std::string& value) {
        try {
            if (name.find('.') != name.npos) apply_options(content.settings, {{name, value}});
            for (const Counter& c : kCounters)
                if (name == c.name) content.*c.value = whole(value);
        } catch (const Error& error) {
            check.damaged("brain '" + name + "': " + error.what());
        }
    });
    reader.texts("options", [&](const std::string& name, const std::string& value) {
        content.learner.set(kOptionPrefix + name, value);
    });
    reader.texts("texts", [&](const std::string& name, const std::string& value) {
        content.learner.set(name, value);
    });
    reader.numbers(content.learner);
    for (const char* table : {"networks", "statistics", "examples"}) reader.arrays(table, content.learner);
    reader.classes(content.classes);
}

}  // namespace fearnet
