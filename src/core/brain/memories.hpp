// Which memory of a learner holds which classes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/brain/brain_file.hpp"
#include "fearnet/learner.hpp"

namespace fearnet {

struct ClassesByMemory {
    std::set<ClassId> recent, consolidated;
};
// All classes of a learner with one memory are consolidated.
ClassesByMemory classes_by_memory(const Learner& learner);

// How a learner and the list of class names disagree; empty if they agree.
std::string disagreement(const Learner& learner, const std::vector<NamedClass>& classes);

}  // namespace fearnet
