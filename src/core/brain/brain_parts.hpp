// The data members of a Brain.
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
    BrainContent content;  // without the state of the learner
    std::unique_ptr<Learner> learner;
    bool ahead = false;  // the learner may be newer than the file, and must then be read again

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
    // Each name once, although merged classes share a name.
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
    // The classes with this name, ascending; several if classes were merged. Throws Error if there is none.
    std::vector<ClassId> known(const std::string& name, const char* function) const {
        std::vector<ClassId> ids;
        for (const NamedClass& c : content.classes)
            if (c.name == name) ids.push_back(c.id);
        if (ids.empty())
            throw Error(std::string("Brain::") + function + ": no class is called '" + name +
                        "'; there are " + std::to_string(names().size()) + " classes (info lists them)");
        return ids;
    }

    // Runs `work(change)`, which changes the learner or the content and returns the history entry, as one
    // transaction. Returns the seconds that writing took.
    template <class Work>
    double change(const Work& work);
    std::optional<std::string> sleep_due() const;
    // Rows as the learner expects them. Errors name `function` and count rows from `first`.
    Matrix prepared(MatrixView x, const char* function, std::size_t first = 0) const;
    // The class names, ascending, and the index of the name of each of learner->classes().
    struct Columns {
        std::vector<std::string> names;
        std::vector<std::size_t> of_class;
        std::size_t find(const std::string& name) const {
            return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) -
                                            names.begin());
        }
    };
    Columns columns() const;
    // The rows as the learner expects them, checked; empty without rows. Errors name `function`.
    Matrix question(MatrixView x, const char* function, std::size_t first) const;
    // The scores of the rows; empty without rows. Errors name `function`.
    Matrix scores(MatrixView x, const char* function, std::size_t first) const;
    // Turns scores into probabilities of columns.names. Returns the column of the predicted class of each
    // row.
    std::vector<std::size_t> named_probabilities(Matrix scores, const Columns& columns,
                                                 MutableMatrixView result) const;
    void check_front_end_of_rows(const FrontEnd& given) const;
    std::map<std::string, ClassId> assign_ids(const std::vector<std::string>& labels, LearnOutcome& outcome);
    // Before a session is learned: records how well its rows of known classes fit them. Removes what
    // predictions showed about these classes.
    void record_taught(const Matrix& rows, const std::vector<ClassId>& ids);
    // Whether a result of one record is a change, given the number of records.
    bool is_change(const ClassDrift& drift) const;
    // Adds a call to the record of a class; makes a new record if there is none.
    void record(ClassId id, SeenAs seen_as, const SeenRows& seen);
    // Sets taught_again and predicted of every class.
    void add_drift(std::vector<BrainInfo::Class>& classes) const;
};

}  // namespace fearnet
