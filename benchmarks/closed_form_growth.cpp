#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "closed_form.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/threads.hpp"
#include "process_memory.hpp"
#include "temporary_folder.hpp"

namespace fearnet::bench {
namespace {

constexpr std::size_t kRows = 20, kFeatures = 512, kBaseClasses = 2, kAsked = 1000;
constexpr int kRounds = 3;

LearnerSpec spec_of(const std::string& name) {
    LearnerSpec spec;
    spec.learner = name;
    return spec;
}

double base_seconds(const std::string& name, std::size_t classes) {
    // So close to each other that some leave-one-out answers are wrong: otherwise FearNet plus does not try
    // all feature maps.
    const Examples rows = random_classes(0, classes, kRows, kFeatures, hard_distance(kFeatures));
    const std::unique_ptr<Learner> learner = make_learner(spec_of(name));
    return 1e-3 * milliseconds([&] { learner->learn(rows); });
}

double model_megabytes(const Learner& learner) {
    double sum = 0;
    for (const auto& [kind, bytes] : learner.memory())
        if (kind != "examples") sum += static_cast<double>(bytes) / 1e6;
    return sum;
}

struct Sessions {
    Examples base, more;
    explicit Sessions(std::size_t classes)
        : base(random_classes(0, kBaseClasses, kRows, kFeatures)),
          more(random_classes(kBaseClasses, classes, kRows, kFeatures)) {}
};

struct Taught {
    double teach = 0, memory = 0;  // s; the most memory while teaching, MB above the model
    std::optional<double> sleep;   // s; none if the learner has nothing to consolidate
    double row = 0;                // ms
};

Taught taught(const std::string& name, const Sessions& sessions) {
    Taught t;
    const std::unique_ptr<Learner> learner = make_learner(spec_of(name));
    learner->learn(sessions.base);
    const double model = model_megabytes(*learner);
    forget_peak();
    const auto before = static_cast<double>(memory_status("VmRSS"));
    t.teach = 1e-3 * milliseconds([&] { learner->learn(sessions.more); });
    const double peak = (static_cast<double>(memory_status("VmHWM")) - before) / 1e6;
    t.memory = peak - (model_megabytes(*learner) - model);
    if (!learner->recent_classes().empty()) t.sleep = 1e-3 * milliseconds([&] { learner->sleep(); });
    const MatrixView asked = sessions.more.x.view().slice(0, kAsked);
    t.row = milliseconds([&] { learner->predict(asked); }) / static_cast<double>(kAsked);
    return t;
}

double file_megabytes(const std::string& name, const Sessions& sessions) {
    Brain brain(BrainOptions{spec_of(name)});
    for (const Examples* session : {&sessions.base, &sessions.more}) {
        std::vector<std::string> labels;
        for (const ClassId id : session->labels)
            labels.push_back(fmt::format("class {}", static_cast<int>(id)));
        brain.learn(session->x, labels);
    }
    brain.sleep();
    const TemporaryFolder folder;
    brain.copy_to(folder.path / "brain");
    return static_cast<double>(std::filesystem::file_size(folder.path / "brain")) / 1e6;
}

nlohmann::ordered_json costs(const std::string& name, std::size_t classes) {
    std::vector<double> base, teach, memory, sleep, row;
    const Sessions sessions(classes);
    for (int round = 0; round < kRounds; ++round) {
        const Taught t = taught(name, sessions);
        teach.push_back(t.teach);
        memory.push_back(t.memory);
        if (t.sleep) sleep.push_back(*t.sleep);
        row.push_back(t.row);
        base.push_back(base_seconds(name, classes));
    }
    nlohmann::ordered_json json{{"classes", classes}, {"base_s", median(base)}, {"teach_s", median(teach)}};
    json["sleep_s"] = sleep.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(median(sleep));
    json["row_ms"] = median(row);
    json["file_mb"] = file_megabytes(name, sessions);
    json["memory_mb"] = median(memory);
    return json;
}

}  // namespace

void growth(const std::vector<std::size_t>& classes) {
    fmt::print("Classes of {} x {}, {} threads, median of {}; teaching in one session after a base of {}\n\n",
               kRows, kFeatures, max_threads(), kRounds, kBaseClasses);
    fmt::print("{:<14} {:>8} {:>9} {:>9} {:>9} {:>10} {:>9} {:>18}\n", "", "classes", "base, s", "teach, s",
               "sleep, s", "a row, ms", "file, MB", "teaching takes, MB");
    nlohmann::ordered_json json{{"rows", kRows}, {"features", kFeatures}, {"threads", max_threads()}};
    for (const char* name : {"fearnet-plus", "streaming-lda"})
        for (const std::size_t count : classes) {
            const nlohmann::ordered_json c = costs(name, count);
            const auto number = [&c](const char* key) { return c[key].get<double>(); };
            fmt::print("{:<14} {:>8} {:>9.3f} {:>9.3f} {:>9} {:>10.4f} {:>9.2f} {:>18.1f}\n", name, count,
                       number("base_s"), number("teach_s"),
                       c["sleep_s"].is_null() ? "none" : fmt::format("{:.3f}", number("sleep_s")),
                       number("row_ms"), number("file_mb"), number("memory_mb"));
            std::fflush(stdout);
            json["learners"][name].push_back(c);
        }
    fmt::print("\n{}\n", json.dump());
}

}  // namespace fearnet::bench
