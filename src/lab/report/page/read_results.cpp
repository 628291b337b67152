#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "data/io/files.hpp"
#include "fearnet/error.hpp"
#include "lab/report/page/results.hpp"

namespace fearnet::lab::page {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kOrder[] = {"soa",    "oracle",     "sleep-frequency", "multimodal", "base-size",
                                  "memory", "covariance", "exemplars",       "routers",    "literal",
                                  "tuned"};
constexpr std::string_view kSessions = "_sessions";

// Anything as text: a string as it is, the rest as JSON.
std::string text_of(const Json& value) {
    if (value.is_null()) return "";
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_object()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text;
    for (const auto& [key, entry] : value.items())
        text += (text.empty() ? "" : ", ") + key + " " + text_of(entry);
    return text;
}

class Reader {
  public:
    Reader(const Json& root, const std::string& what) : root_(root), what_(what) {}

    std::string text(const Json& object, const char* key) const {
        return object.contains(key) ? text_of(object[key]) : "";
    }
    std::string name(const Json& object, const char* key, const char* where) const {
        if (!object.is_object() || !object.contains(key) || !object[key].is_string())
            throw Error(what_ + ": " + where + ": expected an object with the text '" + key + "'");
        return object[key].get<std::string>();
    }
    // The texts of an array; none when it is absent.
    std::vector<std::string> texts(const Json& object, const char* key) const {
        std::vector<std::string> result;
        if (object.contains(key) && object[key].is_array())
            for (const Json& entry : object[key]) result.push_back(text_of(entry));
        return result;
    }
    // The entries of an array; none when the key is absent.
    Json array(const char* key) const {
        if (!root_.contains(key)) return Json::array();
        if (!root_[key].is_array()) throw Error(what_ + ": '" + key + "': expected an array");
        return root_[key];
    }

  private:
    const Json& root_;
    const std::string& what_;
};

// Options as name and value; one level inside another gets a dot.
void flatten(const Json& value, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& out) {
    for (const auto& [key, entry] : value.items()) {
        const std::string name = prefix.empty() ? key : prefix + "." + key;
        if (entry.is_object())
            flatten(entry, name, out);
        else
            out.emplace_back(name, text_of(entry));
    }
}

PaperNumbers paper_numbers(const Json& entry, const Reader& reader) {
    PaperNumbers paper{reader.name(entry, "row", "paper"),
                       reader.name(entry, "dataset", "paper"),
                       {},
                       reader.text(entry, "note")};
    for (const auto& [key, value] : entry.items())
        if (value.is_number()) paper.numbers[key] = value.get<double>();
    return paper;
}

// "a, b" and "c" make "a, b, c"; what is there already stays there once.
void add_to_list(std::string& list, const std::string& word) {
    if (word.empty() || (", " + list + ", ").find(", " + word + ", ") != std::string::npos) return;
    list += (list.empty() ? "" : ", ") + word;
}

RowOptions row_options(const Json& entry, const Reader& reader) {
    RowOptions row{reader.name(entry, "row", "rows"),
                   reader.text(entry, "learner"),
                   reader.text(entry, "preset"),
                   "",
                   {}};
    for (const std::string& d : reader.texts(entry, "datasets")) add_to_list(row.datasets, d);
    if (entry.contains("options") && entry["options"].is_object()) flatten(entry["options"], "", row.options);
    return row;
}

Claim claim_of(const Json& entry, const Reader& reader) {
    Claim claim;
    claim.text = reader.name(entry, "text", "claims");
    for (const auto& [key, field] : {std::pair{"kind", &Claim::kind},
                                     {"column", &Claim::column},
                                     {"row", &Claim::row},
                                     {"than_row", &Claim::than_row},
                                     {"than_column", &Claim::than_column},
                                     {"over", &Claim::over},
                                     {"direction", &Claim::direction}})
        claim.*field = reader.text(entry, key);
    if (entry.contains("by") && entry["by"].is_number()) claim.by = entry["by"].get<double>();
    claim.datasets = reader.texts(entry, "datasets");
    if (const std::string only = reader.text(entry, "dataset"); !only.empty()) claim.datasets = {only};
    return claim;
}

// The rows as the runs have them, where the file lists runs instead of rows: one entry for all data sets on
// which the options of a row are the same, whatever preset they come from.
std::vector<RowOptions> rows_of_runs(const Json& runs, const Reader& reader) {
    std::vector<RowOptions> rows;
    std::set<std::pair<std::string, std::string>> seen;
    for (const Json& run : runs) {
        RowOptions row = row_options(run, reader);
        row.datasets = reader.text(run, "dataset");
        if (!seen.emplace(row.row, row.datasets).second) continue;
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const RowOptions& r) {
            return r.row == row.row && r.learner == row.learner && r.options == row.options;
        });
        if (same == rows.end()) {
            rows.push_back(std::move(row));
            continue;
        }
        add_to_list(same->datasets, row.datasets);
        add_to_list(same->preset, row.preset);
    }
    return rows;
}

