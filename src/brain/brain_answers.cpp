// What a brain is asked: nothing here changes it.
#include <numeric>
#include <set>

#include "brain/brain_parts.hpp"
#include "fearnet/features/feature_set.hpp"
#include "fearnet/features/rows.hpp"

namespace fearnet {

std::string Brain::Parts::sleep_due() const {
    const Memories memories = memories_of(*learner);
    if (memories.recent.empty()) return "";
    const auto said = [](const std::string& what, std::int64_t is, const char* option, std::int64_t limit) {
        return std::to_string(is) + " " + what + " since the last sleep (" + option + " is " +
               std::to_string(limit) + ")";
    };
    const BrainSettings& s = content.settings;
    if (memories.consolidated.empty() && memories.recent.size() > 1)
        return "nothing is consolidated yet: the first sleep makes the base knowledge";
    if (s.due_sessions > 0 && content.sessions_since_sleep >= s.due_sessions)
        return said("sessions", content.sessions_since_sleep, "due.sessions", s.due_sessions);
    if (s.due_examples > 0 && content.examples_since_sleep >= s.due_examples)
        return said("examples", content.examples_since_sleep, "due.examples", s.due_examples);
    const MemoryUse memory = learner->memory();
    const auto bytes = memory.find("examples");
    if (s.due_bytes > 0 && bytes != memory.end() && static_cast<std::int64_t>(bytes->second) >= s.due_bytes)
        return said("bytes of examples", static_cast<std::int64_t>(bytes->second), "due.bytes", s.due_bytes);
    return "";
}

Matrix Brain::Parts::prepared(MatrixView x, const char* function) const {
    Matrix rows(x);
    if (!content.settings.unit_length) return rows;
    check_finite_rows(rows, std::string("Brain::") + function);  // scaling would spread it over its row
    scale_rows_to_unit_length(rows);
    return rows;
}

std::vector<std::string> Brain::class_names() const {
    const std::set<std::string> names = parts_->names();
    return {names.begin(), names.end()};
}

Matrix Brain::probabilities(MatrixView x) const {
    const Parts& p = *parts_;
    const Matrix by_id = p.learner->probabilities(p.prepared(x, "probabilities"));
    const std::vector<std::string> names = class_names();
    std::vector<std::size_t> column;
    for (const ClassId id : p.learner->classes())
        column.push_back(static_cast<std::size_t>(
            std::lower_bound(names.begin(), names.end(), p.name_of(id)) - names.begin()));
    Matrix result(x.rows, names.size());
    for (std::size_t i = 0; i < by_id.rows(); ++i)
        for (std::size_t j = 0; j < by_id.cols(); ++j) result(i, column[j]) += by_id(i, j);
    return result;
}

std::vector<BrainAnswer> Brain::predict(MatrixView x, std::size_t top) const {
    const Parts& p = *parts_;
    const Matrix rows = p.prepared(x, "predict");
    const std::vector<Explanation> explained = p.learner->explain(rows);
    const Matrix probable = probabilities(x);
    const std::vector<std::string> names = class_names();
    const bool recent = !memories_of(*p.learner).recent.empty();
    std::vector<BrainAnswer> answers(x.rows);
    std::vector<std::size_t> order(names.size());
    for (std::size_t i = 0; i < x.rows; ++i) {
        BrainAnswer& a = answers[i];
        const std::string& label = p.name_of(explained[i].label);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto shown = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
        std::partial_sort(order.begin(), shown, order.end(), [&](std::size_t l, std::size_t r) {
            if (probable(i, l) != probable(i, r)) return probable(i, l) > probable(i, r);
            if ((names[l] == label) != (names[r] == label)) return names[l] == label;
            return l < r;
        });
        for (auto at = order.begin(); at != shown; ++at)
            a.classes.push_back({names[*at], static_cast<double>(probable(i, *at))});
        a.explanation = explained[i];
        if (recent) a.recent_name = p.name_of(explained[i].recent_label);
        a.consolidated_name = p.name_of(explained[i].consolidated_label);
    }
    return answers;
}

std::vector<std::string> Brain::labels(MatrixView x) const {
    const Parts& p = *parts_;
    std::vector<std::string> result;
    if (class_names().size() == p.content.classes.size()) {  // nothing was merged: no sums to compare
        for (const ClassId id : p.learner->predict(p.prepared(x, "labels"))) result.push_back(p.name_of(id));
        return result;
    }
    for (const BrainAnswer& a : predict(x)) result.push_back(a.classes.front().name);
    return result;
}

const std::string& Brain::name_of(ClassId id) const {
    return parts_->name_of(id);
}

std::size_t Brain::width() const {
    return takes_text() ? text_width() : parts_->learner->width();
}
bool Brain::takes_text() const {
    return parts_->content.settings.features == BrainFeatures::text;
}
const BrainSettings& Brain::settings() const {
    return parts_->content.settings;
}
const Learner& Brain::learner() const {
    return *parts_->learner;
}
const std::filesystem::path& Brain::path() const {
    return parts_->path;
}

Matrix Brain::rows_of(const std::vector<std::string>& texts) const {
    if (!takes_text())
        throw Error(
            "Brain::rows_of: this brain learns from rows of numbers; one made with features text:ngrams "
            "takes text");
    return text_rows(texts);
}

BrainInfo Brain::info() const {
    const Parts& p = *parts_;
    const Memories memories = memories_of(*p.learner);
    std::map<std::string, BrainInfo::Class> classes;
    for (const NamedClass& c : p.content.classes) {
        BrainInfo::Class& entry = classes[c.name];
        entry.parts = entry.name.empty() ? 1 : entry.parts + 1;
        entry.name = c.name;
        entry.examples += c.examples;
        entry.recent |= memories.recent.count(c.id) != 0;
        entry.consolidated |= memories.consolidated.count(c.id) != 0;
    }
    BrainInfo info;
    for (auto& [name, entry] : classes) info.classes.push_back(std::move(entry));
    info.learner = p.learner->name();
    info.width = width();
    info.memory = p.learner->memory();
    std::error_code ignored;
    info.file_bytes = std::filesystem::file_size(p.path, ignored);
    info.sessions_since_sleep = p.content.sessions_since_sleep;
    info.sleep_due = p.sleep_due();
    info.history = parts_->file.history();
    info.options = p.learner->options();
    for (const auto& [name, value] : options_as_text(p.content.settings)) info.options[name] = value;
    return info;
}

std::vector<std::string> check_brain(const std::filesystem::path& path,
                                     std::chrono::milliseconds lock_timeout) {
    BrainFile file(path, io::DatabaseAccess::read, lock_timeout);
    std::vector<std::string> problems = file.problems();
    if (!problems.empty()) return problems;
    try {
        const BrainContent content = file.load();
        const std::string wrong = disagreement(*restore_learner(content.learner), content.classes);
        if (!wrong.empty()) problems.push_back(wrong);
    } catch (const std::bad_alloc&) {
        problems.push_back("not enough memory to load it");
    } catch (const Error& error) {
        problems.push_back(error.what());
    }
    return problems;
}

}  // namespace fearnet
