#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "brain_arguments.hpp"
#include "commands.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(One line per row: its number, the likeliest class and how likely it is, then the next ones with --top. --explain adds
which memory answered, the best class of each, the router's A(x) and psi: the recent memory answers when psi is larger
than the long-term memory's probability. Labels in DATA are passed over; x_test of an .npz is used.

Examples:
  fearnet predict birds.brain photos.npy --top 3
  fearnet predict languages.brain --text "wo ist der Bahnhof" --explain
  fearnet predict birds.brain photos.npy --json)";

struct PredictArguments : BrainArguments {
    std::size_t top = 1;
    bool explain = false;
};

const char* name_of(Memory memory) {
    return memory == Memory::recent ? "recent" : "consolidated";
}

Json as_json(const BrainAnswer& answer, std::size_t row, bool explain) {
    Json classes = Json::array();
    for (const BrainAnswer::Ranked& c : answer.classes)
        classes.push_back({{"label", c.name}, {"probability", c.probability}});
    Json j{{"row", row}, {"label", answer.classes.front().name}, {"classes", std::move(classes)}};
    if (!explain) return j;
    const Explanation& e = answer.explanation;
    j["explanation"] = {{"memory", name_of(e.memory)},
                        {"recent_label", answer.recent_name},
                        {"recent_probability", e.recent_probability},
                        {"consolidated_label", answer.consolidated_name},
                        {"consolidated_probability", e.consolidated_probability},
                        {"router", e.router},
                        {"psi", e.psi}};
    return j;
}

void print(const BrainAnswer& answer, std::size_t row, bool explain) {
    std::string line = std::to_string(row);
    for (const BrainAnswer::Ranked& c : answer.classes)
        line += fmt::format("\t{}\t{:.4f}", c.name, c.probability);
    fmt::print("{}\n", line);
    if (!explain) return;
    const Explanation& e = answer.explanation;
    std::string why = fmt::format("\t{} memory", name_of(e.memory));
    if (!answer.recent_name.empty())
        why += fmt::format("; recent: {} {:.4f}, A(x) {:.4f}, psi {:.4g}", answer.recent_name,
                           e.recent_probability, e.router, e.psi);
    fmt::print("{}; consolidated: {} {:.4f}\n", why, answer.consolidated_name, e.consolidated_probability);
}

int predict(const PredictArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const Rows rows = rows_for(brain, a, Part::test, false);
    const std::vector<BrainAnswer> answers = brain.predict(rows.x, a.top);
    Json all = Json::array();
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (a.json)
            all.push_back(as_json(answers[i], i, a.explain));
        else
            print(answers[i], i, a.explain);
    if (a.json) fmt::print("{}\n", all.dump(2));
    return kDone;
}

constexpr const char* kEvaluateFooter =
    R"(DATA needs labels; x_test of an .npz is used. Shows the share of right answers, the mean over classes, each class,
and which classes are taken for which. Rows of classes that were never taught count as wrong.

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

Json as_json(const Evaluation& e) {
    Json classes = Json::array(), confusions = Json::array();
    for (const auto& [name, s] : e.classes)
        classes.push_back({{"label", name}, {"rows", s.rows}, {"right", s.right}, {"accuracy", s.share()}});
    for (const Confusion& c : e.confusions)
        confusions.push_back({{"truth", c.truth}, {"answer", c.answer}, {"rows", c.rows}});
    return {{"rows", e.all.rows},
            {"accuracy", e.all.share()},
            {"mean_class_accuracy", e.mean_class},
            {"never_taught", e.never_taught},
            {"classes", std::move(classes)},
            {"confusions", std::move(confusions)}};
}

void print(const Evaluation& e) {
    constexpr std::size_t kConfusions = 10;
    fmt::print("accuracy {:.1f} % of {} rows; mean over {} classes {:.1f} %\n\n", 100 * e.all.share(),
               e.all.rows, e.classes.size(), 100 * e.mean_class);
    if (!e.never_taught.empty()) {
        std::size_t rows = 0;
        for (const std::string& name : e.never_taught) rows += e.classes.at(name).rows;
        fmt::print("never taught, so wrong: {}, {} rows\n\n", names_text(e.never_taught), rows);
    }
    std::size_t width = 5;
    for (const auto& [name, s] : e.classes)
        width = std::min<std::size_t>(40, std::max(width, display_width(name)));
    fmt::print("{}    rows   right\n", fitted("class", width, width));
    for (const auto& [name, s] : e.classes)
        fmt::print("{}  {:6}  {:5.1f} %  {}\n", fitted(name, width, width), s.rows, 100 * s.share(),
                   std::string(static_cast<std::size_t>(20 * s.share()), '#'));
    if (e.confusions.empty()) return;
    fmt::print("\nmost often mistaken\n");
    for (std::size_t i = 0; i < std::min(kConfusions, e.confusions.size()); ++i)
        fmt::print("  {} for {}: {} rows\n", e.confusions[i].truth, e.confusions[i].answer,
                   e.confusions[i].rows);
}

int evaluate(const BrainArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const Rows rows = rows_for(brain, a, Part::test);
    if (rows.labels.empty())
        throw Error(a.data + ": no labels in it to compare with; --label says what its rows are");
    say_what_was_read(a, rows);
    Evaluation result = compare(rows.labels, brain.labels(rows.x));
    const std::vector<std::string> known = brain.class_names();  // sorted
    for (const auto& [name, score] : result.classes)
        if (!std::binary_search(known.begin(), known.end(), name)) result.never_taught.push_back(name);
    if (a.json)
        fmt::print("{}\n", as_json(result).dump(2));
    else
        print(result);
    return kDone;
}

}  // namespace

Command add_predict_command(CLI::App& program) {
    const auto a = std::make_shared<PredictArguments>();
    CLI::App* app = add_brain_subcommand(program, "predict", "Ask it what rows or texts are", *a);
    app->footer(kFooter);
    app->add_option("DATA", a->data, "Rows to ask about");
    app->add_option("--text", a->text, "One text, for a brain of text");
    app->add_option("--top", a->top, "Classes to show, likeliest first")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app->add_flag("--explain", a->explain, "Say where each answer came from");
    add_data_options(*app, a->reading);
    return {app, [a] { return predict(*a); }};
}

Command add_evaluate_command(CLI::App& program) {
    const auto a = std::make_shared<BrainArguments>();
    CLI::App* app = add_brain_subcommand(program, "evaluate", "Accuracy on rows with known labels", *a);
    app->footer(kEvaluateFooter);
    app->add_option("DATA", a->data, "Rows with labels")->required();
    app->add_option("--label", a->label, "All rows are of this class");
    add_data_options(*app, a->reading);
    return {app, [a] { return evaluate(*a); }};
}

}  // namespace fearnet::cli