// Every number in it, however deep.
double sum_of(const Json& value) {
    if (value.is_number()) return value.get<double>();
    double sum = 0;
    if (value.is_structured())
        for (const Json& entry : value) sum += sum_of(entry);
    return sum;
}

double all_seconds(const Json& root, const Json& runs) {
    double sum = root.contains("seconds") ? sum_of(root["seconds"]) : 0;
    for (const Json& run : runs)
        if (run.contains("seconds")) sum += sum_of(run["seconds"]);
    return sum;
}

// Where and with what it was measured: at the top level or in "context".
void read_circumstances(const Json& root, const Reader& reader, Experiment& e) {
    const Json context =
        root.contains("context") && root["context"].is_object() ? root["context"] : Json::object();
    const auto either = [&](const char* key) {
        return root.contains(key) ? reader.text(root, key) : reader.text(context, key);
    };
    e.machine = either("machine");
    if (e.machine.empty()) e.machine = either("cpu");
    e.version = either("version");
    e.commit = either("commit");
    e.date = either("date");
    // Runs of several commands, each with its own.
    std::map<std::string, std::string> versions;  // by the first date
    for (const Json& run : root.contains("runs") && root["runs"].is_array() ? root["runs"] : Json::array()) {
        const std::string version = reader.text(run, "version"), date = reader.text(run, "date");
        if (version.empty() || date.empty()) return;
        const auto known = std::find_if(versions.begin(), versions.end(),
                                        [&](const auto& v) { return v.second == version; });
        if (known != versions.end() && known->first <= date) continue;
        if (known != versions.end()) versions.erase(known);
        versions[date] = version;
    }
    if (versions.empty()) return;
    e.version.clear();
    for (const auto& [date, version] : versions) add_to_list(e.version, version);
    const std::string first = versions.begin()->first.substr(0, 10),
                      last = versions.rbegin()->first.substr(0, 10);
    e.date = first == last ? first : first + " to " + last;
}

// Seeds of the config that nobody asked for are missing too, for rows that have others.
void add_unasked_seeds(Experiment& e) {
    std::set<std::tuple<std::string, std::string, std::string>> known;
    std::vector<std::pair<std::string, std::string>> rows;
    for (const MissingRun& m : e.missing) known.emplace(m.row, m.dataset, m.seed);
    for (const Run& r : e.runs) {
        known.emplace(r.row, r.dataset, std::to_string(r.seed));
        if (std::find(rows.begin(), rows.end(), std::pair{r.row, r.dataset}) == rows.end())
            rows.emplace_back(r.row, r.dataset);
    }
    for (const auto& [row, dataset] : rows)
        for (const std::uint64_t seed : e.planned_seeds)
            if (known.emplace(row, dataset, std::to_string(seed)).second)
                e.missing.push_back({row, dataset, std::to_string(seed), "not asked for"});
}

std::string line_of(std::string_view text, std::size_t byte) {
    return std::to_string(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size())),
                       '\n'));
}

std::string read_text(const fs::path& path, const fs::path& beside) {
    if (!fs::exists(path))
        throw Error(path.string() + ": missing, but " + beside.filename().string() +
                    " is there; let 'fearnet paper' write the files again");
    return std::string(io::as_text(io::read_file(path)));
}

