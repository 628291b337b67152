#include "fearnet/lab/job.hpp"

#include <algorithm>

#include "data/io/files.hpp"
#include "data/io/npz.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/results.hpp"
#include "fearnet/output_file.hpp"
#include "fearnet/registry.hpp"
#include "lab/protocol/protocol_json.hpp"
#include "lab/results/json_object.hpp"

namespace fearnet::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path offline_path(const fs::path& directory, const std::string& id) {
    return directory / "offline" / (id + ".npz");
}
fs::path run_path(const fs::path& directory, const std::string& id) {
    return directory / "runs" / (id + ".json");
}

void make_folder_of(const fs::path& file) {
    const fs::path folder = file.parent_path();
    make_folder_inside(folder.parent_path(), folder.filename());
}

FeatureSet load_part(const DataInfo& part) {
    FeatureSet set = load_feature_set(part.source);
    if (fingerprint(set) != part.fingerprint)
        throw Error(part.source + ": the data changed since the experiment was planned; start it again");
    set.name = part.name;
    return set;
}

FeatureSet load(const RunDefinition& run) {
    FeatureSet set = load_part(run.parts.at(0));
    for (std::size_t i = 1; i < run.parts.size(); ++i) set = join_feature_sets(set, load_part(run.parts[i]));
    return set;
}

RunOptions options_of(const RunDefinition& run) {
    RunOptions options;
    options.learner = run.learner;
    options.protocol = run.protocol;
    options.base_groups = base_groups(run);
    options.seed = run.seed;
    return options;
}

// The file holds the scores in the order of the test rows of the data set.
void write_scores(const fs::path& path, const ClassScores& scores) {
    std::vector<std::int64_t> classes;
    for (const ClassId c : scores.classes) classes.push_back(index_of(c));
    io::NpzWriter npz;
    npz.add("classes", std::span<const std::int64_t>(classes));
    npz.add("scores", scores.scores.view());
    make_folder_of(path);
    io::write_file_atomically(path, npz.finish());
}

ClassScores read_scores(const fs::path& path, std::size_t rows) {
    const io::NpzFile npz(path);
    ClassScores result;
    for (const std::int64_t c : io::to_integers(npz.array("classes")))
        result.classes.push_back(ClassId{static_cast<std::int32_t>(c)});
    result.scores = io::to_matrix(npz.array("scores"));
    if (result.scores.rows() != rows || result.scores.cols() != result.classes.size())
        throw Error(path.string() + ": its scores do not fit the data; remove the file");
    return result;
}

// Rows in the order of a run, in which classes are taught.
ClassScores in_stream_order(const ClassScores& scores, const FeatureSet& set, const RunOptions& options) {
    const ClassIncrementalStream stream(set,
                                        {options.protocol.base_classes, options.seed, options.base_groups});
    std::vector<std::vector<std::size_t>> rows(set.classes());
    for (std::size_t i = 0; i < set.test.size(); ++i)
        rows[static_cast<std::size_t>(index_of(set.test.labels[i]))].push_back(i);
    ClassScores result{scores.classes, Matrix(set.test.size(), scores.scores.cols())};
    std::size_t to = 0;
    for (const ClassId c : stream.order())
        for (const std::size_t row : rows[static_cast<std::size_t>(index_of(c))])
            std::copy_n(scores.scores.row(row), scores.scores.cols(), result.scores.row(to++));
    return result;
}

bool do_offline(const Job& job, const fs::path& directory, const RunCallback& callback) {
    const FeatureSet set = load(job.run);
    LearnerSpec spec = job.run.learner;
    spec.seed = job.run.seed;
    const Progress progress = [&](const ProgressEvent& event) {
        const double total = static_cast<double>(std::max<std::size_t>(event.total, 1));
        return !callback ||
               callback({static_cast<double>(event.done) / total, "training the offline MLP", 0, nullptr});
    };
    try {
        write_scores(offline_path(directory, job.id),
                     default_run_hooks().offline_scores(spec, set.train, set.test.x, progress));
    } catch (const Cancelled&) {
        return false;
    }
    return true;
}

