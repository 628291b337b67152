#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "commands.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/collect_results.hpp"
#include "fearnet/lab/report.hpp"
#include "fearnet/lab/schedule.hpp"
#include "interrupt.hpp"
#include "progress_display.hpp"
#include "research/lab.hpp"
#include "research/machine.hpp"
#include "research/mpi_ranks.hpp"
#include "research/paper_arguments.hpp"
#include "research/run_arguments.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(NAME is an experiment of the paper ('fearnet paper list' lists them) or, with --config, one of your own;
docs/experiments.md describes the file.

Every finished run is a file in DIR/runs and is shared by all experiments that need it: after an interruption,
the same command continues. The offline MLP is trained once per data set, settings and seed (DIR/offline).
DIR/NAME.csv has one line per run, DIR/NAME_sessions.csv one per session; DIR/NAME.json has the context, the
paper's numbers and the missing runs. 'fearnet report DIR' makes a page of tables and plots from them.

With a build for MPI (-DFEARNET_MPI=ON), 'mpirun -n N fearnet paper NAME ...' distributes the runs over N ranks,
which must share DIR and the data.

Exit codes: 0 complete, 3 some runs failed or are missing, 2 bad input, 130 interrupted, 1 anything else.

Examples:
  fearnet paper soa --data cub200=cub200.npz,audioset=audioset.npz,cifar100=cifar100.npz --jobs 2
  fearnet paper sleep-frequency --data cub200=cub200.npz --seeds 1 --rows 'every 1,every 10'
  fearnet paper soa --data cub200=cub200.npz --quick --dry-run)";

bool started_by_mpirun() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* value = std::getenv(name); value != nullptr && std::atoi(value) > 1) return true;
    return false;
}

