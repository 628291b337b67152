// Conversions between the C interface and the library.
#pragma once

#include <fearnet_c.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/capi/guard.hpp"
#include "core/capi/handle.hpp"

namespace fearnet::capi {

// Copies a text into a struct of fearnet_c.h. Truncated if it does not fit.
inline void copy_reason(const std::string& text, char (&out)[FEARNET_REASON_SIZE]) {
    std::memset(out, 0, sizeof out);
    std::strncpy(out, text.c_str(), sizeof out - 1);
}

inline Progress as_progress(fearnet_progress callback, void* user) {
    if (callback == nullptr) return {};
    return [callback, user](const ProgressEvent& event) {
        const std::string phase(event.phase);
        return callback(user, phase.c_str(), event.done, event.total, event.loss) != 0;
    };
}

// `what` is "label" or "path".
inline std::vector<std::string> as_strings(const char* const* texts, std::size_t n, const char* what) {
    std::vector<std::string> result;
    result.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (texts[i] == nullptr) throw BadArgument(std::string(what) + " " + std::to_string(i) + " is NULL");
        result.emplace_back(texts[i]);
    }
    return result;
}

// One label per example, or one for all of them.
inline std::vector<std::string> labels_of(const char* const* labels, std::size_t label_count, std::size_t n) {
    std::vector<std::string> names = as_strings(labels, label_count, "label");
    if (label_count == 1) names.resize(n, std::string(names.front()));
    return names;
}

// `out` may be NULL.
inline void fill(const LearnOutcome& done, fearnet_outcome* out) {
    if (out == nullptr) return;
    out->examples = done.examples;
    out->new_classes = done.new_classes.size();
    out->known_classes = done.known_classes.size();
    copy_reason(done.sleep_due.value_or(""), out->sleep_due);
    out->learn_seconds = done.learn_seconds;
    out->write_seconds = done.write_seconds;
}

// The `top` most probable classes of each answer, `top` per row.
inline std::vector<fearnet_ranked> ranked_classes(const fearnet_brain* brain,
                                                  const std::vector<BrainAnswer>& answers, std::size_t top) {
    std::vector<fearnet_ranked> filled(answers.size() * top, fearnet_ranked{nullptr, 0});
    for (std::size_t i = 0; i < answers.size(); ++i) {
        std::size_t at = i * top;
        for (const auto& [name, probability] : answers[i].top(top))
            filled[at++] = {brain->kept(name), probability};
    }
    return filled;
}

}  // namespace fearnet::capi
