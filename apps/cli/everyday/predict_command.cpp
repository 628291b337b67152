#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "everyday/answer_format.hpp"
#include "everyday/input_rows.hpp"
#include "output.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(DATA holds photographs, sounds, texts or numeric rows, as for 'fearnet learn'. Prints one line per row: the name of the
file or else the row number, the most probable class and its probability, then with --top the next classes and their
probabilities. Labels in DATA are ignored. Of an .npz file with a test set, x_test is used.

Familiarity is the share of taught rows that look as strange as this row or stranger. A row whose familiarity is below
--unknown is answered with "unknown" and its familiarity: it is probably of no class that was taught. --confidence 90%
prints, instead of --top, the smallest set of classes that holds the right one for 90 % of the rows of taught classes;
an empty set is "unknown". Both need a learner that estimates familiarity: fearnet-plus, fearnet, streaming-lda or
nearest-mean.

--explain has an effect for the learner fearnet only. It adds the memory that answered, the best class of each memory,
the router's output A(x), and psi. The recent memory answers if psi exceeds the probability that the long-term memory
gives its best class.

--track stores in BRAIN how well the rows fit the classes that they were predicted as, as sums by class, when all
answers are written; 'fearnet info' then tells which classes have changed. Rows answered with unknown by the option
open.unknown are left out. It takes about twice as long.

DATA may be larger than memory, unless it is an .npz file: predictions are written while rows are read. With -, standard
input is CSV, .npy, .npz or, for a brain of text, one text per line. The file of --out is created when it is complete.

Examples:
  fearnet predict birds.brain photos.npy --top 3
  fearnet predict languages.brain --text "wo ist der Bahnhof" --explain
  fearnet predict birds.brain photos.npy --out answers.csv --format csv
  fearnet predict birds.brain today.npy --track
  fearnet predict pets.brain IMG_2041.jpg --top 3
  your-embedder | fearnet predict birds.brain - --format jsonl)";

struct PredictArguments : BrainArguments {
    std::vector<std::string> files;
    std::size_t top = 1;
    bool explain = false;
    bool track = false;
    std::string out, format, unknown, confidence;
};

AnswerFormat format_of(const PredictArguments& a, const Brain& brain) {
    if (a.json && !a.format.empty()) throw Error("--json and --format: give only one of them");
    AnswerFormat format;
    if (a.format == "csv") format.style = AnswerStyle::csv;
    if (a.format == "jsonl") format.style = AnswerStyle::jsonl;
    if (a.json) format.style = AnswerStyle::json;
    format.classes = std::min(a.top, brain.class_names().size());
    format.explain = a.explain;
    format.sets = !a.confidence.empty();
    format.unknown_below =
        a.unknown.empty() ? brain.settings().unknown : parse_share("--unknown", a.unknown, 0, 0.5);
    return format;
}

// Refuses an option that needs the familiarity of rows if the brain does not estimate it.
void require_familiarity(const Brain& brain, MatrixView rows, const char* option) {
    if (brain.predict(rows.slice(0, 1)).front().familiarity()) return;
    throw Error(
        fmt::format("{}: the learner {} does not estimate familiarity; fearnet-plus, fearnet, streaming-lda "
                    "and nearest-mean "
                    "do, after they were taught a class of two rows or more",
                    option, brain.info().learner));
}

int predict(const PredictArguments& a) {
    Brain brain = open_brain(a, a.track ? BrainAccess::write : BrainAccess::read);
    AnswerFormat format = format_of(a, brain);
    const double confidence = format.sets ? parse_share("--confidence", a.confidence, 0.5, 0.999) : 0;
    InputRows input(brain, a, false);
    refuse_as_output("--out", a.out, a);
    Output out(a.out);
    // With --out, Ctrl-C removes the incomplete file.
    std::optional<Work> work;
    if (out.is_file()) work.emplace(a);
    const Progress progress = work ? work->progress() : Progress();
    std::size_t row = 0;
    FamiliarityTrack track;
    for (Matrix rows = input.next(); rows.rows() > 0; rows = input.next()) {
        const std::vector<std::string> names = input.inputs();
        if (row == 0) {
            format.inputs = !names.empty();
            if (!a.unknown.empty()) require_familiarity(brain, rows, "--unknown");
            if (a.track) require_familiarity(brain, rows, "--track");
            out.write(format.before());
        }
        const std::vector<BrainAnswer> answers =
            a.track ? brain.predict(MatrixView(rows), track) : brain.predict(MatrixView(rows));
        const std::vector<BrainExplanation> explained =
            a.explain ? brain.explain(MatrixView(rows)) : std::vector<BrainExplanation>();
        const std::vector<std::vector<std::string>> sets =
            format.sets ? brain.label_sets(MatrixView(rows), confidence)
                        : std::vector<std::vector<std::string>>();
        for (std::size_t i = 0; i < answers.size(); ++i)
            out.write(format.answer({answers[i], explained.empty() ? nullptr : &explained[i],
                                     sets.empty() ? nullptr : &sets[i], row,
                                     format.inputs ? names[row] : std::string()})),
                ++row;
        out.flush();
        report(progress, {"predict", row, input.total()}, "predict");
    }
    out.write(format.after());
    out.finish();
    if (!a.quiet) print_skipped(input.skipped());
    if (a.track) brain.track(track);
    return kDone;
}

}  // namespace

void add_predict_command(Program& program) {
    const auto a = std::make_shared<PredictArguments>();
    Command& command = add_brain_command(program, "predict",
                                         "Predict the classes of photographs, sounds, texts or rows", *a);
    command.footer(kFooter);
    command.option(
        "DATA", a->files,
        "What to classify; several files if each is a photograph, a sound or a text; - for standard input");
    command.option("--text", a->text, "Text to classify instead of DATA, for a brain of text");
    command.option("--top", a->top, "Number of classes to print per row, most probable first")
        .between(1, 1000000)
        .show_default();
    command
        .option(
            "--unknown", a->unknown,
            "Answer rows that look less familiar than this share of the taught rows with unknown; default: "
            "option open.unknown of the brain, 1%")
        .value_name("SHARE");
    command
        .option("--confidence", a->confidence,
                "Print the set of classes that holds the right one with this probability, such as 90%")
        .value_name("SHARE");
    command.flag("--explain", a->explain, "Add the memory that answered (learner fearnet only)");
    command.flag("--track", a->track, "Record whether the rows look as familiar as those taught, for info");
    command.option("--out", a->out, "Write to this file instead of standard output").value_name("FILE");
    command
        .option("--format", a->format,
                "Output format; default tsv. csv has a header; jsonl is one JSON object per line")
        .value_name("FORMAT")
        .one_of({"tsv", "csv", "jsonl"});
    add_data_options(command, a->reading);
    command.run([a] {
        a->take_files(a->files);
        return predict(*a);
    });
}

}  // namespace fearnet::cli