bool do_run(const Job& job, const fs::path& directory, const RunCallback& callback) {
    const FeatureSet set = load(job.run);
    RunOptions options = options_of(job.run);
    const Matrix far_data = job.run.far_data ? load_part(*job.run.far_data).test.x : Matrix{};
    options.far_data = far_data;
    RunHooks hooks = default_run_hooks();
    hooks.offline_cached = true;
    hooks.offline_scores = [&](const LearnerSpec&, const LabeledView&, MatrixView, const Progress&) {
        return in_stream_order(read_scores(offline_path(directory, job.offline), set.test.size()), set,
                               options);
    };
    const RunRecord record = run_protocol(set, options, callback, hooks);
    if (!record.finished) return false;
    const Json file{{"format", 1}, {"id", job.id}, {"record", parse_json(run_record_json(record))}};
    make_folder_of(run_path(directory, job.id));
    io::write_file_atomically(run_path(directory, job.id), io::as_bytes(file.dump(1) + "\n"));
    return true;
}

Json data_json(const DataInfo& data) {
    return {data.name, data.source, data.fingerprint, data.classes, data.numbers};
}
DataInfo parse_data(const Json& json) {
    return {json.at(0).get<std::string>(), json.at(1).get<std::string>(), json.at(2).get<std::string>(),
            json.at(3).get<std::size_t>(), json.at(4).get<std::size_t>()};
}

}  // namespace

std::string Job::name() const {
    return run.dataset + " " + (kind == Kind::offline ? "offline MLP" : label) + ", seed " +
           std::to_string(run.seed);
}

std::string job_text(const Job& job) {
    Json parts = Json::array(), settings = Json::array();
    for (const DataInfo& p : job.run.parts) parts.push_back(data_json(p));
    for (const auto& [name, value] : job.run.learner.settings) settings.push_back({name, value});
    Json json{{"kind", job.kind == Job::Kind::offline ? "offline" : "run"},
              {"id", job.id},
              {"offline", job.offline},
              {"dataset", job.run.dataset},
              {"parts", parts},
              {"base", job.run.base},
              {"learner", job.run.learner.learner},
              {"preset", job.run.learner.preset},
              {"settings", settings},
              {"seed", job.run.seed}};
    if (const auto& far = job.run.far_data) json["far_data"] = data_json(*far);
    put_protocol(json, job.run.protocol);
    return json.dump();
}

Job parse_job(const std::string& text) {
    try {
        const Json json = parse_json(text);
        Job job;
        job.kind = json.at("kind") == "offline" ? Job::Kind::offline : Job::Kind::run;
        job.id = json.at("id").get<std::string>();
        job.offline = json.at("offline").get<std::string>();
        job.run.dataset = json.at("dataset").get<std::string>();
        for (const Json& p : json.at("parts")) job.run.parts.push_back(parse_data(p));
        if (json.contains("far_data")) job.run.far_data = parse_data(json.at("far_data"));
        job.run.base = json.at("base").get<std::string>();
        job.run.learner.learner = json.at("learner").get<std::string>();
        job.run.learner.preset = json.at("preset").get<std::string>();
        for (const Json& s : json.at("settings"))
            job.run.learner.settings.emplace_back(s.at(0).get<std::string>(), s.at(1).get<std::string>());
        job.run.seed = json.at("seed").get<std::uint64_t>();
        job.run.protocol = get_protocol(json);
        return job;
    } catch (const nlohmann::json::exception& error) {
        throw Error(std::string("not a job: ") + error.what());
    }
}

bool do_job(const Job& job, const fs::path& directory, const RunCallback& callback) {
    return job.kind == Job::Kind::offline ? do_offline(job, directory, callback)
                                          : do_run(job, directory, callback);
}

bool offline_done(const fs::path& directory, const std::string& id) {
    std::error_code error;
    return fs::is_regular_file(offline_path(directory, id), error);
}

std::optional<RunRecord> finished_run(const fs::path& directory, const std::string& id) {
    const fs::path path = run_path(directory, id);
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    try {
        const Json file = parse_json(std::string(io::as_text(io::read_file(path))));
        if (file.at("format") != 1 || file.at("id") != id) return std::nullopt;
        return parse_run_record(file.at("record").dump(), path.string());
    } catch (const Error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void remove_unfinished(const fs::path& directory) {
    std::error_code error;
    for (const char* folder : {"runs", "offline"})
        for (const fs::directory_entry& entry : fs::directory_iterator(directory / folder, error)) {
            std::error_code ignored;
            const std::string name = entry.path().filename().string();
            if (name.find(".json.tmp") != std::string::npos || name.find(".npz.tmp") != std::string::npos)
                fs::remove(entry.path(), ignored);
        }
}

}  // namespace fearnet::lab
