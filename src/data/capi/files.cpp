// The C functions that take photographs, sounds and texts.
#include "core/capi/convert.hpp"
#include "fearnet/data/embedder.hpp"

using namespace fearnet;
using capi::guarded;
using capi::need;

namespace {

std::vector<EmbedderInput> as_inputs(const char* const* paths, std::size_t n) {
    if (n == 0) throw capi::BadArgument("n is 0; it must be at least 1");
    std::vector<EmbedderInput> inputs;
    for (std::string& path : capi::as_strings(paths, n, "path")) inputs.push_back({std::move(path), {}});
    return inputs;
}

// The embedder of the brain or, before it has learned anything, the default one for these files.
std::shared_ptr<const Embedder> embedder_of(const fearnet_brain* brain,
                                            const std::vector<EmbedderInput>& inputs) {
    const FrontEnd& recorded = brain->brain.front_end();
    auto kept = std::static_pointer_cast<const Embedder>(brain->companion());
    if (kept && kept->front_end() == recorded) return kept;
    if (!recorded.name.empty())
        kept = std::make_shared<Embedder>(recorded);
    else if (!brain->brain.class_names().empty() || brain->brain.accepts_text())
        throw Error("this brain learns from rows or texts, not from files; make another one");
    else if (const std::optional<InputKind> kind = kind_of(inputs))
        kept = std::make_shared<Embedder>(kind_name(*kind));
    else
        throw Error(inputs.front().name + ": neither a photograph nor a sound nor a .txt file");
    brain->keep(kept);
    return kept;
}

EmbeddedInputs embedded(const Embedder& embedder, const std::vector<EmbedderInput>& inputs,
                        const Progress& progress) {
    EmbeddedInputs made = embedder.embed(inputs, progress);
    if (made.rows.rows() == 0)
        throw Error("none of the " + std::to_string(inputs.size()) + " files can be used; the first: " +
                    made.skipped.front().name + ": " + made.skipped.front().reason);
    return made;
}

void mark_used(const EmbeddedInputs& made, std::size_t n, int* used) {
    if (used == nullptr) return;
    std::fill_n(used, n, 0);
    for (const std::size_t i : made.of_input) used[i] = 1;
}

}  // namespace

fearnet_status fearnet_learn_files(fearnet_brain* brain, const char* const* paths, size_t n,
                                   const char* const* labels, size_t label_count, fearnet_progress progress,
                                   void* user, fearnet_outcome* outcome, int* used) {
    return guarded([&] {
        need(brain, "brain"), need(paths, "paths"), need(labels, "labels");
        const std::vector<EmbedderInput> inputs = as_inputs(paths, n);
        const std::vector<std::string> all = capi::labels_of(labels, label_count, n);
        if (all.size() != n)
            throw capi::BadArgument("label_count is " + std::to_string(label_count) + "; it must be 1 or n, " +
                                    std::to_string(n));
        const Progress report = capi::as_progress(progress, user);
        const std::shared_ptr<const Embedder> embedder = embedder_of(brain, inputs);
        const EmbeddedInputs made = embedded(*embedder, inputs, report);
        std::vector<std::string> names;
        for (const std::size_t i : made.of_input) names.push_back(all[i]);
        const LearnOutcome done = brain->brain.learn(embedder->front_end(), made.rows, names, report);
        capi::fill(done, outcome);
        mark_used(made, n, used);
    });
}

fearnet_status fearnet_predict_files(const fearnet_brain* brain, const char* const* paths, size_t n,
                                     fearnet_ranked* ranked, size_t top, int* used) {
    return guarded([&] {
        need(brain, "brain"), need(paths, "paths"), need(ranked, "ranked");
        if (top == 0) throw capi::BadArgument("top is 0; it must be at least 1");
        const std::vector<EmbedderInput> inputs = as_inputs(paths, n);
        if (brain->brain.front_end().name.empty())
            throw Error("this brain has not learned from files; give its rows to fearnet_predict");
        const EmbeddedInputs made = embedded(*embedder_of(brain, inputs), inputs, {});
        const std::vector<fearnet_ranked> filled =
            capi::ranked_classes(brain, brain->brain.predict(made.rows), top);
        std::fill_n(ranked, n * top, fearnet_ranked{nullptr, 0});
        for (std::size_t k = 0; k < made.of_input.size(); ++k)
            std::copy_n(filled.begin() + static_cast<std::ptrdiff_t>(k * top), top,
                        ranked + made.of_input[k] * top);
        mark_used(made, n, used);
    });
}
