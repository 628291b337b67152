// The C functions that create, open and change a brain.
#include <algorithm>
#include <charconv>

#include "core/capi/convert.hpp"
#include "fearnet/options.hpp"

namespace fearnet::capi {
namespace {

std::uint64_t parse_seed(const std::string& text) {
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, seed);
    if (code != std::errc() || stop != end)
        throw Error("seed: '" + text + "' is not a whole number of at most 64 bits");
    return seed;
}

// Parses "name=value" texts and assigns each to the brain or the learner.
BrainOptions parse(const char* const* texts, std::size_t count) {
    BrainOptions options;
    if (count > 0) need(texts, "options");
    Settings of_brain;
    for (std::size_t i = 0; i < count; ++i) {
        need(texts[i], "a text of options");
        auto [name, value] = split_assignment(texts[i]);
        if (name == "learner")
            options.learner.learner = value;
        else if (name == "preset")
            options.learner.preset = value;
        else if (name == "seed")
            options.learner.seed = parse_seed(value);
        else if (is_brain_option(name))
            of_brain.emplace_back(name, value);
        else
            options.learner.settings.emplace_back(name, value);
    }
    apply_options(options.settings, of_brain);
    return options;
}

}  // namespace
}  // namespace fearnet::capi

using namespace fearnet;
using capi::guarded;
using capi::need;

fearnet_status fearnet_create(const char* path, const char* const* options, size_t option_count,
                              fearnet_brain** brain) {
    return guarded([&] {
        need(path, "path"), need(brain, "brain");
        *brain = new fearnet_brain(Brain(path, create_new(capi::parse(options, option_count))));
    });
}

fearnet_status fearnet_open_or_create(const char* path, const char* const* options, size_t option_count,
                                      fearnet_brain** brain) {
    return guarded([&] {
        need(brain, "brain");
        const BrainOptions wanted = capi::parse(options, option_count);
        *brain = new fearnet_brain(path == nullptr ? Brain(wanted) : Brain(path, create_if_missing(wanted)));
    });
}

fearnet_status fearnet_open(const char* path, int read_only, fearnet_brain** brain) {
    return guarded([&] {
        need(path, "path"), need(brain, "brain");
        *brain = new fearnet_brain(Brain(path, read_only ? BrainAccess::read : BrainAccess::write));
    });
}

fearnet_status fearnet_set_lock_timeout(fearnet_brain* brain, double seconds) {
    return guarded([&] {
        need(brain, "brain");
        constexpr double kMax = 1e9;
        if (!(seconds >= 0))
            throw capi::BadArgument("seconds is " + std::to_string(seconds) + "; it must be 0 or more");
        const auto milliseconds = static_cast<std::int64_t>(1000 * std::min(seconds, kMax));
        brain->brain.set_lock_timeout(std::chrono::milliseconds(milliseconds));
    });
}

fearnet_status fearnet_copy(const fearnet_brain* brain, const char* path) {
    return guarded([&] {
        need(brain, "brain"), need(path, "path");
        brain->brain.copy_to(path);
    });
}

void fearnet_close(fearnet_brain* brain) {
    delete brain;
}

fearnet_status fearnet_learn(fearnet_brain* brain, const float* rows, size_t n, size_t width,
                             const char* const* labels, size_t label_count, fearnet_progress progress,
                             void* user, fearnet_outcome* outcome) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows"), need(labels, "labels");
        const LearnOutcome done = brain->brain.learn({rows, n, width}, capi::labels_of(labels, label_count, n),
                                                     capi::as_progress(progress, user));
        capi::fill(done, outcome);
    });
}

fearnet_status fearnet_sleep(fearnet_brain* brain, int64_t epochs, double seconds, fearnet_progress progress,
                             void* user, int* slept) {
    return guarded([&] {
        need(brain, "brain");
        const bool done = brain->brain.sleep({epochs, seconds}, capi::as_progress(progress, user));
        if (slept != nullptr) *slept = done;
    });
}

fearnet_status fearnet_forget(fearnet_brain* brain, const char* label, fearnet_progress progress,
                              void* user) {
    return guarded([&] {
        need(brain, "brain"), need(label, "label");
        brain->brain.forget(label, capi::as_progress(progress, user));
    });
}

fearnet_status fearnet_rename(fearnet_brain* brain, const char* from, const char* to) {
    return guarded([&] {
        need(brain, "brain"), need(from, "from"), need(to, "to");
        brain->brain.rename(from, to);
    });
}

fearnet_status fearnet_merge(fearnet_brain* brain, const char* from, const char* into) {
    return guarded([&] {
        need(brain, "brain"), need(from, "from"), need(into, "into");
        brain->brain.merge(from, into);
    });
}

fearnet_status fearnet_refresh(fearnet_brain* brain, int* changed) {
    return guarded([&] {
        need(brain, "brain");
        const bool had = brain->brain.refresh();
        if (changed != nullptr) *changed = had;
    });
}
