#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"
#include "fearnet/onnx.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

struct EditArguments : BrainArguments {
    std::string from, to;
};

int done(const EditArguments& a, const Brain& brain, const std::string& said) {
    if (a.json)
        fmt::print("{}\n", json_text({{"done", said}, {"classes", brain.class_names()}}));
    else if (!a.quiet)
        fmt::print("{}; {} left\n", said, counted(brain.class_names().size(), "class is", "classes are"));
    return kDone;
}

int forget(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    Work work(a);
    brain.forget(a.from, work.progress());
    return done(a, brain, "forgot " + a.from);
}
int rename(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    brain.rename(a.from, a.to);
    return done(a, brain, a.from + " is called " + a.to);
}
int merge(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    brain.merge(a.from, a.to);
    return done(a, brain, a.from + " is " + a.to + " from now on");
}

struct ExportArguments : BrainArguments {
    std::string onnx;
};

int export_brain(const ExportArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const bool to_stdout = is_standard_output(a.onnx);
    if (to_stdout && a.json)
        throw Error("--json and --onnx " + a.onnx + ": both would go to standard output; give one of them");
    std::vector<std::string> left_out;
    if (to_stdout) {
        const BrainModel model = onnx_model(brain);
        Output out(a.onnx);
        out.write(model.bytes);
        out.finish();
        left_out = model.left_out;
    } else {
        left_out = export_onnx(brain, a.onnx);
    }
    if (a.json) {
        fmt::print("{}\n", json_text({{"file", a.onnx}, {"left_out", left_out}}));
        return kDone;
    }
    if (a.quiet) return kDone;
    std::FILE* const notes = to_stdout ? stderr : stdout;
    if (!to_stdout) fmt::print("{}: an ONNX model\n", printable(a.onnx));
    if (!left_out.empty())
        fmt::print(notes, "not in it, since they are recent: {}; 'fearnet sleep {}' consolidates them\n",
                   names_text(left_out), printable(a.brain));
    return kDone;
}

}  // namespace

void add_export_command(Program& program) {
    const auto a = std::make_shared<ExportArguments>();
    Command& command = add_brain_command(program, "export", "Write the classifier for other runtimes", *a);
    command.footer(
        "docs/formats/onnx.md describes the model: rows in, probabilities out, names in its metadata.");
    command.option("--onnx", a->onnx, "The ONNX file to write; - is standard output")
        .value_name("FILE")
        .required();
    command.run([a] { return export_brain(*a); });
}

void add_forget_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command =
        add_brain_command(program, "forget", "Remove a class: its rows, statistics and output", *a);
    command.footer(
        "What networks learned from it beyond its own output, and what it added to a covariance that all "
        "classes share, "
        "stays.");
    command.option("CLASS", a->from, "Its name").required();
    command.run([a] { return forget(*a); });
}

void add_rename_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command = add_brain_command(program, "rename", "Give a class another name", *a);
    command.footer("Examples:\n  fearnet rename birds.brain owl \"barn owl\"");
    command.option("CLASS", a->from, "Its name").required();
    command.option("NEW", a->to, "Its new name").required();
    command.run([a] { return rename(*a); });
}

void add_merge_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command = add_brain_command(program, "merge", "Make one class of two", *a);
    command.footer("Both stay apart inside and answer by one name; nothing that was learned is lost.");
    command.option("CLASS", a->from, "The one that goes up in the other").required();
    command.option("INTO", a->to, "The name that stays").required();
    command.run([a] { return merge(*a); });
}

}  // namespace fearnet::cli
