#include "research/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "commands.hpp"
#include "fearnet/threads.hpp"

namespace fearnet::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPause = std::chrono::milliseconds(50);

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// A slot with the job it is doing.
struct Place {
    Slot* slot = nullptr;
    std::optional<std::size_t> job = std::nullopt;
    Clock::time_point start = {};
};

void start_jobs(Schedule& schedule, std::vector<Place>& places, const SweepEvents& events) {
    for (Place& place : places) {
        if (place.job) continue;
        place.job = schedule.next();
        if (!place.job) return;
        place.start = Clock::now();
        events.began(schedule.jobs()[*place.job]);
        place.slot->start(schedule.jobs()[*place.job]);
    }
}

// True when some job ended.
bool collect(Schedule& schedule, std::vector<Place>& places, const SweepEvents& events) {
    bool some = false;
    for (Place& place : places) {
        if (!place.job) continue;
        const std::optional<Slot::Outcome> outcome = place.slot->poll();
        if (!outcome) continue;
        schedule.finished(*place.job, outcome->problem);
        events.finished(schedule.jobs()[*place.job], outcome->problem, seconds_since(place.start));
        place.job.reset();
        some = true;
    }
    return some;
}

void show(const Schedule& schedule, const std::vector<Place>& places, const SweepEvents& events) {
    std::map<std::size_t, double> fractions;
    std::string what;
    for (const Place& place : places)
        if (place.job) {
            fractions[*place.job] = place.slot->fraction();
            what += (what.empty() ? "" : "; ") + schedule.jobs()[*place.job].name();
        }
    events.progress(schedule.fraction(fractions), what);
}

}  // namespace

void ProcessSlot::start(const Job& job) {
    child_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        "paper-job", job_text(job), directory_.string(), std::to_string(::getpid())});
}

std::optional<Slot::Outcome> ProcessSlot::poll() {
    if (child_->running()) return std::nullopt;
    return Outcome{child_->problem()};
}

double ProcessSlot::fraction() const {
    return child_ ? std::strtod(child_->last_line().c_str(), nullptr) : 0;
}

bool run_sweep(Schedule& schedule, std::vector<std::unique_ptr<Slot>>& slots, const SweepEvents& events) {
    std::vector<Place> places;
    for (const auto& slot : slots) places.push_back({slot.get()});
    while (!schedule.done()) {
        if (events.interrupted()) {
            for (const Place& place : places)
                if (place.job) place.slot->stop();
            return false;
        }
        start_jobs(schedule, places, events);
        show(schedule, places, events);
        if (!collect(schedule, places, events)) std::this_thread::sleep_for(kPause);
    }
    return true;
}

int do_job_here(const std::string& text, const std::string& directory, long parent) {
    die_with_parent(parent);
    set_threads(1);
    auto said = Clock::now();
    const bool done = do_job(parse_job(text), directory, [&](const RunProgress& p) {
        if (seconds_since(said) < 0.2) return true;
        said = Clock::now();
        fmt::print("{:.5f}\n", p.fraction);
        std::fflush(stdout);
        return true;
    });
    return done ? kDone : kUnexpected;
}

}  // namespace fearnet::cli
