// From the labels in a file to dense ClassIds and names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/io/array.hpp"
#include "fearnet/data/table.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

RawLabels labels_from(const io::Array& array);

std::size_t count(const RawLabels& labels);
RawLabels slice(const RawLabels& labels, std::size_t first, std::size_t n);
// Puts `more` behind `labels`. Throws Error starting with `what` when some are numbers and some text.
void append(RawLabels& labels, RawLabels more, const std::string& what);
// Text that is all whole numbers ("3", "3.0") becomes numbers; other labels stay.
void as_numbers_if_whole(RawLabels& labels);

struct MappedLabels {
    std::vector<ClassId> ids;
    std::vector<std::string> names;  // by id
};

// Numbers get ids in ascending order, text in byte order. A class is called by its text; a number by
// class_names[number], or by its decimal digits if there are no class names. Throws Error starting with
// `what` for a number that has no class name, or when a name is empty, not UTF-8 or used twice.
MappedLabels map_labels(RawLabels labels, const std::vector<std::string>& class_names,
                        const std::string& what);

}  // namespace fearnet
