// Job: a part of an experiment that a process can do on its own. A job trains an offline model, the reference
// of the Omega scores, or does one run. Schedule (fearnet/lab/schedule.hpp) lists the jobs of a plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fearnet/lab/plan.hpp"

namespace fearnet::lab {

struct Job {
    enum class Kind { offline, run };
    Kind kind = Kind::run;
    RunDefinition run;
    std::string id;       // of the run or, for Kind::offline, of the offline model
    std::string offline;  // id of the offline model that the run is compared with
    std::string label;    // name of the experiment's row, for messages

    std::string name() const;  // for messages: "cub200 FearNet, seed 1"
};

// Serializes a job for another process, without `label`. parse_job throws Error if `text` is not a job.
std::string job_text(const Job& job);
Job parse_job(const std::string& text);

// Does a job and writes directory/runs/ID.json or directory/offline/ID.npz, atomically. A run needs the file
// of its offline model. Returns false, and writes nothing, if `callback` returned false. Throws Error if the
// data has changed since it was planned, or cannot be loaded, learned or written.
bool do_job(const Job& job, const std::filesystem::path& directory, const RunCallback& callback = {});

// Whether do_job has written the offline model `id`.
bool offline_done(const std::filesystem::path& directory, const std::string& id);
// The record of run `id` that do_job has written; none if there is no such file or it is damaged.
std::optional<RunRecord> finished_run(const std::filesystem::path& directory, const std::string& id);

// Deletes the temporary files of jobs that were killed while writing. No job may be running in `directory`.
void remove_unfinished(const std::filesystem::path& directory);

}  // namespace fearnet::lab
