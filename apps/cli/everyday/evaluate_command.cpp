#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands.hpp"
#include "everyday/input_rows.hpp"
#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kEvaluateFooter =
    R"(DATA must have labels. Of an .npz file with a test set, x_test and y_test are used. Prints the accuracy, the mean
accuracy over classes, the accuracy of each class, and the most frequent confusions. Rows of classes that the brain was
never taught count as wrong.

Examples:
  fearnet evaluate birds.brain test.npz
  fearnet evaluate birds.brain test.npz --json > result.json)";

struct Score {
    std::size_t rows = 0, right = 0;
    double share() const { return rows == 0 ? 0 : static_cast<double>(right) / static_cast<double>(rows); }
};
struct Confusion {
    std::string truth, answer;
    std::size_t rows;
};
struct Evaluation {
    Score all;
    std::map<std::string, Score> classes;
    std::vector<Confusion> confusions;  // most frequent first
    double mean_class = 0;
    std::vector<std::string> never_taught;
};

Evaluation compare(const std::vector<std::string>& truth, const std::vector<std::string>& answers) {
    Evaluation result;
    std::map<std::pair<std::string, std::string>, std::size_t> wrong;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const bool right = truth[i] == answers[i];
        for (Score* s : {&result.all, &result.classes[truth[i]]}) ++s->rows, s->right += right;
        if (!right) ++wrong[{truth[i], answers[i]}];
    }
    for (const auto& [pair, rows] : wrong) result.confusions.push_back({pair.first, pair.second, rows});
    std::stable_sort(result.confusions.begin(), result.confusions.end(),
                     [](const Confusion& l, const Confusion& r) { return l.rows > r.rows; });
    for (const auto& [name, score] : result.classes)
        result.mean_class += score.share() / static_cast<double>(result.classes.size());
    return result;
}

Json as_json(const Evaluation& e, const std::vector<SkippedInput>& skipped) {
    Json classes = Json::array(), confusions = Json::array();
    for (const auto& [name, s] : e.classes)
        classes.push_back({{"label", name}, {"rows", s.rows}, {"right", s.right}, {"accuracy", s.share()}});
    for (const Confusion& c : e.confusions)
        confusions.push_back({{"truth", c.truth}, {"answer", c.answer}, {"rows", c.rows}});
    return {{"rows", e.all.rows},
            {"accuracy", e.all.share()},
            {"mean_class_accuracy", e.mean_class},
            {"never_taught", e.never_taught},
            {"unreadable", cli::as_json(skipped)},
            {"classes", std::move(classes)},
            {"confusions", std::move(confusions)}};
}

void print(const Evaluation& e) {
    constexpr std::size_t kConfusions = 10;
    fmt::print("accuracy {:.1f} % of {}; mean over {} {:.1f} %\n\n", 100 * e.all.share(),
               counted(e.all.rows, "row", "rows"), counted(e.classes.size(), "class", "classes"),
               100 * e.mean_class);
    if (!e.never_taught.empty()) {
        std::size_t rows = 0;
        for (const std::string& name : e.never_taught) rows += e.classes.at(name).rows;
        fmt::print("never taught, counted as wrong: {}, {}\n\n", names_text(e.never_taught),
                   counted(rows, "row", "rows"));
    }
    std::size_t width = 5;
    for (const auto& [name, s] : e.classes) width = std::max(width, display_width(printable(name)));
    fmt::print("{}    rows  accuracy\n", fitted("class", width, width));
    for (const auto& [name, s] : e.classes)
        fmt::print("{}  {:6}   {:5.1f} %  {}\n", fitted(printable(name), width, width), s.rows,
                   100 * s.share(), std::string(static_cast<std::size_t>(20 * s.share()), '#'));
    if (e.confusions.empty()) return;
    fmt::print("\nmost frequent confusions\n");
    for (std::size_t i = 0; i < std::min(kConfusions, e.confusions.size()); ++i)
        fmt::print("  {} predicted as {}: {}\n", printable(e.confusions[i].truth),
                   printable(e.confusions[i].answer), counted(e.confusions[i].rows, "row", "rows"));
}

int evaluate(const BrainArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    ProgressDisplay display(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style());
    InputRows input(brain, a, true, embedding_progress(display));
    std::vector<std::string> answers;
    for (Matrix rows = input.next(); rows.rows() > 0; rows = input.next()) {
        if (answers.empty() && input.labels().empty())
            throw Error(a.data + ": has no labels; give the class of its rows with --label");
        for (std::string& answer : brain.labels(rows)) answers.push_back(std::move(answer));
    }
    if (!a.quiet) print_skipped(input.skipped());
    const std::vector<std::string> truth = input.labels();
    check_labels(a, truth);
    Evaluation result = compare(truth, answers);
    const std::vector<std::string> known = brain.class_names();  // sorted
    for (const auto& [name, score] : result.classes)
        if (!std::binary_search(known.begin(), known.end(), name)) result.never_taught.push_back(name);
    if (a.json)
        fmt::print("{}\n", json_text(as_json(result, input.skipped())));
    else
        print(result);
    return kDone;
}

}  // namespace

void add_evaluate_command(Program& program) {
    const auto a = std::make_shared<BrainArguments>();
    Command& command = add_brain_command(program, "evaluate", "Measure the accuracy on labeled rows", *a);
    command.footer(kEvaluateFooter);
    command.option("DATA", a->data, "Rows with labels; - for standard input").required();
    command.option("--label", a->label, "Class of all rows; labels in DATA are ignored");
    add_data_options(command, a->reading);
    command.run([a] { return evaluate(*a); });
}

}  // namespace fearnet::cli
