#include "core/learners/fearnet/answers.hpp"

#include <algorithm>
#include <cmath>

#include "core/learners/fearnet/choose_memory.hpp"
#include "core/learners/fearnet/shared_classes.hpp"

namespace fearnet {
namespace {

// The outputs of both memories and the router for some rows.
struct Opinions {
    Matrix codes, consolidated, recent;  // the last two: n x classes of each memory
    std::vector<double> router;          // A(x)
};

void ask(const TwoMemories& m, MatrixView rows, Opinions& o) {
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

struct Best {
    std::size_t column = 0;
    double probability = 0;
};
Best best_of(const Matrix& probabilities, std::size_t row) {
    const float* p = probabilities.row(row);
    const float* max = std::max_element(p, p + probabilities.cols());
    return {static_cast<std::size_t>(max - p), static_cast<double>(*max)};
}

void weigh_shared(const TwoMemories& m, const std::vector<SharedClass>& shared, const Opinions& o,
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

Explanation explain_row(const TwoMemories& m, const std::vector<SharedClass>& shared, const Opinions& o,
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
    const MemoryChoice choice = choose_memory(e.recent_probability, e.router, e.consolidated_probability);
    e.psi = choice.psi;
    e.memory = choice.memory;
    e.label = e.memory == Memory::recent ? e.recent_label : e.consolidated_label;
    weigh_shared(m, shared, o, row, e);
    return e;
}

// psi divides where the mixture multiplies: rounding must not give another class the probability of the
// predicted class, or a higher one.
void put_first(std::span<float> row, std::size_t answer) {
    const float largest = *std::max_element(row.begin(), row.end());
    row[answer] = largest;
    for (std::size_t j = 0; j < row.size(); ++j)
        if (j != answer && row[j] == largest) row[j] = std::nextafter(largest, 0.0f);
}

}  // namespace

std::vector<Explanation> explain_rows(const TwoMemories& memories, MatrixView x) {
    const std::vector<SharedClass> shared = shared_classes(memories.recent, memories.consolidated);
    Opinions opinions;
    ask(memories, x, opinions);
    std::vector<Explanation> result;
    result.reserve(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) result.push_back(explain_row(memories, shared, opinions, i));
    return result;
}

Matrix mixed_probabilities(const TwoMemories& memories, std::span<const ClassId> classes, MatrixView x) {
    const auto column = [&](ClassId id) {
        return static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), id) -
                                        classes.begin());
    };
    std::vector<std::size_t> recent, consolidated;
    for (const Hippocampus::ClassExamples& c : memories.recent.contents()) recent.push_back(column(c.id));
    for (ClassId id : memories.consolidated.classes()) consolidated.push_back(column(id));
    const std::vector<SharedClass> shared = shared_classes(memories.recent, memories.consolidated);
    Opinions o;
    ask(memories, x, o);
    Matrix result(x.rows, classes.size());
    std::vector<double> p(classes.size());
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double a = o.router[i];
        std::fill(p.begin(), p.end(), 0.0);
        for (std::size_t k = 0; k < recent.size(); ++k)
            p[recent[k]] += a * static_cast<double>(o.recent(i, k));
        for (std::size_t k = 0; k < consolidated.size(); ++k)
            p[consolidated[k]] += (1 - a) * static_cast<double>(o.consolidated(i, k));
        for (std::size_t j = 0; j < p.size(); ++j) result(i, j) = static_cast<float>(p[j]);
        put_first({result.row(i), result.cols()}, column(explain_row(memories, shared, o, i).label));
    }
    return result;
}

}  // namespace fearnet