// Two sweeps in one directory would do the same runs twice. Held until this process ends, however it ends.
class DirectoryLock {
  public:
    explicit DirectoryLock(const std::filesystem::path& directory)
        : file_(::open((directory / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
        ::close(file_);
        throw Error(
            fmt::format("--out '{}': another 'fearnet paper' is writing there; wait for it or choose "
                        "another directory",
                        directory.string()));
    }
    ~DirectoryLock() {
        if (file_ >= 0) ::close(file_);
    }
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;

  private:
    int file_;
};

std::map<std::string, DataInfo> describe_data(const std::map<std::string, std::string>& sources,
                                              ProgressDisplay& display) {
    std::map<std::string, DataInfo> data;
    for (const auto& [name, source] : sources) {
        const FeatureSet set = load_feature_set(source);
        display.line(fmt::format("{}: {} classes, {} training and {} test rows of {} features", name,
                                 set.classes(), set.train.size(), set.test.size(), set.width()));
        // Other processes read it again, maybe from elsewhere.
        std::error_code error;
        const bool file = std::filesystem::exists(source, error);
        data[name] = describe(set, name, file ? std::filesystem::absolute(source).string() : source);
    }
    return data;
}

void print_plan(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                const std::filesystem::path& directory) {
    for (const PlannedRun& p : plan) {
        const std::string state = !p.problem.empty()              ? "missing: " + p.problem
                                  : finished_run(directory, p.id) ? "done"
                                  : p.skipped                     ? "skipped"
                                                                  : "to do";
        fmt::print("{}\n",
                   printable(fmt::format("{}, {}, seed {}: {}{}", p.run.dataset, experiment.rows[p.row].row,
                                         p.run.seed, state, p.id.empty() ? "" : "  " + p.id)));
    }
    const Schedule schedule(plan, directory);
    fmt::print("{} runs and {} offline MLPs to do\n", schedule.count(Job::Kind::run),
               schedule.count(Job::Kind::offline));
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

// Neighbors with the same reason share a line. True when something is missing that the user did not skip.
bool print_missing(const std::vector<MissingRun>& missing) {
    bool some = false;
    for (std::size_t i = 0; i < missing.size();) {
        const MissingRun& m = missing[i];
        std::vector<std::string> rows;
        std::vector<std::uint64_t> seeds;
        for (; i < missing.size() && missing[i].dataset == m.dataset && missing[i].reason == m.reason; ++i)
            add_once(rows, missing[i].row), add_once(seeds, missing[i].seed);
        if (m.skipped) continue;
        some = true;
        fmt::print(stderr, "fearnet: missing: {}\n",
                   printable(fmt::format("{} on {}, seed {}: {}", fmt::join(rows, ", "), m.dataset,
                                         fmt::join(seeds, ", "), m.reason)));
    }
    return some;
}

// A sweep with its display and its files.
class PaperSweep {
  public:
    PaperSweep(const Experiment& experiment, const std::vector<PlannedRun>& plan, RunContext context,
               const std::filesystem::path& directory, ProgressDisplay& display)
        : experiment_(experiment),
          plan_(plan),
          context_(std::move(context)),
          directory_(directory),
          display_(display),
          schedule_(plan, directory) {}

    // The exit code.
    int run(std::vector<std::unique_ptr<Slot>> slots) {
        display_.line(fmt::format("{}: {} runs and {} offline MLPs to do, {} at once", experiment_.name,
                                  schedule_.count(Job::Kind::run), schedule_.count(Job::Kind::offline),
                                  slots.size()));
        bool whole = false;
        {
            const InterruptGuard guard;
            SweepEvents events;
            events.began = [&](const Job& job) { display_.line("began    " + job.name()); };
            events.finished = [&](const Job& job, const std::string& problem, double seconds) {
                finished(job, problem, seconds);
            };
            events.progress = [&](double fraction, const std::string& what) {
                display_.update(fraction, what);
            };
            events.interrupted = [&] { return guard.interrupted(); };
            whole = run_sweep(schedule_, slots, events);
            display_.clear();
        }
        const ExperimentResults results = write();
        print(results);
        const bool missing = print_missing(results.missing);
        if (whole) return missing ? kIncomplete : kDone;
        fmt::print(stderr, "fearnet: interrupted; finished runs are kept, and the same command continues\n");
        return kInterrupted;
    }

  private:
    void finished(const Job& job, const std::string& problem, double seconds) {
        ++ended_;
        const std::string count = fmt::format("({} of {})", ended_, schedule_.jobs().size());
        if (!problem.empty()) {
            display_.line(fmt::format("failed   {}: {} {}", job.name(), problem, count));
            return;
        }
        std::string omega;
        if (job.kind == Job::Kind::run) {
            if (const auto record = finished_run(directory_, job.id))
                omega = fmt::format(", Omega base {:.3f} new {:.3f} all {:.3f}", record->omega.omega_base,
                                    record->omega.omega_new, record->omega.omega_all);
            write();
        }
        display_.line(fmt::format("finished {}{}, {} {}", job.name(), omega, duration_text(seconds), count));
    }

    ExperimentResults write() {
        ExperimentResults results =
            collect_results(experiment_, plan_, directory_, schedule_.problems(), context_);
        write_results(results, directory_);
        return results;
    }

    void print(const ExperimentResults& results) const {
        const auto file = [&](const char* ending) {
            return printable((directory_ / (experiment_.name + ending)).string());
        };
        fmt::print("{} ({})\n", printable(experiment_.title), printable(experiment_.source));
        if (!results.runs.empty()) fmt::print("{}", printable_lines(comparison_table(results)));
        fmt::print("\nnumbers: {}, {}\ncontext: {}\ntables and plots: fearnet report {}\n", file(".csv"),
                   file("_sessions.csv"), file(".json"), printable(directory_.string()));
        std::fflush(stdout);
    }

    const Experiment& experiment_;
    const std::vector<PlannedRun>& plan_;
    RunContext context_;
    std::filesystem::path directory_;
    ProgressDisplay& display_;
    Schedule schedule_;
    std::size_t ended_ = 0;
};

int list_experiments() {
    for (const std::string& name : paper_experiments()) {
        const Experiment e = paper_experiment(name);
        std::vector<std::string> rows;  // some are there once per data set
        for (const auto& row : e.rows) add_once(rows, row.row);
        fmt::print("{:<16} {} ({}); {}; {} rows, seeds {}\n", name, e.title, e.source,
                   fmt::join(e.datasets, ", "), rows.size(), fmt::join(e.seeds, ", "));
    }
    return kDone;
}

int run(const PaperArguments& arguments, const std::string& command_line) {
    if (arguments.name == "list") return list_experiments();
    std::unique_ptr<MpiRanks> ranks;
    if (started_by_mpirun()) {
        ranks = std::make_unique<MpiRanks>();
        if (!ranks->first()) return ranks->serve(), kDone;
        if (arguments.jobs)
            throw Error("--jobs: under mpirun every rank does one run at a time; omit --jobs");
    }
    const Experiment experiment = choose_experiment(arguments);
    const std::map<std::string, std::string> sources = parse_data(arguments, experiment);
    const PlanOptions options = plan_options(arguments, experiment);
    const int jobs = parse_jobs(arguments);
    make_plan(experiment, {}, options);  // complains about rows before data is read
    const std::filesystem::path directory = output_directory(arguments);
    check_can_write(directory);

    ProgressDisplay display(arguments.quiet ? ProgressDisplay::Style::quiet
                                            : ProgressDisplay::fitting_style());
    const std::vector<PlannedRun> plan = make_plan(experiment, describe_data(sources, display), options);
    if (arguments.dry_run) return print_plan(experiment, plan, directory), kDone;

    const OutputDirectory out(directory);
    const DirectoryLock lock(directory);
    remove_unfinished(directory);
    const RunContext context{version(), utc_now(), cpu_name(), 1, command_line};
    std::vector<std::unique_ptr<Slot>> slots;
    const std::filesystem::path shared = std::filesystem::absolute(directory);
    if (ranks)
        slots = ranks->slots(shared);
    else
        for (int i = 0; i < jobs; ++i) slots.push_back(std::make_unique<ProcessSlot>(shared));
    return PaperSweep(experiment, plan, context, directory, display).run(std::move(slots));
}

}  // namespace

void add_paper_command(Program& program, const std::string& command_line) {
    const auto a = std::make_shared<PaperArguments>();
    Command& command = program.add_command("paper", "Run the experiments of the paper", kResearchGroup);
    command.footer(kFooter);
    command.option("NAME", a->name, "Name of an experiment, or 'list'");
    command.option("--data", a->data, "Files of the data sets, separated by commas")
        .value_name("NAME=FILE,..");
    command.option("--seeds", a->seeds, "Seeds, separated by commas; default: those of the experiment")
        .value_name("S,S,..");
    command.option("--jobs", a->jobs, "Runs at once, each with one thread; default 1").value_name("N");
    command
        .option(
            "--out", a->out,
            "Directory for the results, created if missing; default paper-results, with --quick paper-quick")
        .value_name("DIR");
    command.option("--rows", a->rows, "Do only these rows of the table, separated by commas")
        .value_name("ROW,..");
    command.option("--skip", a->skip, "Skip these rows of the table, separated by commas")
        .value_name("ROW,..");
    command.option("--config", a->config, "File that defines the experiment").value_name("FILE");
    command.flag("--quick", a->quick, "Short version to test the setup; its numbers are not comparable");
    command.flag("--dry-run", a->dry_run, "Print the planned runs and do none of them");
    command.flag("--quiet", a->quiet, "Print only results, no progress");
    command.run([a, command_line] { return run(*a, command_line); });
}

void add_paper_job_command(Program& program) {
    struct Arguments {
        std::string job, directory;
        std::int64_t parent = 0;
    };
    const auto a = std::make_shared<Arguments>();
    Command& command = program.add_command("paper-job", "One job of 'paper', which starts it", kNoGroup);
    command.option("JOB", a->job).required();
    command.option("DIR", a->directory).required();
    command.option("PARENT", a->parent).required();
    command.run([a] { return do_job_here(a->job, a->directory, a->parent); });
}

}  // namespace fearnet::cli
