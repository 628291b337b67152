#include "fearnet/lab/experiment.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "fearnet/error.hpp"
#include "lab/experiments/embedded.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

// One object of the file: takes its fields one by one and refuses those nobody asked for.
class Object {
  public:
    Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is_object()) fail("must be an object { ... }");
    }
    [[noreturn]] void fail(const std::string& message) const { throw Error(where_ + ": " + message); }

    const Json* find(const char* key) {
        taken_.insert(key);
        const auto it = json_.find(key);
        return it == json_.end() ? nullptr : &*it;
    }
    const Json& need(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) fail(std::string("'") + key + "' is missing");
        return *value;
    }
    std::string text(const char* key) { return text_of(need(key), key); }
    std::string text_or(const char* key, const std::string& otherwise) {
        const Json* value = find(key);
        return value == nullptr ? otherwise : text_of(*value, key);
    }
    std::int64_t integer_or(const char* key, std::int64_t otherwise, std::int64_t low) {
        const Json* value = find(key);
        if (value == nullptr) return otherwise;
        if (!value->is_number_integer() || value->get<std::int64_t>() < low)
            fail(std::string("'") + key + "' must be a whole number, " + std::to_string(low) + " or more");
        return value->get<std::int64_t>();
    }
    double share_or_zero(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) return 0;
        if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() < 1))
            fail(std::string("'") + key + "' must be a number from 0 to less than 1");
        return value->get<double>();
    }
    double number_or_zero(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) return 0;
        if (!value->is_number() || !(value->get<double>() >= 0))
            fail(std::string("'") + key + "' must be a number of 0 or more");
        return value->get<double>();
    }
    bool flag(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) return false;
        if (!value->is_boolean()) fail(std::string("'") + key + "' must be true or false");
        return value->get<bool>();
    }
    std::vector<std::string> texts(const char* key) {
        std::vector<std::string> result;
        for (const Json& value : list(key)) result.push_back(text_of(value, key));
        refuse_doubles(result, key);
        return result;
    }
    std::vector<std::uint64_t> seeds() {
        std::vector<std::uint64_t> result;
        for (const Json& value : list("seeds")) {
            if (!value.is_number_unsigned()) fail("'seeds' must be whole numbers, 0 or more");
            result.push_back(value.get<std::uint64_t>());
        }
        refuse_doubles(result, "seeds");
        return result;
    }
    Settings settings(const Json& json, const char* key) const {
        if (!json.is_object()) fail(std::string("'") + key + "' must be an object { \"option\": value }");
        Settings result;
        for (const auto& [name, value] : json.items()) {
            if (value.is_structured() || value.is_null())
                fail("setting " + name + ": must be text, a number, true or false");
            result.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
        }
        return result;
    }
    // Empty when there is none.
    const Json& list(const char* key) {
        static const Json kEmpty = Json::array();
        const Json* value = find(key);
        if (value == nullptr) return kEmpty;
        if (!value->is_array()) fail(std::string("'") + key + "' must be a list [ ... ]");
        return *value;
    }
    const Json& json() const { return json_; }
    void ignore(const std::string& key) { taken_.insert(key); }
    void refuse_others() const {
        for (const auto& [key, value] : json_.items())
            if (taken_.count(key) == 0) fail("'" + key + "' is not a field of it");
    }

  private:
    std::string text_of(const Json& value, const char* key) const {
        if (!value.is_string()) fail(std::string("'") + key + "' must be text");
        return value.get<std::string>();
    }
    template <class T>
    void refuse_doubles(std::vector<T> values, const char* key) const {
        std::sort(values.begin(), values.end());
        if (std::adjacent_find(values.begin(), values.end()) != values.end())
            fail(std::string("'") + key + "' has something twice");
    }
    const Json& json_;
    std::string where_;
    std::set<std::string> taken_;
};

std::string numbered(const std::string& what, const char* list, std::size_t i) {
    return what + ": " + list + " " + std::to_string(i + 1);
}

ExperimentRow parse_row(Object o) {
    ExperimentRow row;
    row.row = o.text("row");
    row.learner = o.text("learner");
    if (const Json* settings = o.find("settings")) row.settings = o.settings(*settings, "settings");
    if (o.find("preset") != nullptr) row.preset = o.text("preset");
    row.base_classes = o.integer_or("base_classes", 0, 1);
    row.base = o.text_or("base", "");
    row.sleep_every = o.integer_or("sleep_every", 10, 0);
    row.evaluate_every = o.integer_or("evaluate_every", 1, 1);
    row.variant.returning = o.share_or_zero("returning");
    row.variant.return_next = o.flag("return_next");
    row.variant.withheld = o.share_or_zero("withheld");
    row.variant.rows_per_class = o.integer_or("rows_per_class", 0, 1);
    row.variant.shift = o.number_or_zero("shift");
    try {
        check_stream_variant(row.variant);
    } catch (const Error& error) {
        o.fail(error.what());
    }
    row.seeds = o.seeds();
    row.datasets = o.texts("datasets");
    if (row.row.empty()) o.fail("'row' must not be empty");
    o.refuse_others();
    return row;
}

QuickChanges parse_quick(Object o) {
    QuickChanges quick;
    quick.seeds = o.seeds();
    quick.evaluate_every = o.integer_or("evaluate_every", 0, 1);
    if (const Json* all = o.find("settings")) {
        const Object by_learner(*all, "quick settings");
        for (const auto& [learner, settings] : all->items())
            quick.settings[learner] = by_learner.settings(settings, learner.c_str());
    }
    o.refuse_others();
    return quick;
}

