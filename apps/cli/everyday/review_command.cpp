#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "commands.hpp"
#include "everyday/review_page.hpp"
#include "everyday/suspect_text.hpp"
#include "fearnet/error.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Without DATA, reports how well each class is known: its number of examples, the share of new rows that will be
classified correctly with its standard error, the same with half and with twice as many examples, and the classes that
it is confused with. Says which classes more examples would help, and which two classes might be one. Learner
fearnet-plus estimates these numbers, also after the examples are gone. --out writes them as an HTML page with pictures.

With DATA, names the rows whose labels are probably wrong, as 'learn' does, without teaching.

Examples:
  fearnet review birds.brain
  fearnet review birds.brain --out birds.html
  fearnet review birds.brain crowd.npz --json)";

struct ReviewArguments : BrainArguments {
    std::string out;
};

std::string percent(const std::optional<double>& share) {
    return share ? fmt::format("{:.0f} %", 100 * *share) : "?";
}

std::string confusions_text(const BrainReview::Class& c) {
    constexpr std::size_t kShown = 3;
    constexpr double kLeast = 0.005;  // is printed as 1 %
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, c.confusions.size()); ++i)
        if (c.confusions[i].share >= kLeast)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(c.confusions[i].with),
                                percent(c.confusions[i].share));
    return text;
}

void print_classes(const BrainReview& review) {
    std::size_t width = 5;
    for (const BrainReview::Class& c : review.classes)
        width = std::max(width, display_width(printable(c.name)));
    fmt::print("\n{}  examples  accuracy       with half  with twice  confused with\n",
               fitted("class", width, width));
    double sum = 0, known = 0;
    for (const BrainReview::Class& c : review.classes) {
        const std::string accuracy =
            c.accuracy ? fmt::format("{:>5} +- {:.0f} %", percent(c.accuracy), 100 * *c.error) : "    ?";
        fmt::print("{}  {:8}  {:<13}  {:>9}  {:>10}  {}\n", fitted(printable(c.name), width, width),
                   c.examples, accuracy, percent(c.with_half), percent(c.with_twice), confusions_text(c));
        if (c.accuracy) sum += *c.accuracy, ++known;
    }
    if (known > 0)
        fmt::print("{}  {:8}  {:>5}\n", fitted("mean", width, width), "",
                   fmt::format("{:.0f} %", 100 * sum / known));
}

void print_advice(const BrainReview& review) {
    constexpr std::size_t kShown = 10;
    std::vector<const BrainReview::Class*> help;
    for (const BrainReview::Class& c : review.classes)
        if (c.more_would_help()) help.push_back(&c);
    std::stable_sort(help.begin(), help.end(), [](const auto* l, const auto* r) {
        return *l->with_twice - *l->accuracy > *r->with_twice - *r->accuracy;
    });
    if (!help.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min(kShown, help.size()); ++i)
            names += fmt::format("{}{} ({:+.0f} points)", i == 0 ? "" : ", ", printable(help[i]->name),
                                 100 * (*help[i]->with_twice - *help[i]->accuracy));
        fmt::print("\ntwice as many examples would help {}: {}{}\n", counted(help.size(), "class", "classes"),
                   names, help.size() > kShown ? ", ..." : "");
    }
    for (std::size_t i = 0; i < std::min(kShown, review.maybe_one.size()); ++i) {
        const BrainReview::Pair& p = review.maybe_one[i];
        fmt::print("{}'{}' and '{}' might be one class: {} of their rows get the other name\n",
                   i == 0 ? "\n" : "", printable(p.first), printable(p.second), percent(p.confused));
    }
    if (review.maybe_one.size() > kShown)
        fmt::print("{} more pairs might be one class; --json lists them all\n",
                   review.maybe_one.size() - kShown);
}

void print(const BrainReview& review, const std::string& brain) {
    fmt::print("{}: learner {}, {}\n", brain, review.learner,
               counted(review.classes.size(), "class", "classes"));
    if (!review.estimated)
        fmt::print("accuracy and confusions are not available: {}\n",
                   review.learner == "fearnet-plus"
                       ? "they need two classes"
                       : "the learner " + review.learner + " does not estimate them, fearnet-plus does");
    if (review.classes.empty()) return;
    print_classes(review);
    print_advice(review);
}

void print_suspects(const std::vector<SuspectLabel>& suspects, const NamedRows& rows) {
    const std::vector<std::string>& labels = rows.labels;
    if (suspects.empty())
        return fmt::print("no label of {} looks wrong\n", counted(labels.size(), "row", "rows"));
    fmt::print("{} probably wrong, of {}:\n", counted(suspects.size(), "label is", "labels are"),
               counted(labels.size(), "row", "rows"));
    const bool several = std::set<std::string>(labels.begin(), labels.end()).size() > 1;
    for (const std::string& line : suspect_lines(suspects, several, rows.inputs)) fmt::print("  {}\n", line);
}

int review_labels(const ReviewArguments& a) {
    if (!a.out.empty())
        throw Error(
            "--out writes the page of a brain; it cannot be used with DATA, whose result --json prints");
    const Brain brain = open_brain(a, BrainAccess::read);
    require_label_check(brain, "review");
    Work work(a);
    const NamedRows rows = rows_for(brain, a, Split::train, work.progress());
    if (rows.labels.empty()) throw Error(a.data + ": has no labels; give the class of its rows with --label");
    print_data_summary(a, rows);
    const std::vector<SuspectLabel> suspects = brain.suspect_labels(rows.x, rows.labels);
    if (a.json)
        fmt::print("{}\n", json_text({{"rows", rows.labels.size()},
                                      {"suspects", cli::as_json(suspects, rows.inputs)}}));
    else
        print_suspects(suspects, rows);
    return kDone;
}

int review(const ReviewArguments& a) {
    if (!a.data.empty()) return review_labels(a);
    if (!a.label.empty()) throw Error("--label is the class of the rows of DATA; name DATA, too");
    const Brain brain = open_brain(a, BrainAccess::read);
    const BrainReview review = brain.review();
    if (!a.out.empty()) {
        Output page(a.out);
        page.write(review_page(review, std::filesystem::path(a.brain).filename().string()));
        page.finish();
        if (!page.is_file()) return kDone;
    }
    if (a.json)
        fmt::print("{}\n", json_text(as_json(review)));
    else if (a.out.empty())
        print(review, printable(a.brain));
    else if (!a.quiet)
        fmt::print("{}: {}\n", printable(a.out), counted(review.classes.size(), "class", "classes"));
    return kDone;
}

}  // namespace

void add_review_command(Program& program) {
    const auto a = std::make_shared<ReviewArguments>();
    Command& command =
        add_brain_command(program, "review", "Report on classes and confusions, or find wrong labels", *a);
    command.footer(kFooter);
    command.option("DATA", a->data, "Rows whose labels are checked; - for standard input");
    command.option("--label", a->label, "Class of all rows; labels in DATA are ignored");
    command.option("--out", a->out, "Write the report as an HTML page").value_name("FILE");
    add_data_options(command, a->reading);
    command.run([a] { return review(*a); });
}

}  // namespace fearnet::cli
