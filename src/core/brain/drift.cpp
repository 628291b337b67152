#include "core/brain/drift.hpp"

#include <algorithm>
#include <cmath>

namespace fearnet {
namespace {

// Correlation of the p-values within one call.
constexpr double kAlike = 0.05;
// A record forgets: with more independent rows than this, the earlier ones lose weight, so that a change
// shows however much was recorded before it.
constexpr double kMostRows = 100;
// The quantiles of a class are known as if they came from at most this many examples: a sketch of few
// quantiles and a model that changes with every class bring errors that more examples do not remove.
constexpr double kMostExamples = 100;
// A class is unchanged down to this mean p-value. 0.5 is promised, but new examples fit a little worse than
// the taught ones that the promise comes from, and some classes worse than others.
constexpr double kUnchanged = 0.45;
// Of one p-value, which is uniform if nothing has changed.
constexpr double kVariance = 1.0 / 12;

double effective_rows(double weight) {
    return weight / (1 + kAlike * std::max(0.0, weight - 1));
}

}  // namespace

void add_call(FamiliarityRecord& record, const SeenRows& seen) {
    if (seen.rows == 0 || !(seen.weight > 0)) return;
    const double effective = effective_rows(seen.weight),
                 kept = std::min(1.0, (kMostRows - effective) / std::max(record.weight, 1.0));
    record.weight *= kept, record.sum *= kept;
    record.rows = std::min(kMostCount, record.rows + seen.rows);
    record.weight += effective;
    record.sum += effective * std::clamp(seen.sum / seen.weight, 0.0, 1.0);
}

// The mean of m p-values of new rows among n taught ones is the Mann-Whitney statistic: its variance is
// (1/m + 1/n) / 12. With the unequal weights of a record the first term is smaller than that. The normal tail
// bounds that of a mean of bounded numbers well enough.
ClassDrift drift_of(std::span<const FamiliarityRecord* const> records) {
    ClassDrift drift;
    double weight = 0, sum = 0, variance = 0;
    for (const FamiliarityRecord* r : records) weight += r->weight, sum += r->sum;
    for (const FamiliarityRecord* r : records) {
        drift.rows += r->rows;
        if (drift.since.empty() || r->since < drift.since) drift.since = r->since;
        const double share = r->weight / weight,
                     taught = static_cast<double>(std::max<std::int64_t>(1, r->examples));
        variance += share * share * kVariance * (1 / r->weight + 1 / taught + 1 / kMostExamples);
    }
    drift.familiarity = sum / weight;
    const double deviations = (kUnchanged - drift.familiarity) / std::sqrt(variance);
    drift.p_value = std::erfc(deviations / std::sqrt(2.0)) / 2;
    return drift;
}

}  // namespace fearnet
