// Rows whose labels are probably wrong, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "everyday/brain_arguments.hpp"

namespace fearnet::cli {

// Throws Error naming `what` unless the learner of the brain can judge labels.
void require_label_check(const Brain& brain, const std::string& what);
// "rows 4 and 17 look like 'cat'"; with several labels "rows 4 and 17, labeled 'dog', look like 'cat'". One
// line for each pair of classes, those with the most rows first; at most a few lines.
// Photographs, sounds and texts are named instead of numbered.
std::vector<std::string> suspect_lines(const std::vector<SuspectLabel>& suspects, bool several_labels,
                                       const std::vector<std::string>& inputs);
// The rows without the suspects.
NamedRows without(const std::vector<SuspectLabel>& suspects, const NamedRows& rows);

}  // namespace fearnet::cli
