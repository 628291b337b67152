// The C functions that read a brain.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/capi/convert.hpp"

using namespace fearnet;
using capi::guarded;
using capi::need;

// In all functions, results are written after everything that may fail.

fearnet_status fearnet_predict(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_ranked* ranked, size_t top) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows"), need(ranked, "ranked");
        if (top == 0) throw capi::BadArgument("top is 0; it must be at least 1");
        const std::vector<fearnet_ranked> filled =
            capi::ranked_classes(brain, brain->brain.predict(MatrixView(rows, n, width)), top);
        std::copy(filled.begin(), filled.end(), ranked);
    });
}

fearnet_status fearnet_predict_with_familiarity(const fearnet_brain* brain, const float* rows, size_t n,
                                                size_t width, fearnet_ranked* ranked, size_t top,
                                                double* familiarity, int* unknown) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows");
        if (top > 0) need(ranked, "ranked");
        const std::vector<BrainAnswer> answers = brain->brain.predict(MatrixView(rows, n, width));
        const std::vector<fearnet_ranked> filled = capi::ranked_classes(brain, answers, top);
        std::copy(filled.begin(), filled.end(), ranked);
        for (std::size_t i = 0; i < n; ++i) {
            if (familiarity != nullptr) familiarity[i] = answers[i].familiarity().value_or(-1);
            if (unknown != nullptr) unknown[i] = answers[i].unknown();
        }
    });
}

fearnet_status fearnet_predict_sets(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                                    double confidence, const char** labels, size_t capacity, size_t* sizes) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows"), need(sizes, "sizes");
        if (capacity > 0) need(labels, "labels");
        const std::vector<std::vector<std::string>> sets =
            brain->brain.label_sets(MatrixView(rows, n, width), confidence);
        std::vector<const char*> filled(n * capacity, nullptr);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < std::min(capacity, sets[i].size()); ++k)
                filled[i * capacity + k] = brain->kept(sets[i][k]);
        std::copy(filled.begin(), filled.end(), labels);
        for (std::size_t i = 0; i < n; ++i) sizes[i] = sets[i].size();
    });
}

fearnet_status fearnet_explain(const fearnet_brain* brain, const float* rows, size_t n, size_t width,
                               fearnet_explanation* explanations, int* explained) {
    return guarded([&] {
        need(brain, "brain"), need(rows, "rows"), need(explanations, "explanations");
        need(explained, "explained");
        std::vector<fearnet_explanation> filled;
        for (const BrainExplanation& e : brain->brain.explain(MatrixView(rows, n, width)))
            filled.push_back({brain->kept(e.label),
                              e.memory == Memory::recent ? FEARNET_RECENT : FEARNET_CONSOLIDATED,
                              brain->kept(e.recent_label), brain->kept(e.consolidated_label),
                              e.recent_probability, e.consolidated_probability, e.router, e.psi});
        std::copy(filled.begin(), filled.end(), explanations);
        *explained = brain->brain.learner().routing() != nullptr;
    });
}

fearnet_status fearnet_text_rows(const fearnet_brain* brain, const char* const* texts, size_t n, float* rows,
                                 size_t width) {
    return guarded([&] {
        need(brain, "brain"), need(texts, "texts"), need(rows, "rows");
        std::vector<std::string> strings;
        for (std::size_t i = 0; i < n; ++i) need(texts[i], "a text"), strings.emplace_back(texts[i]);
        const Matrix made = brain->brain.text_rows(strings);
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
        capi::copy_reason(info.sleep_due.value_or(""), s.sleep_due);
        s.accepts_text = brain->brain.accepts_text();
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

fearnet_status fearnet_expected_accuracy(const fearnet_brain* brain, double* accuracies, size_t capacity) {
    return guarded([&] {
        need(brain, "brain");
        if (capacity > 0) need(accuracies, "accuracies");
        const BrainInfo info = brain->brain.info();
        const std::map<std::string, double> known = brain->brain.expected_accuracy();
        for (std::size_t i = 0; i < std::min(capacity, info.classes.size()); ++i) {
            const auto at = known.find(info.classes[i].name);
            accuracies[i] = at == known.end() ? -1 : at->second;
        }
    });
}