PaperNumbers parse_paper(Object o) {
    PaperNumbers paper{o.text("row"), o.text("dataset"), {}, o.text_or("note", "")};
    for (const auto& [key, value] : o.json().items()) {
        if (key == "row" || key == "dataset" || key == "note") continue;
        if (!value.is_number()) o.fail("'" + key + "' must be a number");
        paper.numbers[key] = value.get<double>();
    }
    return paper;
}

Claim parse_claim(Object o) {
    Claim claim;
    claim.id = o.text("id"), claim.text = o.text("text"), claim.kind = o.text("kind");
    claim.column = o.text("column");
    claim.datasets = o.texts("datasets");
    if (claim.kind == "trend") {
        claim.over = o.text("over"), claim.direction = o.text("direction");
        if (claim.direction != "up" && claim.direction != "down" && claim.direction != "flat")
            o.fail("direction '" + claim.direction + "': must be up, down or flat");
    } else if (claim.kind == "best") {
        claim.row = o.text("row");
    } else if (claim.kind == "greater") {
        claim.row = o.text("row");
        claim.than_row = o.text_or("than_row", ""), claim.than_column = o.text_or("than_column", "");
        if (claim.than_row.empty() && claim.than_column.empty())
            o.fail("'than_row' or 'than_column' is missing");
        claim.by = o.number_or_zero("by");
    } else if (claim.kind == "least") {
        claim.row = o.text("row");
        claim.by = o.number_or_zero("by");
    } else {
        o.fail("kind '" + claim.kind + "': must be trend, best, greater or least");
    }
    o.refuse_others();
    return claim;
}

void check_rows(const Experiment& e, const std::string& what) {
    if (e.rows.empty()) throw Error(what + ": it has no rows");
    std::set<std::pair<std::string, std::string>> met;
    for (const ExperimentRow& row : e.rows) {
        for (const std::string& dataset : row.datasets.empty() ? e.datasets : row.datasets) {
            if (std::find(e.datasets.begin(), e.datasets.end(), dataset) == e.datasets.end())
                throw Error(what + ": row '" + row.row + "': '" + dataset +
                            "' is not one of the experiment's data sets");
            if (!met.emplace(row.row, dataset).second)
                throw Error(what + ": row '" + row.row + "' is there twice for " + dataset);
            const std::size_t plus = dataset.find('+');
            const bool whole = row.base.empty() || row.base == "mixed" ||
                               row.base == dataset.substr(0, plus) ||
                               (plus != std::string::npos && row.base == dataset.substr(plus + 1));
            if (!whole || (plus == std::string::npos) != row.base.empty())
                throw Error(what + ": row '" + row.row + "': base '" + row.base + "' does not fit " +
                            dataset + "; a data set \"a+b\" needs \"a\", \"b\" or \"mixed\", any other none");
        }
    }
}

Experiment parse(const Json& json, const std::string& what) {
    Object o(json, what);
    Experiment e;
    e.name = o.text("name"), e.title = o.text("title"), e.source = o.text_or("source", "");
    const bool plain =
        e.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
    if (e.name.empty() || !plain)
        o.fail("name '" + e.name + "': must be lower-case letters, digits, - and _");
    e.datasets = o.texts("datasets");
    e.seeds = o.seeds();
    if (e.datasets.empty()) o.fail("'datasets' is missing or empty");
    if (e.seeds.empty()) o.fail("'seeds' is missing or empty");
    const Json& rows = o.list("rows");
    for (std::size_t i = 0; i < rows.size(); ++i)
        e.rows.push_back(parse_row({rows[i], numbered(what, "row", i)}));
    if (const Json* quick = o.find("quick")) e.quick = parse_quick({*quick, what + ": quick"});
    const Json& paper = o.list("paper");
    for (std::size_t i = 0; i < paper.size(); ++i)
        e.paper.push_back(parse_paper({paper[i], numbered(what, "paper", i)}));
    const Json& claims = o.list("claims");
    for (std::size_t i = 0; i < claims.size(); ++i)
        e.claims.push_back(parse_claim({claims[i], numbered(what, "claim", i)}));
    o.refuse_others();
    check_rows(e, what);
    return e;
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& what) {
    try {
        Experiment experiment = parse(Json::parse(text), what);
        experiment.json = text;
        return experiment;
    } catch (const nlohmann::json::exception& error) {
        throw Error(what + ": not JSON as expected (" + error.what() + ")");
    }
}

Experiment quick_version(Experiment e) {
    if (!e.quick.seeds.empty()) e.seeds = e.quick.seeds;
    for (ExperimentRow& row : e.rows) {
        if (!e.quick.seeds.empty()) row.seeds.clear();
        if (e.quick.evaluate_every > 0)
            row.evaluate_every = std::max(row.evaluate_every, e.quick.evaluate_every);
        const auto it = e.quick.settings.find(row.learner);
        if (it == e.quick.settings.end()) continue;
        for (const auto& [name, value] : it->second) {
            std::erase_if(row.settings, [&name = name](const auto& s) { return s.first == name; });
            row.settings.emplace_back(name, value);
        }
    }
    return e;
}

std::vector<std::string> paper_experiments() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_experiments()) names.push_back(file.name);
    return names;
}

Experiment paper_experiment(const std::string& name) {
    std::string known;
    for (const EmbeddedFile& file : embedded_experiments()) {
        if (name == file.name) return parse_experiment(file.text, "experiments/" + name + ".json");
        known += (known.empty() ? "" : ", ") + std::string(file.name);
    }
    throw Error("experiment '" + name + "': no such experiment; there are " + known);
}

}  // namespace fearnet::lab
