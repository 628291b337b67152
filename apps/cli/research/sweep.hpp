// Runs the jobs of a schedule, several at once.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/schedule.hpp"
#include "research/child_process.hpp"
#include "research/lab.hpp"

namespace fearnet::cli {

// Runs one job at a time, in a process of this machine or of another.
class Slot {
  public:
    virtual ~Slot() = default;
    virtual void start(const Job& job) = 0;
    struct Outcome {
        std::string problem;  // empty: done
    };
    // None while the job is running. Does not wait.
    virtual std::optional<Outcome> poll() = 0;
    // Progress of the running job, in 0..1.
    virtual double fraction() const = 0;
    // Cancels the job, which leaves no files.
    virtual void stop() = 0;
};

// Runs every job in a child process, so that a crash ends only that job.
class ProcessSlot final : public Slot {
  public:
    explicit ProcessSlot(std::filesystem::path directory) : directory_(std::move(directory)) {}
    void start(const Job& job) override;
    std::optional<Outcome> poll() override;
    double fraction() const override;
    void stop() override { child_.reset(); }

  private:
    std::filesystem::path directory_;
    std::unique_ptr<ChildProcess> child_;
};

struct SweepEvents {
    std::function<void(const Job&)> began;
    std::function<void(const Job&, const std::string& problem, double seconds)> finished;
    std::function<void(double fraction, const std::string& what)> progress;
    std::function<bool()> interrupted;
};

// Runs all jobs. Returns false, with every slot stopped, if it was interrupted.
bool run_sweep(Schedule& schedule, std::vector<std::unique_ptr<Slot>>& slots, const SweepEvents& events);

// Runs one job in the child process of a slot (`fearnet paper-job`). Progress goes to stdout.
int do_job_here(const std::string& job, const std::string& directory, long parent);

}  // namespace fearnet::cli
