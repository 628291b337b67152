// Schedule: the order of the jobs of a plan. It starts no processes: the caller asks for the next job, does
// it (do_job), and reports the outcome.
//
//     Schedule schedule(plan, directory);
//     while (const auto job = schedule.next()) {
//         do_job(schedule.jobs()[*job], directory);
//         schedule.finished(*job, "");
//     }
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/job.hpp"

namespace fearnet::lab {

// The jobs of a plan whose results are not yet in `directory`, in a fixed order. Each offline model is
// trained once, before the runs that need it. Planned runs with the same id are one job. Jobs are identified
// by their index in jobs(). Not thread-safe.
class Schedule {
  public:
    Schedule(const std::vector<PlannedRun>& plan, const std::filesystem::path& directory);

    const std::vector<Job>& jobs() const { return jobs_; }
    // Returns a job that can start now and marks it as started. None if all jobs were started or wait for an
    // offline model that is being trained: call again after finished().
    std::optional<std::size_t> next();
    // Reports the end of a job that next() returned. `problem` is "" if it succeeded, else the reason. Runs
    // that wait for a failed offline model fail, too.
    void finished(std::size_t job, const std::string& problem);
    // True when every job has succeeded or failed.
    bool done() const;

    // The share of the work that is done, 0..1, estimated from the sizes of the data sets. `fractions` are
    // those of the jobs being done, by job.
    double fraction(const std::map<std::size_t, double>& fractions) const;
    // The number of jobs of a kind.
    std::size_t count(Job::Kind kind) const;
    // The reasons of failed jobs, by id of the job.
    const std::map<std::string, std::string>& problems() const { return problems_; }

  private:
    enum class Status { waiting, begun, done, failed };
    double work(std::size_t job) const;

    std::vector<Job> jobs_;
    std::vector<Status> status_;
    std::map<std::string, std::size_t> offline_;  // id -> job, of the models still to be trained
    std::map<std::string, std::string> problems_;
};

}  // namespace fearnet::lab
