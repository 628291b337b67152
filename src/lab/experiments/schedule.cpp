#include "fearnet/lab/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace fearnet::lab {
namespace {

// Runs of the first seed come before those of the second, so that a table fills evenly.
std::vector<const PlannedRun*> in_order(const std::vector<PlannedRun>& plan) {
    std::vector<std::string> datasets;
    std::vector<std::uint64_t> seeds;
    const auto place = [](auto& list, const auto& value) {
        const auto it = std::find(list.begin(), list.end(), value);
        if (it != list.end()) return it - list.begin();
        list.push_back(value);
        return static_cast<std::ptrdiff_t>(list.size()) - 1;
    };
    for (const PlannedRun& p : plan) place(datasets, p.run.dataset), place(seeds, p.run.seed);
    std::vector<const PlannedRun*> order;
    for (const PlannedRun& p : plan) order.push_back(&p);
    std::stable_sort(order.begin(), order.end(), [&](const PlannedRun* a, const PlannedRun* b) {
        const auto key = [&](const PlannedRun* p) {
            return std::pair(place(datasets, p->run.dataset), place(seeds, p->run.seed));
        };
        return key(a) < key(b);
    });
    return order;
}

}  // namespace

Schedule::Schedule(const std::vector<PlannedRun>& plan, const std::filesystem::path& directory) {
    std::set<std::string> known;
    for (const PlannedRun* p : in_order(plan)) {
        if (p->id.empty() || p->skipped || !known.insert(p->id).second) continue;
        if (finished_run(directory, p->id)) continue;
        if (offline_.count(p->offline) == 0 && !offline_done(directory, p->offline)) {
            offline_[p->offline] = jobs_.size();
            jobs_.push_back({Job::Kind::offline, p->run, p->offline, p->offline, p->label});
        }
        jobs_.push_back({Job::Kind::run, p->run, p->id, p->offline, p->label});
    }
    status_.assign(jobs_.size(), Status::waiting);
}

std::optional<std::size_t> Schedule::next() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (status_[i] != Status::waiting) continue;
        const auto offline = offline_.find(jobs_[i].offline);
        const bool ready = jobs_[i].kind == Job::Kind::offline || offline == offline_.end() ||
                           status_[offline->second] == Status::done;
        if (!ready) continue;
        status_[i] = Status::begun;
        return i;
    }
    return std::nullopt;
}

void Schedule::finished(std::size_t job, const std::string& problem) {
    assert(status_[job] == Status::begun);
    status_[job] = problem.empty() ? Status::done : Status::failed;
    if (problem.empty()) return;
    problems_[jobs_[job].id] = problem;
    if (jobs_[job].kind == Job::Kind::run) return;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
        if (status_[i] == Status::waiting && jobs_[i].offline == jobs_[job].id) {
            status_[i] = Status::failed;
            problems_[jobs_[i].id] = "its offline MLP failed: " + problem;
        }
}

bool Schedule::done() const {
    return std::all_of(status_.begin(), status_.end(),
                       [](Status s) { return s == Status::done || s == Status::failed; });
}

std::size_t Schedule::count(Job::Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [kind](const Job& job) { return job.kind == kind; }));
}

double Schedule::work(std::size_t job) const {
    double numbers = 0;
    for (const DataInfo& part : jobs_[job].run.parts) numbers += static_cast<double>(part.numbers);
    return jobs_[job].kind == Job::Kind::offline ? 0.4 * numbers : numbers;
}

double Schedule::fraction(const std::map<std::size_t, double>& fractions) const {
    double all = 0, done = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        all += work(i);
        if (status_[i] == Status::done || status_[i] == Status::failed) done += work(i);
        if (const auto it = fractions.find(i); it != fractions.end()) done += it->second * work(i);
    }
    return all > 0 ? done / all : 1;
}

}  // namespace fearnet::lab
