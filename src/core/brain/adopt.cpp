#include "fearnet/brain.hpp"

#include <algorithm>
#include <set>

#include "core/brain/brain_file.hpp"
#include "core/brain/memories.hpp"

namespace fearnet {
namespace {

void replace_content(const std::filesystem::path& path, const BrainContent& content) {
    BrainFile file(path, io::DatabaseAccess::write, kLockTimeout);
    {
        BrainFile::Change change(file);
        change.load();
        change.detach_history();
        HistoryEntry entry;
        entry.action = "new";
        entry.detail = "replaced the brain before";
        change.write(content, entry);
    }
    file.tidy();
}

}  // namespace

Brain adopt_learner(const std::filesystem::path& path, const Learner& learner,
                    const std::vector<TaughtClass>& classes, const BrainSettings& settings,
                    std::int64_t sessions_since_sleep, bool overwrite) {
    const std::vector<LearnerInfo> all = learners();
    if (std::any_of(all.begin(), all.end(),
                    [&](const LearnerInfo& l) { return l.name == learner.name() && !l.incremental; }))
        throw Error("adopt_learner: '" + learner.name() +
                    "' cannot learn incrementally and therefore cannot be in a brain");
    const std::vector<ClassId> ids = learner.classes();
    BrainContent content;
    std::set<std::string> names;
    for (std::size_t i = 0; i < std::min(ids.size(), classes.size()); ++i) {
        content.classes.push_back({ids[i], classes[i].name, classes[i].examples});
        if (!names.insert(classes[i].name).second)
            throw Error("adopt_learner: two classes are called '" + classes[i].name + "'");
    }
    const std::string wrong = classes.size() > ids.size() ? std::to_string(classes.size()) + " names for " +
                                                                std::to_string(ids.size()) + " classes"
                                                          : disagreement(learner, content.classes);
    if (!wrong.empty()) throw Error("adopt_learner: " + wrong);
    const ClassesByMemory memories = classes_by_memory(learner);
    content.settings = settings;
    content.learner = learner.save();
    content.next_class = ids.empty() ? 0 : index_of(ids.back()) + std::int64_t{1};
    content.sessions_since_sleep = sessions_since_sleep;
    for (const NamedClass& c : content.classes)
        if (memories.recent.count(c.id) != 0) content.examples_since_sleep += c.examples;
    if (overwrite && std::filesystem::exists(path))
        replace_content(path, content);
    else
        BrainFile::create(path, content);
    return Brain(path);
}

}  // namespace fearnet
