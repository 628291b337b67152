#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "everyday/answer_format.hpp"
#include "everyday/questions.hpp"
#include "output.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(One line per row: its number, the likeliest class and how likely it is, then the next ones with --top. --explain adds,
for a brain of the learner fearnet, which memory answered, the best class of each, the router's A(x) and psi: the recent
memory answers when psi is larger than the long-term memory's probability; others have nothing to add. Labels in DATA are passed over; x_test of an .npz is used. DATA may be
larger than memory, except .npz: answers are written as rows are read. - reads CSV, .npy or .npz, or lines of text for a
brain of text, from standard input. A file given with --out appears when it is whole.

Examples:
  fearnet predict birds.brain photos.npy --top 3
  fearnet predict languages.brain --text "wo ist der Bahnhof" --explain
  fearnet predict birds.brain photos.npy --out answers.csv --format csv
  embed photos/ | fearnet predict birds.brain - --format jsonl)";

struct PredictArguments : BrainArguments {
    std::size_t top = 1;
    bool explain = false;
    std::string out, format;
};

AnswerFormat format_of(const PredictArguments& a, const Brain& brain) {
    if (a.json && !a.format.empty()) throw Error("--json and --format: give one of them");
    AnswerFormat format;
    if (a.format == "csv") format.style = AnswerStyle::csv;
    if (a.format == "jsonl") format.style = AnswerStyle::jsonl;
    if (a.json) format.style = AnswerStyle::json;
    format.classes = std::min(a.top, brain.class_names().size());
    format.explain = a.explain;
    return format;
}

int predict(const PredictArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const AnswerFormat format = format_of(a, brain);
    Questions questions(brain, a, false);
    Output out(a.out);
    // A half-written file is removed when the program is told to stop.
    std::optional<Work> work;
    if (out.is_file()) work.emplace(a);
    const Progress progress = work ? work->progress() : Progress();
    std::size_t row = 0;
    for (Matrix rows = questions.next(); rows.rows() > 0; rows = questions.next()) {
        if (row == 0) out.write(format.before());
        const std::vector<BrainAnswer> answers = brain.predict(MatrixView(rows));
        const std::vector<BrainExplanation> explained =
            a.explain ? brain.explain(MatrixView(rows)) : std::vector<BrainExplanation>();
        for (std::size_t i = 0; i < answers.size(); ++i)
            out.write(format.answer(answers[i], explained.empty() ? nullptr : &explained[i], row++));
        out.flush();
        report(progress, {"predict", row, questions.total()}, "predict");
    }
    out.write(format.after());
    out.finish();
    return kDone;
}

}  // namespace

void add_predict_command(Program& program) {
    const auto a = std::make_shared<PredictArguments>();
    Command& command = add_brain_command(program, "predict", "Ask it what rows or texts are", *a);
    command.footer(kFooter);
    command.option("DATA", a->data, "Rows to ask about; - for standard input");
    command.option("--text", a->text, "One text, for a brain of text");
    command.option("--top", a->top, "Classes to show, likeliest first").between(1, 1000000).show_default();
    command.flag("--explain", a->explain, "Say which memory each answer came from, if the learner has two");
    command.option("--out", a->out, "Write to this file instead of standard output").value_name("FILE");
    command.option("--format", a->format, "tsv unless told; csv has a header, jsonl one object per line")
        .value_name("FORMAT")
        .one_of({"tsv", "csv", "jsonl"});
    add_data_options(command, a->reading);
    command.run([a] { return predict(*a); });
}

}  // namespace fearnet::cli
