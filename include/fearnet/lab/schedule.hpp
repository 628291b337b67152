// Which job comes next. Knows no processes: whoever does the jobs asks for the next one and says how it went.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/job.hpp"

namespace fearnet::lab {

// The jobs of a plan that are still to be done in `directory`. Every offline model is trained once, before
// the first run that needs it; runs of one id are done once however many rows want them. Same plan, same
// order. Not thread-safe.
class Schedule {
  public:
    Schedule(const std::vector<PlannedRun>& plan, const std::filesystem::path& directory);

    const std::vector<Job>& jobs() const { return jobs_; }
    // A job that can begin now, marked as begun; none when all have begun or wait for one under way.
    std::optional<std::size_t> next();
    // `problem` is empty when it is done. The runs that wait for a failed offline model fail with it.
    void finished(std::size_t job, const std::string& problem);
    bool done() const;

    // Share of the work that is done, guessed from the sizes; `fractions` are those of the jobs under way.
    double fraction(const std::map<std::size_t, double>& fractions) const;
    std::size_t count(Job::Kind kind) const;
    // Why jobs failed, by id of the job.
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