// Every run has sessions and every session a run.
void check_together(const Experiment& e, const fs::path& csv, const fs::path& sessions_csv) {
    using Key = std::tuple<std::string, std::string, std::uint64_t>;
    const auto told = [](const Key& k) {
        return "row '" + std::get<0>(k) + "', data set '" + std::get<1>(k) + "', seed " +
               std::to_string(std::get<2>(k));
    };
    std::set<Key> runs, sessions;
    for (const Run& r : e.runs) runs.emplace(r.row, r.dataset, r.seed);
    for (const Session& s : e.sessions) sessions.emplace(s.row, s.dataset, s.seed);
    for (const Key& key : runs)
        if (!sessions.contains(key))
            throw Error(sessions_csv.string() + ": no session of " + told(key) + ", which " +
                        csv.filename().string() + " has");
    for (const Key& key : sessions)
        if (!runs.contains(key))
            throw Error(csv.string() + ": no line for " + told(key) + ", which " +
                        sessions_csv.filename().string() + " has");
}

Experiment read_experiment(const fs::path& folder, const std::string& name) {
    const fs::path csv = folder / (name + ".csv"), json = folder / (name + ".json"),
                   sessions = folder / (name + std::string(kSessions) + ".csv");
    Experiment e = parse_context(read_text(json, csv), json.string());
    e.runs = parse_runs(read_text(csv, json), csv.string());
    e.sessions = parse_sessions(read_text(sessions, csv), sessions.string());
    if (e.name != name)
        throw Error(json.string() + ": the name in it is '" + e.name + "', expected '" + name + "'");
    check_together(e, csv, sessions);
    add_unasked_seeds(e);
    return e;
}

std::vector<std::string> experiment_names(const fs::path& folder) {
    std::error_code error;
    std::set<std::string> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string extension = it->path().extension().string();
        std::string stem = it->path().stem().string();
        if (extension != ".csv" && extension != ".json") continue;
        if (extension == ".csv" && stem.ends_with(kSessions)) stem.resize(stem.size() - kSessions.size());
        found.insert(stem);
    }
    if (error) throw Error(folder.string() + ": cannot read this folder: " + error.message());
    if (found.empty())
        throw Error(
            folder.string() +
            ": no results in this folder; 'fearnet paper NAME --out DIR' writes NAME.csv and NAME.json");
    std::vector<std::string> names;
    for (const char* name : kOrder)
        if (found.erase(name)) names.emplace_back(name);
    names.insert(names.end(), found.begin(), found.end());
    return names;
}

}  // namespace

Experiment parse_context(std::string_view text, const std::string& what) {
    Json root;
    try {
        root = Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw Error(what + ", line " + line_of(text, error.byte) + ": not JSON; was the file cut off?");
    }
    const Reader reader(root, what);
    Experiment e;
    e.name = reader.name(root, "name", "top level");
    e.title = root.contains("title") ? text_of(root["title"]) : e.name;
    e.source = reader.text(root, "source");
    for (const Json& d : reader.array("datasets")) e.datasets.push_back(text_of(d));
    for (const Json& r : reader.array("rows")) e.rows.push_back(row_options(r, reader));
    for (const Json& p : reader.array("paper")) e.paper.push_back(paper_numbers(p, reader));
    for (const Json& c : reader.array("claims")) e.claims.push_back(claim_of(c, reader));
    for (const Json& m : reader.array("missing"))
        e.missing.push_back({reader.name(m, "row", "missing"), reader.text(m, "dataset"),
                             reader.text(m, "seed"), reader.text(m, "reason")});
    for (const Json& s : reader.array("planned_seeds"))
        if (s.is_number_unsigned()) e.planned_seeds.push_back(s.get<std::uint64_t>());
    const Json runs = reader.array("runs");
    if (e.rows.empty()) e.rows = rows_of_runs(runs, reader);
    e.seconds = all_seconds(root, runs);
    read_circumstances(root, reader, e);
    return e;
}

std::vector<Experiment> read_results(const fs::path& folder) {
    std::vector<Experiment> experiments;
    for (const std::string& name : experiment_names(folder))
        experiments.push_back(read_experiment(folder, name));
    return experiments;
}

}  // namespace fearnet::lab::page
