// Whether the examples of a class still look like those that were taught.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fearnet/brain.hpp"

namespace fearnet {

// Which rows a record is about: rows of a class that were taught to it later, before they were learned, or
// rows that were predicted to be of the class.
enum class SeenAs { taught, predicted };

// Counts of rows end here, so that sums of them do not overflow.
inline constexpr std::int64_t kMostCount = std::int64_t{1} << 40;

// How well rows fitted one class, as p-values. Holds sums only, so that no row can be recovered.
struct FamiliarityRecord {
    ClassId id{};
    SeenAs seen_as = SeenAs::taught;
    std::string since;          // time of the first row, UTC
    std::int64_t examples = 0;  // of the class when the record began: the p-values compare with these
    std::int64_t rows = 0;
    double weight = 0;  // effective number of independent rows
    double sum = 0;     // of the p-values times their weights
};

// Rows of one class in one call. Each counts by the probability that it is of the class.
struct SeenRows {
    std::int64_t examples = 0;  // of the class
    std::int64_t rows = 0;
    double weight = 0, sum = 0;
    void add(double p_value, double probability) {
        ++rows, weight += probability, sum += probability * p_value;
    }
};

// Adds the rows of one call. Rows of one call are often alike (one place, one day, one camera), so that many
// of them count as 1 / kAlike independent rows at most.
void add_call(FamiliarityRecord& record, const SeenRows& seen);

// The result of the records of one class; several if it was merged. There must be at least one.
ClassDrift drift_of(std::span<const FamiliarityRecord* const> records);

// Below this p-value a change is reported; with several records, below their share of it.
inline constexpr double kDriftLevel = 0.01;

}  // namespace fearnet
