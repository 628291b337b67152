#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "data/io/files.hpp"
#include "lab/results/column_csv.hpp"
#include "lab/results/json_parts.hpp"

namespace fearnet::lab {
namespace {

namespace fs = std::filesystem;
using Json = JsonObject::Json;

constexpr std::string_view kCsv = ".csv", kSessions = "_sessions.csv", kJson = ".json";

// Which run of the experiment.
using Key = std::tuple<std::string, std::string, std::uint64_t>;
Key key_of(const ResultRun& run) {
    return {run.row, run.record.dataset, run.record.seed};
}
Key key_of(const ResultSession& session) {
    return {session.row, session.dataset, session.seed};
}
std::string told(const Key& key) {
    return fmt::format("row '{}', data set '{}', seed {}", std::get<0>(key), std::get<1>(key),
                       std::get<2>(key));
}

Json run_json(const ResultRun& run) {
    Json json{{"row", run.row},
              {"dataset", run.record.dataset},
              {"seed", run.record.seed},
              {"id", run.id},
              {"learner", run.record.learner},
              {"preset", run.record.preset},
              {"seconds", run.record.seconds}};
    // Whole bytes have no decimals.
    json["memory_bytes"] = static_cast<std::uint64_t>(number_of(run.record, "memory_bytes").value_or(0));
    json["memory_bytes_1000"] = number_or_null(number_of(run.record, "memory_bytes_1000"));
    json["options"] = run.record.options;
    if (run.record.open_world) json["reliability"] = reliability_json(run.record.open_world->reliability);
    if (!run.version.empty()) json["version"] = run.version;
    if (!run.date.empty()) json["date"] = run.date;
    return json;
}

std::string results_json(const ExperimentResults& results) {
    std::set<std::uint64_t> seeds;
    Json root{{"format", 1},
              {"name", results.name},
              {"title", results.title},
              {"source", results.source},
              {"context", context_json(results.context)}};
    for (const ResultRun& run : results.runs) seeds.insert(run.record.seed);
    root["seeds"] = seeds;
    root["planned_seeds"] = results.planned_seeds;
    for (const char* list : {"runs", "missing", "paper", "claims"}) root[list] = Json::array();
    for (const ResultRun& run : results.runs) root["runs"].push_back(run_json(run));
    for (const MissingRun& m : results.missing)
        root["missing"].push_back(
            {{"row", m.row}, {"dataset", m.dataset}, {"seed", m.seed}, {"reason", m.reason}});
    for (const PaperNumbers& p : results.paper) root["paper"].push_back(paper_json(p));
    for (const Claim& c : results.claims) root["claims"].push_back(claim_json(c));
    return json_text(root, 1);
}

std::uint64_t parse_seed(JsonObject& o) {
    const Json& seed = o.need("seed");
    if (!seed.is_number_unsigned()) o.fail("'seed' must be a whole number, 0 or more");
    return seed.get<std::uint64_t>();
}

template <class Value>
std::map<std::string, Value> parse_map(JsonObject& o, const char* key) {
    try {
        return o.need(key).get<std::map<std::string, Value>>();
    } catch (const Json::exception&) {
        o.fail(fmt::format("'{}' must be an object of {}", key,
                           std::is_same_v<Value, double> ? "numbers" : "texts"));
    }
}

// What NAME.json has of a run.
ResultRun parse_run(JsonObject o) {
    ResultRun run;
    run.row = o.text("row"), run.id = o.text("id");
    run.version = o.text_or("version", ""), run.date = o.text_or("date", "");
    run.record.dataset = o.text("dataset"), run.record.seed = parse_seed(o);
    run.record.seconds = parse_map<double>(o, "seconds");
    run.record.options = parse_map<std::string>(o, "options");
    if (const Json* bins = o.find("reliability")) try {
            run.record.open_world.emplace().reliability = parse_reliability(*bins);
        } catch (const Json::exception&) {
            o.fail("'reliability' must be a list of lists of three numbers");
        }
    return run;
}

MissingRun parse_missing(JsonObject o) {
    return {o.text("row"), o.text("dataset"), parse_seed(o), o.text_or("reason", ""), false};
}

std::string line_of(std::string_view text, std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return std::to_string(1 + std::count(text.begin(), end, '\n'));
}

Json parse_file(const std::string& text, const std::string& what) {
    try {
        return parse_json(text);
    } catch (const Json::parse_error& error) {
        throw Error(what + ", line " + line_of(text, error.byte) + ": not JSON; was the file cut off?");
    }
}

ExperimentResults parse_results_json(const std::string& text, const std::string& what) {
    const Json root = parse_file(text, what);
    JsonObject o(root, what);
    ExperimentResults results;
    results.name = o.text("name"), results.title = o.text("title"), results.source = o.text("source");
    JsonObject context(o.need("context"), what + ": context");
    results.context = {context.text("version"), context.text("date"), context.text("cpu"), 0,
                       context.text("command")};
    std::int64_t threads = 0;
    context.option<std::int64_t>("threads", threads, 0, 1'000'000);
    results.context.threads = static_cast<int>(threads);
    results.planned_seeds = o.seeds("planned_seeds");
    results.runs = o.each("runs", "run", parse_run);
    results.missing = o.each("missing", "missing", parse_missing);
    results.paper = o.each("paper", "paper", parse_paper);
    results.claims = o.each("claims", "claim", parse_claim);
    return results;
}

std::map<Key, ResultRun> parse_runs_csv(const std::string& text, const std::string& what,
                                        std::vector<Key>& order) {
    std::map<Key, ResultRun> runs;
    for_each_csv_line(run_columns(), text, what, [&](ResultRun& run, const io::CsvLines& lines) {
        const Key key = key_of(run);
        if (!runs.emplace(key, std::move(run)).second) lines.fail("a second line for " + told(key));
        order.push_back(key);
    });
    return runs;
}

std::map<Key, std::vector<SessionRecord>> parse_sessions_csv(const std::string& text,
                                                             const std::string& what) {
    std::map<Key, std::vector<SessionRecord>> sessions;
    std::set<std::pair<Key, std::size_t>> seen;
    for_each_csv_line(
        result_session_columns(), text, what, [&](ResultSession& line, const io::CsvLines& lines) {
            const Key key = key_of(line);
            if (!seen.emplace(key, line.record.session).second)
                lines.fail(fmt::format("a second line for session {} of {}", line.record.session, told(key)));
            sessions[key].push_back(std::move(line.record));
        });
    for (auto& [key, of_run] : sessions)
        std::stable_sort(of_run.begin(), of_run.end(), [](const SessionRecord& a, const SessionRecord& b) {
            return a.session < b.session;
        });
    return sessions;
}

// Throws Error unless each of `keys` is in the file `other` too.
template <class Keys, class Others>
void check_in(const Keys& keys, const Others& others, const std::string& file, const std::string& other,
              const char* what) {
    for (const auto& entry : keys)
        if (!others.contains(entry.first))
            throw Error(fmt::format("{}: no {} of {}, which {} has", other, what, told(entry.first),
                                    fs::path(file).filename().string()));
}

std::string read_text(const fs::path& directory, const std::string& name, std::string_view ending) {
    const fs::path path = directory / (name + std::string(ending));
    if (!fs::exists(path))
        throw Error(path.string() + ": missing, but another file of " + name +
                    " is there; let 'fearnet paper' write the files again");
    return std::string(io::as_text(io::read_file(path)));
}

}  // namespace

ResultFiles result_files(const ExperimentResults& results) {
    std::vector<ResultSession> sessions;
    for (const ResultRun& run : results.runs)
        for (const SessionRecord& s : run.record.sessions)
            sessions.push_back({run.experiment, run.row, run.record.dataset, "", "", run.record.seed, s});
    return {csv_of(run_columns(), results.runs), csv_of(result_session_columns(), std::move(sessions)),
            results_json(results)};
}

ExperimentResults parse_result_files(const ResultFiles& files, const std::string& what) {
    const std::string csv = what + std::string(kCsv), sessions_csv = what + std::string(kSessions),
                      json = what + std::string(kJson);
    ExperimentResults results = parse_results_json(files.json, json);
    std::vector<Key> order;
    std::map<Key, ResultRun> runs = parse_runs_csv(files.csv, csv, order);
    std::map<Key, std::vector<SessionRecord>> sessions = parse_sessions_csv(files.sessions, sessions_csv);
    std::map<Key, ResultRun> described;
    for (ResultRun& run : results.runs) described.emplace(key_of(run), std::move(run));
    check_in(runs, sessions, csv, sessions_csv, "session");
    check_in(sessions, runs, sessions_csv, csv, "line");
    check_in(runs, described, csv, json, "run");
    check_in(described, runs, json, csv, "line");
    results.runs.clear();
    for (const Key& key : order) {
        ResultRun& run = runs.at(key);
        ResultRun& more = described.at(key);
        run.id = more.id, run.version = more.version, run.date = more.date;
        run.record.seconds = std::move(more.record.seconds);
        run.record.options = std::move(more.record.options);
        if (run.record.open_world && more.record.open_world)
            run.record.open_world->reliability = std::move(more.record.open_world->reliability);
        run.record.sessions = std::move(sessions.at(key));
        run.record.finished = true;
        results.runs.push_back(std::move(run));
    }
    return results;
}

void write_results(const ExperimentResults& results, const fs::path& directory) {
    const ResultFiles files = result_files(results);
    for (const auto& [ending, text] :
         {std::pair{kCsv, &files.csv}, {kSessions, &files.sessions}, {kJson, &files.json}})
        io::write_file_atomically(directory / (results.name + std::string(ending)), io::as_bytes(*text));
}

ExperimentResults read_results(const fs::path& directory, const std::string& name) {
    ExperimentResults results =
        parse_result_files({read_text(directory, name, kCsv), read_text(directory, name, kSessions),
                            read_text(directory, name, kJson)},
                           (directory / name).string());
    if (results.name != name)
        throw Error(fmt::format("{}: its name is '{}', expected '{}'",
                                (directory / (name + std::string(kJson))).string(), results.name, name));
    return results;
}

std::vector<std::string> result_names(const fs::path& directory) {
    std::error_code error;
    std::set<std::string> found;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        for (const std::string_view ending : {kSessions, kCsv, kJson})
            if (name.ends_with(ending)) {
                found.insert(name.substr(0, name.size() - ending.size()));
                break;
            }
    }
    if (error) throw Error(directory.string() + ": cannot read this folder: " + error.message());
    if (found.empty())
        throw Error(
            directory.string() +
            ": no results in this folder; 'fearnet paper NAME --out DIR' writes NAME.csv and NAME.json");
    return {found.begin(), found.end()};
}

}  // namespace fearnet::lab
