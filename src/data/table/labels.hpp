// From the labels in a file to dense ClassIds and names.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/io/array.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Labels as a file has them: whole numbers or text.
using RawLabels = std::variant<std::vector<std::int64_t>, std::vector<std::string>>;

struct MappedLabels {
    std::vector<std::vector<ClassId>> parts;  // one per part given
    std::vector<std::string> names;
};

// Maps the labels of several parts (training rows, test rows) together. Numbers get ids in ascending order,
// text in byte order; text that is all whole numbers ("3", "3.0") counts as numbers. A class is called by its
// text; a number by class_names[number] when every number is one of 0 .. class_names.size() - 1, else by its
// decimal digits. Throws Error starting with `what` when one part is numbers and another text, or a name is
// empty, not UTF-8 or used twice.
MappedLabels map_labels(std::vector<RawLabels> parts, const std::vector<std::string>& class_names,
                        const std::string& what);

RawLabels labels_from(const io::Array& array);

}  // namespace fearnet
