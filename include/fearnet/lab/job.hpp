// One piece of work of an experiment that a process can do on its own: train an offline model or do a run.
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
    std::string id;       // of the run; of the offline model when it is one
    std::string offline;  // the id of the offline model the run compares with
    std::string label;    // the row that wants it, for messages

    std::string name() const;  // "cub200 FearNet, seed 1"
};

// As text for another process, and back. parse_job throws Error.
std::string job_text(const Job& job);
Job parse_job(const std::string& text);

// Does the job and leaves DIR/runs/ID.json or DIR/offline/ID.npz, which appear whole or not at all. A run
// needs the file of its offline model. False when `callback` wanted to stop; nothing is left then. Throws
// Error.
bool do_job(const Job& job, const std::filesystem::path& directory, const RunCallback& callback = {});

bool offline_done(const std::filesystem::path& directory, const std::string& id);
// What do_job left; none when there is no such file or it is not whole.
std::optional<RunRecord> finished_run(const std::filesystem::path& directory, const std::string& id);

// Takes away what jobs left that were ended while writing. Nobody else may be working in `directory`.
void remove_unfinished(const std::filesystem::path& directory);

}  // namespace fearnet::lab
