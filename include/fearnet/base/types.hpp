// The small vocabulary every folder shares.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "fearnet/base/matrix.hpp"

namespace fearnet {

// A class inside the library: 0, 1, 2, ... in the order of a FeatureSet's names. Users see strings; the
// mapping happens once, at the edge.
enum class ClassId : std::int32_t {};

constexpr std::int32_t index_of(ClassId id) {
    return static_cast<std::int32_t>(id);
}

// Examples with their labels: labels.size() == x.rows.
struct LabeledView {
    MatrixView x;
    std::span<const ClassId> labels;
};

// Bytes by kind ("networks", "statistics", "examples", ...).
using MemoryUse = std::map<std::string, std::size_t>;

}  // namespace fearnet
