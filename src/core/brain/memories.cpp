#include "core/brain/memories.hpp"

#include "fearnet/error.hpp"

namespace fearnet {

ClassesByMemory classes_by_memory(const Learner& learner) {
    const auto as_set = [](const std::vector<ClassId>& ids) {
        return std::set<ClassId>(ids.begin(), ids.end());
    };
    return {as_set(learner.recent_classes()), as_set(learner.consolidated_classes())};
}

std::string disagreement(const Learner& learner, const std::vector<NamedClass>& classes) {
    const std::vector<ClassId> taught = learner.classes();
    if (taught.size() != classes.size())
        return std::to_string(classes.size()) + " names for " + std::to_string(taught.size()) + " classes";
    for (std::size_t i = 0; i < taught.size(); ++i) {
        if (taught[i] != classes[i].id)
            return "class " + std::to_string(index_of(taught[i])) + " has no name";
        if (const std::string problem = name_problem(classes[i].name); !problem.empty())
            return "class " + std::to_string(index_of(taught[i])) + ": its name " + problem;
    }
    return "";
}

}  // namespace fearnet
