// Asking a brain; nothing here changes it.
#include <algorithm>
#include <cstring>

#include "core/capi/guard.hpp"
#include "core/capi/handle.hpp"
#include "core/capi/reason.hpp"

using namespace fearnet;
using capi::guarded;
using capi::need;

namespace fearnet::capi {
namespace {

fearnet_answer as_answer(const fearnet_brain& brain, const BrainAnswer& from) {
    const Explanation& e = from.explanation;
    fearnet_answer to = {};
    to.label = brain.kept(from.classes.front().name);
    to.probability = from.classes.front().probability;
    to.memory = e.memory == Memory::recent ? FEARNET_RECENT : FEARNET_CONSOLIDATED;
    to.recent_label = brain.kept(from.recent_name);
    to.consolidated_label = brain.kept(from.consolidated_name);
    to.recent_probability = e.recent_probability;
    to.consolidated_probability = e.consolidated_probability;
    to.router = e.router;
    to.psi = e.psi;
    return to;
}

}  // namespace
}  // namespace fearnet::capi

fearnet_status fearnet_predict(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_answer* answers, fearnet_ranked* ranked, size_t top) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows"), need(answers, "answers");
        if (ranked != nullptr && top == 0) throw capi::BadArgument("top is 0 but ranked is not NULL");
        const std::size_t asked = ranked == nullptr ? 1 : top;
        const std::vector<BrainAnswer> found = brain->brain.predict({rows, n, width}, asked);
        // First everything that may fail, then the results.
        std::vector<fearnet_answer> first;
        std::vector<fearnet_ranked> all(ranked == nullptr ? 0 : n * top, fearnet_ranked{nullptr, 0});
        for (std::size_t i = 0; i < found.size(); ++i) {
            first.push_back(capi::as_answer(*brain, found[i]));
            for (std::size_t j = 0; ranked != nullptr && j < found[i].classes.size(); ++j)
                all[i * top + j] = {brain->kept(found[i].classes[j].name), found[i].classes[j].probability};
        }
        std::copy(first.begin(), first.end(), answers);
        std::copy(all.begin(), all.end(), ranked);
    });
}

fearnet_status fearnet_text_rows(const fearnet_brain* brain, const char* const* texts, size_t n, float* rows,
                                 size_t width) {
    return guarded([&] {
        need(brain, "brain"), need(texts, "texts"), need(rows, "rows");
        std::vector<std::string> strings;
        for (std::size_t i = 0; i < n; ++i) need(texts[i], "a text"), strings.emplace_back(texts[i]);
        const Matrix made = brain->brain.rows_of(strings);
        if (width != brain->brain.width())
            throw capi::BadArgument("width is " + std::to_string(width) + " but a text becomes " +
                                    std::to_string(brain->brain.width()) + " features");
        std::copy_n(made.data(), made.size(), rows);
    });
}

fearnet_status fearnet_info(const fearnet_brain* brain, fearnet_summary* summary) {
    return guarded([&] {
        need(brain, "brain"), need(summary, "summary");
        const BrainInfo info = brain->brain.info();
        fearnet_summary s = {};
        s.classes = info.classes.size();
        s.width = info.width;
        for (const auto& [kind, bytes] : info.memory) s.memory_bytes += bytes;
        s.file_bytes = info.file_bytes;
        s.sessions_since_sleep = info.sessions_since_sleep;
        capi::copy_reason(info.sleep_due, s.sleep_due);
        s.takes_text = brain->brain.takes_text();
        *summary = s;
    });
}

fearnet_status fearnet_classes(const fearnet_brain* brain, fearnet_class* classes, size_t capacity,
                               size_t* count) {
    return guarded([&] {
        need(brain, "brain"), need(count, "count");
        if (capacity > 0) need(classes, "classes");
        const BrainInfo info = brain->brain.info();
        std::vector<fearnet_class> filled;
        for (std::size_t i = 0; i < std::min(capacity, info.classes.size()); ++i) {
            const BrainInfo::Class& c = info.classes[i];
            filled.push_back({brain->kept(c.name), c.examples, c.recent, c.consolidated});
        }
        std::copy(filled.begin(), filled.end(), classes);
        *count = info.classes.size();
    });
}
