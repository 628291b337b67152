#include "core/learners/fearnet/answers.hpp"

#include <algorithm>

#include "core/learners/fearnet/choose_memory.hpp"
#include "core/learners/fearnet/shared_classes.hpp"

namespace fearnet {
namespace {

// Rows are answered in parts of this many, which bounds the memory of a large batch.
constexpr std::size_t kRowsAtOnce = 1024;

// What everyone says of some rows.
struct Opinions {
    Matrix codes, consolidated, recent;  // the last two: n x classes of each memory
    std::vector<double> router;          // A(x)
};

void ask(const Memories& m, MatrixView rows, Opinions& o) {
    if (!m.consolidated.empty()) {
        m.consolidated.encode(rows, o.codes);
        m.consolidated.probabilities_of_codes(o.codes, o.consolidated);
    }
    o.router.assign(rows.rows, m.consolidated.empty() ? 1.0 : 0.0);
    if (m.recent.empty()) return;
    o.recent = m.recent.distances(rows);
    Hippocampus::to_probabilities(o.recent, m.options);
    if (!m.consolidated.empty())
        o.router = m.router.recent_probability(m.router.sees_codes() ? MatrixView(o.codes) : rows);
}

// Calls f(first row, opinions) for the rows of x, part by part.
template <class F>
void for_parts(const Memories& m, MatrixView x, const F& f) {
    Opinions opinions;
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        ask(m, x.slice(first, std::min(kRowsAtOnce, x.rows - first)), opinions);
        f(first, opinions);
    }
}

struct Best {
    std::size_t column = 0;
    double probability = 0;
};
Best best_of(const Matrix& probabilities, std::size_t row) {
    const float* p = probabilities.row(row);
    const float* max = std::max_element(p, p + probabilities.cols());
    return {static_cast<std::size_t>(max - p), static_cast<double>(*max)};
}

void weigh_shared(const Memories& m, const std::vector<SharedClass>& shared, const Opinions& o,
                  std::size_t row, Explanation& e) {
    const double best = e.memory == Memory::recent ? e.router * e.recent_probability
                                                   : (1 - e.router) * e.consolidated_probability;
    if (shared.empty()) return;
    const SharedClass* s = passing_by_sum(shared, o.recent.row(row), o.consolidated.row(row), e.router, best);
    if (!s) return;
    e.label = m.recent.contents()[s->recent].id;
    const double recent = e.router * static_cast<double>(o.recent(row, s->recent));
    const double old = (1 - e.router) * static_cast<double>(o.consolidated(row, s->consolidated));
    e.memory = recent > old ? Memory::recent : Memory::consolidated;
}

Explanation explain_row(const Memories& m, const std::vector<SharedClass>& shared, const Opinions& o,
                        std::size_t row) {
    Explanation e;
    if (!m.consolidated.empty()) {
        const Best old = best_of(o.consolidated, row);
        e.consolidated_label = e.recent_label = m.consolidated.classes()[old.column];
        e.consolidated_probability = old.probability;
    }
    if (!m.recent.empty()) {
        const Best fresh = best_of(o.recent, row);
        e.recent_label = m.recent.contents()[fresh.column].id;
        e.recent_probability = fresh.probability;
        if (m.consolidated.empty()) e.consolidated_label = e.recent_label;
    }
    e.router = o.router[row];
    const Choice choice = choose_memory(e.recent_probability, e.router, e.consolidated_probability);
    e.psi = choice.psi;
    e.memory = choice.memory;
    e.label = e.memory == Memory::recent ? e.recent_label : e.consolidated_label;
    weigh_shared(m, shared, o, row, e);
    return e;
}

}  // namespace

std::vector<Explanation> explain_rows(const Memories& memories, MatrixView x) {
    const std::vector<SharedClass> shared = shared_classes(memories.recent, memories.consolidated);
    std::vector<Explanation> result;
    result.reserve(x.rows);
    for_parts(memories, x, [&](std::size_t, const Opinions& o) {
        for (std::size_t i = 0; i < o.router.size(); ++i)
            result.push_back(explain_row(memories, shared, o, i));
    });
    return result;
}

Matrix mixed_probabilities(const Memories& memories, std::span<const ClassId> classes, MatrixView x) {
    const auto column = [&](ClassId id) {
        return static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), id) -
                                        classes.begin());
    };
    std::vector<std::size_t> recent, consolidated;
    for (const Hippocampus::ClassExamples& c : memories.recent.contents()) recent.push_back(column(c.id));
    for (ClassId id : memories.consolidated.classes()) consolidated.push_back(column(id));
    const std::vector<SharedClass> shared = shared_classes(memories.recent, memories.consolidated);
    Matrix result(x.rows, classes.size());
    std::vector<double> p(classes.size());
    for_parts(memories, x, [&](std::size_t first, const Opinions& o) {
        for (std::size_t i = 0; i < o.router.size(); ++i) {
            const double a = o.router[i];
            std::fill(p.begin(), p.end(), 0.0);
            for (std::size_t k = 0; k < recent.size(); ++k)
                p[recent[k]] += a * static_cast<double>(o.recent(i, k));
            for (std::size_t k = 0; k < consolidated.size(); ++k)
                p[consolidated[k]] += (1 - a) * static_cast<double>(o.consolidated(i, k));
            // psi divides where the mixture multiplies: rounding must not set another class before the
            // answer.
            p[column(explain_row(memories, shared, o, i).label)] = *std::max_element(p.begin(), p.end());
            for (std::size_t j = 0; j < p.size(); ++j) result(first + i, j) = static_cast<float>(p[j]);
        }
    });
    return result;
}

}  // namespace fearnet
