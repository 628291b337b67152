#include "everyday/compare_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "commands.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kNgrams = "text:ngrams";

// How well the rows of one model tell the classes apart.
struct Compared {
    std::string model;
    std::size_t features = 0;
    double accuracy = 0, error = 0;  // mean over the classes, and its standard error
    double seconds = 0;              // per input
};

// The models of that kind on this machine, and the variants that need no further files.
std::vector<std::string> candidates(InputKind kind) {
    std::vector<std::string> names;
    for (const ModelInfo& m : model_list())
        if (m.present && m.kind == kind_name(kind)) names.push_back(m.name);
    if (kind == InputKind::image)
        for (std::size_t i = 0, count = names.size(); i < count; ++i) names.push_back(names[i] + ":crops");
    if (kind == InputKind::text) names.emplace_back(kNgrams);
    if (names.empty())
        throw Error(
            fmt::format("models compare: no model of this kind is on this machine; 'fearnet models fetch {}' "
                        "gets the default",
                        kind_name(kind)));
    return names;
}

Compared compared(const std::string& data, const std::string& model, const Progress& progress) {
    TableOptions options;
    options.only = Split::train;
    options.text = true;
    options.progress = progress;
    if (model != kNgrams) options.embedder = std::make_shared<Embedder>(model);
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const NamedRows rows = load_rows(data, options);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    const std::set<std::string> classes(rows.labels.begin(), rows.labels.end());
    if (classes.size() < 2)
        throw Error(
            fmt::format("{}: has examples of {} with a label; models are compared by at least two classes",
                        data, counted(classes.size(), "class", "classes")));
    Brain brain;
    brain.learn(rows.x, rows.labels, progress);
    Compared result{model, rows.x.cols(), 0, 0, seconds.count() / static_cast<double>(rows.x.rows())};
    const std::map<std::string, double> accuracy = brain.expected_accuracy();
    if (accuracy.empty())
        throw Error(data +
                    ": every class has one example; models are compared by classes of two examples at least");
    double variance = 0;
    for (const auto& [name, share] : accuracy) {
        const auto count = static_cast<double>(std::count(rows.labels.begin(), rows.labels.end(), name));
        result.accuracy += share / static_cast<double>(accuracy.size());
        variance += share * (1 - share) / count;
    }
    result.error = std::sqrt(variance) / static_cast<double>(accuracy.size());
    return result;
}

// The fastest of those within one standard error of the most accurate one.
const Compared& recommended(const std::vector<Compared>& all) {
    const Compared& best = *std::max_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.accuracy < b.accuracy; });
    const Compared* chosen = &best;
    for (const Compared& c : all)
        if (c.accuracy >= best.accuracy - best.error && c.seconds < chosen->seconds) chosen = &c;
    return *chosen;
}

}  // namespace

int compare_models(const std::vector<std::string>& arguments, bool json, bool quiet) {
    const std::string& data = arguments.front();
    const std::optional<InputKind> kind = input_kind(data);
    if (!kind) throw Error(data + ": holds neither photographs nor sounds nor texts");
    std::vector<std::string> models(arguments.begin() + 1, arguments.end());
    if (models.empty()) models = candidates(*kind);
    BrainArguments display;
    display.quiet = quiet;
    std::vector<Compared> all;
    for (const std::string& model : models) {
        Work work(display);
        if (!quiet) fmt::print(stderr, "{}\n", printable(model));
        all.push_back(compared(data, model, work.progress()));
    }
    const std::string& pick = recommended(all).model;
    if (json) {
        Json list = Json::array();
        for (const Compared& c : all)
            list.push_back({{"model", c.model},
                            {"features", c.features},
                            {"expected_accuracy", c.accuracy},
                            {"error", c.error},
                            {"seconds_per_input", c.seconds},
                            {"recommended", c.model == pick}});
        fmt::print("{}\n", list.dump());
        return kDone;
    }
    std::size_t width = 5;
    for (const Compared& c : all) width = std::max(width, c.model.size());
    fmt::print("{:<{}}  features  expected accuracy  ms per input\n", "model", width);
    for (const Compared& c : all)
        fmt::print("{:<{}}  {:>8}  {:>8.1f} % +- {:>3.1f}  {:>12.1f}\n", printable(c.model), width,
                   c.features, 100 * c.accuracy, 100 * c.error, 1000 * c.seconds);
    fmt::print("recommended: --features {}\n", printable(pick));
    return kDone;
}

}  // namespace fearnet::cli
