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

int report_done(const EditArguments& a, const Brain& brain, const std::string& change) {
    if (a.json)
        fmt::print("{}\n", json_text({{"done", change}, {"classes", brain.class_names()}}));
    else if (!a.quiet)
        fmt::print("{}; the brain has {}\n", change, counted(brain.class_names().size(), "class", "classes"));
    return kDone;
}

int forget(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    Work work(a);
    brain.forget(a.from, work.progress());
    return report_done(a, brain, "removed class " + a.from);
}
int rename(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    brain.rename(a.from, a.to);
    return report_done(a, brain, "renamed class " + a.from + " to " + a.to);
}
int merge(const EditArguments& a) {
    Brain brain = open_brain(a, BrainAccess::write);
    brain.merge(a.from, a.to);
    return report_done(a, brain, "merged class " + a.from + " into " + a.to);
}

struct ExportArguments : BrainArguments {
    std::string onnx;
};

int export_brain(const ExportArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const bool to_stdout = is_standard_output(a.onnx);
    if (to_stdout && a.json)
        throw Error("--json and --onnx " + a.onnx +
                    ": both would write to standard output; give only one of them");
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
    if (!to_stdout) fmt::print("{}: ONNX model\n", printable(a.onnx));
    if (!left_out.empty())
        fmt::print(notes, "not exported, since not yet consolidated: {}; run 'fearnet sleep {}' first\n",
                   names_text(left_out), printable(a.brain));
    return kDone;
}

}  // namespace

void add_export_command(Program& program) {
    const auto a = std::make_shared<ExportArguments>();
    Command& command = add_brain_command(program, "export", "Export the classifier as an ONNX model", *a);
    command.footer(
        "The input of the model is a batch of rows, its output their class probabilities; the class names "
        "are in its metadata.\nSee docs/formats/onnx.md.\n\n"
        "Examples:\n  fearnet export birds.brain --onnx birds.onnx");
    command.option("--onnx", a->onnx, "File to write; - for standard output").value_name("FILE").required();
    command.run([a] { return export_brain(*a); });
}

void add_forget_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command =
        add_brain_command(program, "forget", "Remove a class with its rows, statistics and output unit", *a);
    command.footer(
        "Not removed: the effect of the class on network weights other than those of its output unit, and "
        "its contribution\nto a covariance that all classes share.\n\n"
        "Examples:\n  fearnet forget birds.brain owl");
    command.option("CLASS", a->from, "Name of the class").required();
    command.run([a] { return forget(*a); });
}

void add_rename_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command = add_brain_command(program, "rename", "Rename a class", *a);
    command.footer("Examples:\n  fearnet rename birds.brain owl \"barn owl\"");
    command.option("CLASS", a->from, "Name of the class").required();
    command.option("NEW", a->to, "New name").required();
    command.run([a] { return rename(*a); });
}

void add_merge_command(Program& program) {
    const auto a = std::make_shared<EditArguments>();
    Command& command = add_brain_command(program, "merge", "Merge one class into another", *a);
    command.footer(
        "The learner keeps both classes. The brain adds up their probabilities and reports them under the "
        "name INTO.\n\n"
        "Examples:\n  fearnet merge birds.brain \"barn owl\" owl");
    command.option("CLASS", a->from, "Class to merge; its name disappears").required();
    command.option("INTO", a->to, "Class to merge it into; its name stays").required();
    command.run([a] { return merge(*a); });
}

}  // namespace fearnet::cli
