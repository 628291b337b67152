#include "fearnet/registry.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <new>

#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/joined.hpp"
#include "core/learners/plus/fearnet_plus.hpp"

namespace fearnet {
namespace {

struct Registry {
    std::mutex mutex;
    // Entries are never removed or changed, so that references to them stay good.
    std::list<LearnerType> types = {
        learner_type<FearNet>("fearnet", "the paper's method: two memories, a router, sleep"),
        learner_type<FearNetPlus>(
            "fearnet-plus",
            "FearNet in closed form: one linear read-out for all classes; sleep adds class covariances"),
    };

    const LearnerType* find(const std::string& name) {
        const auto it = std::find_if(types.begin(), types.end(),
                                     [&](const LearnerType& t) { return t.info.name == name; });
        return it == types.end() ? nullptr : &*it;
    }
};

Registry& registry() {
    static Registry all;
    return all;
}

const LearnerType& find_learner(const std::string& name) {
    Registry& all = registry();
    {
        const std::lock_guard lock(all.mutex);
        if (const LearnerType* type = all.find(name)) return *type;
    }
    throw Error("learner '" + name + "': no such learner; there are " + joined(learner_names()));
}

}  // namespace

void register_learner(LearnerType type) {
    for (const Preset& preset : type.presets) split_presets(preset.name);  // throws for an unknown one
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (all.find(type.info.name))
        throw Error("register_learner: there is a learner called '" + type.info.name + "' already");
    all.types.push_back(std::move(type));
}

std::vector<LearnerInfo> learners() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::vector<LearnerInfo> list;
    for (const LearnerType& t : all.types) list.push_back(t.info);
    return list;
}

std::vector<std::string> learner_names() {
    std::vector<std::string> names;
    for (LearnerInfo& info : learners()) names.push_back(std::move(info.name));
    return names;
}

std::vector<OptionText> learner_options(const std::string& learner, const std::string& preset) {
    return find_learner(learner).options(preset);
}

std::vector<SearchRange> search_space(const std::string& learner) {
    return find_learner(learner).search();
}

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec) {
    return find_learner(spec.learner).make(spec);
}

std::unique_ptr<Learner> restore_learner(const State& state) {
    try {
        return find_learner(state.text("learner")).restore(state);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("State: not enough memory for the learner it describes");
    }
}

}  // namespace fearnet
