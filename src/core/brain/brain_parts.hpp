// What a Brain is made of.
#pragma once

#include <algorithm>
#include <cassert>

#include "core/brain/brain_file.hpp"
#include "core/brain/memories.hpp"
#include "fearnet/brain.hpp"

namespace fearnet {

struct Brain::Parts {
    std::filesystem::path path;
    BrainFile file;
    BrainContent content;  // without the learner's state, which is in the learner
    std::unique_ptr<Learner> learner;
    bool ahead = false;  // the learner may know more than the file, which is what counts

    void take(BrainContent loaded) {
        learner = restore_learner(loaded.learner);
        loaded.learner = {};
        content = std::move(loaded);
        ahead = false;
    }

    const std::string& name_of(ClassId id) const {
        const auto at = std::lower_bound(content.classes.begin(), content.classes.end(), id,
                                         [](const NamedClass& c, ClassId wanted) { return c.id < wanted; });
        assert(at != content.classes.end() && at->id == id);
        return at->name;
    }
    // Each name once: merged classes share theirs.
    std::set<std::string> names() const {
        std::set<std::string> result;
        for (const NamedClass& c : content.classes) result.insert(c.name);
        return result;
    }
    std::set<std::string> names_of(const std::set<ClassId>& ids) const {
        std::set<std::string> result;
        for (const ClassId id : ids) result.insert(name_of(id));
        return result;
    }
    // The classes of a name, ascending: several when some were merged. Throws Error when there are none.
    std::vector<ClassId> known(const std::string& name, const char* function) const {
        std::vector<ClassId> ids;
        for (const NamedClass& c : content.classes)
            if (c.name == name) ids.push_back(c.id);
        if (ids.empty())
            throw Error(std::string("Brain::") + function + ": no class is called '" + name +
                        "'; there are " + std::to_string(names().size()) + " classes (info lists them)");
        return ids;
    }

    // Runs `work(change)`, which changes the learner or the content and returns what to note, as one change
    // of the file. Returns the seconds that writing took.
    template <class Work>
    double change(const Work& work);
    std::optional<std::string> sleep_due() const;
    // As the learner takes them; `function` is who asks, and `first` the number of the first row in errors.
    Matrix prepared(MatrixView x, const char* function, std::size_t first = 0) const;
    // The names, ascending, and the place of each of learner->classes() among them.
    struct Columns {
        std::vector<std::string> names;
        std::vector<std::size_t> of_class;
        std::size_t find(const std::string& name) const {
            return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) -
                                            names.begin());
        }
    };
    Columns columns() const;
    // The scores of rows that `function` asks about; none without rows.
    Matrix scores(MatrixView x, const char* function, std::size_t first) const;
    // How likely each of columns.names is, by the scores of rows. Returns the column of each row's answer.
    std::vector<std::size_t> named_probabilities(Matrix scores, const Columns& columns,
                                                 MutableMatrixView result) const;
    std::map<std::string, ClassId> assign_ids(const std::vector<std::string>& labels, LearnOutcome& outcome);
};

}  // namespace fearnet
