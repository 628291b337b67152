#include "fearnet/brain/brain.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <set>

#include "brain/brain_file.hpp"
#include "brain/memories.hpp"
#include "fearnet/features/feature_set.hpp"
#include "fearnet/features/rows.hpp"
#include "io/utf8.hpp"

namespace fearnet {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_name(const std::string& name, const char* function) {
    const std::string where = std::string("Brain::") + function;
    if (name.empty()) throw Error(where + ": a class needs a name, this one is empty");
    if (!io::is_utf8(name)) throw Error(where + ": the name '" + name + "' is not UTF-8");
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
        throw Error(where + ": the name '" + name + "' has a control character in it");
}

// Somebody waits while a brain learns; a measurement has time. Without this the router takes the paper's 20
// passes.
LearnerSpec with_quick_router(LearnerSpec spec) {
    constexpr const char* kOption = "amygdala.max_steps";
    const bool said = std::any_of(spec.settings.begin(), spec.settings.end(),
                                  [](const auto& s) { return s.first == kOption; });
    if (spec.learner == "fearnet" && !said) spec.settings.emplace_back(kOption, "500");
    return spec;
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
    return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

}  // namespace

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
    // The classes of a name, ascending: several when some were merged. Throws Error when there are none.
    std::vector<ClassId> known(const std::string& name, const char* function) const {
        std::vector<ClassId> ids;
        for (const NamedClass& c : content.classes)
            if (c.name == name) ids.push_back(c.id);
        if (ids.empty())
            throw Error(std::string("Brain::") + function + ": no class is called '" + name +
                        "'; there are " + std::to_string(content.classes.size()) +
                        " classes (info lists them)");
        return ids;
    }

    // Runs `work(change)`, which changes the learner or the content and returns what to note, as one change
    // of the file. Returns the seconds that writing took.
    template <class Work>
    double change(const Work& work);
    std::string sleep_due() const;
    Matrix prepared(MatrixView x) const;
    std::map<std::string, ClassId> assign_ids(const std::vector<std::string>& labels, LearnOutcome& outcome);
};

template <class Work>
double Brain::Parts::change(const Work& work) {
    BrainContent before;
    bool working = false;
    try {
        BrainFile::Change change(file);
        if (ahead || !file.unchanged()) take(change.load());
        before = content;
        working = true;
        const HistoryEntry entry = work(change);
        ahead = true;
        const auto start = Clock::now();
        content.learner = learner->save();
        change.write(content, entry);
        content.learner = {};
        ahead = false;
        return seconds_since(start);
    } catch (...) {
        if (working) content = std::move(before);
        // Should the file not be readable now, the next change begins with reading it.
        if (ahead) try {
                take(file.load());
            } catch (const Error&) {
            }
        throw;
    }
}

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

Matrix Brain::Parts::prepared(MatrixView x) const {
    Matrix rows(x);
    if (content.settings.unit_length) scale_rows_to_unit_length(rows);
    return rows;
}

// The class of every name; names that are new get classes.
std::map<std::string, ClassId> Brain::Parts::assign_ids(const std::vector<std::string>& labels,
                                                        LearnOutcome& outcome) {
    std::map<std::string, ClassId> ids;
    for (const NamedClass& c : content.classes) ids.emplace(c.name, c.id);  // the first of merged ones
    for (const std::string& name : std::set<std::string>(labels.begin(), labels.end())) {
        check_name(name, "learn");
        if (ids.count(name) != 0) {
            outcome.known_classes.push_back(name);
            continue;
        }
        if (content.next_class > std::numeric_limits<std::int32_t>::max())
            throw Error("Brain::learn: " + std::to_string(content.next_class) +
                        " classes were taught; there are no more ids");
        const ClassId id{static_cast<std::int32_t>(content.next_class++)};
        ids[name] = id;
        content.classes.push_back({id, name, 0});
        outcome.new_classes.push_back(name);
    }
    return ids;
}

Brain::Brain(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Brain::~Brain() = default;
Brain::Brain(Brain&&) noexcept = default;
Brain& Brain::operator=(Brain&&) noexcept = default;

Brain Brain::create(const std::filesystem::path& path, const BrainOptions& options) {
    const std::vector<LearnerInfo> all = learners();
    if (std::any_of(all.begin(), all.end(), [&](const LearnerInfo& l) {
            return l.name == options.learner.learner && !l.incremental;
        }))
        throw Error("Brain::create: '" + options.learner.learner +
                    "' learns only once and cannot live in a brain");
    BrainContent content;
    content.settings = options.settings;
    content.learner = make_learner(with_quick_router(options.learner))->save();
    BrainFile::create(path, content);
    return open(path);
}

Brain Brain::open(const std::filesystem::path& path, BrainAccess access, std::chrono::milliseconds patience) {
    const auto mode = access == BrainAccess::read ? io::DatabaseAccess::read : io::DatabaseAccess::write;
    auto parts = std::make_unique<Parts>(Parts{path, BrainFile(path, mode, patience), {}, nullptr, false});
    try {
        parts->take(parts->file.load());
    } catch (const std::bad_alloc&) {
        throw Error(path.string() + ": not enough memory to load it");
    }
    const std::string wrong = disagreement(*parts->learner, parts->content.classes);
    if (!wrong.empty()) throw Error(path.string() + ": damaged (" + wrong + ")");
    return Brain(std::move(parts));
}

LearnOutcome Brain::learn(MatrixView x, const std::vector<std::string>& labels, const Progress& progress) {
    if (labels.size() != x.rows)
        throw Error("Brain::learn: " + std::to_string(x.rows) + " rows but " + std::to_string(labels.size()) +
                    " labels");
    Parts& p = *parts_;
    if (takes_text() && x.cols != text_width())
        throw Error("Brain::learn: rows have " + std::to_string(x.cols) +
                    " features but a brain of text takes " + std::to_string(text_width()));
    const Matrix rows = p.prepared(x);
    LearnOutcome outcome;
    outcome.examples = x.rows;
    outcome.write_seconds = p.change([&](BrainFile::Change&) {
        const auto start = Clock::now();
        const std::map<std::string, ClassId> id_of = p.assign_ids(labels, outcome);
        std::vector<ClassId> ids;
        for (const std::string& name : labels) ids.push_back(id_of.at(name));
        p.learner->learn({rows, ids}, progress);
        for (const ClassId id : ids)
            for (NamedClass& c : p.content.classes)
                if (c.id == id) ++c.examples;
        if (!memories_of(*p.learner).recent.empty()) {
            ++p.content.sessions_since_sleep;
            p.content.examples_since_sleep += static_cast<std::int64_t>(x.rows);
        }
        outcome.learn_seconds = seconds_since(start);
        HistoryEntry entry;
        entry.action = "learn";
        entry.detail = listed(outcome.new_classes);
        if (!outcome.known_classes.empty())
            entry.detail += (entry.detail.empty() ? "again: " : "; again: ") + listed(outcome.known_classes);
        entry.examples = static_cast<std::int64_t>(x.rows);
        entry.seconds = outcome.learn_seconds;
        return entry;
    });
    outcome.sleep_due = p.sleep_due();
    return outcome;
}

bool Brain::sleep(const SleepEffort& effort, const Progress& progress) {
    Parts& p = *parts_;
    refresh();
    if (memories_of(*p.learner).recent.empty()) return false;
    p.change([&](BrainFile::Change&) {
        const auto start = Clock::now();
        const Memories before = memories_of(*p.learner);
        HistoryEntry entry;
        entry.action = "sleep";
        entry.detail = std::to_string(before.recent.size()) + (before.recent.size() == 1 ? " recent class" : " recent classes");
        entry.examples = p.content.examples_since_sleep;
        p.learner->sleep(effort, progress);
        if (memories_of(*p.learner).recent.empty())
            p.content.sessions_since_sleep = p.content.examples_since_sleep = 0;
        entry.seconds = seconds_since(start);
        return entry;
    });
    p.file.tidy();
    return memories_of(*p.learner).recent.empty();
}

void Brain::forget(const std::string& name, const Progress& progress) {
    Parts& p = *parts_;
    p.change([&](BrainFile::Change& change) {
        const auto start = Clock::now();
        const std::vector<ClassId> ids = p.known(name, "forget");
        if (ids.size() == p.learner->classes().size())
            throw Error("Brain::forget: '" + name + "' is the only class; delete the file instead");
        p.ahead = ids.size() > 1;  // not all or nothing
        for (const ClassId id : ids) p.learner->forget(id, progress);
        std::erase_if(p.content.classes, [&](const NamedClass& c) { return c.name == name; });
        change.forget_name(name);
        HistoryEntry entry;
        entry.action = "forget";
        entry.detail = "a class";  // a name would not be forgotten
        entry.seconds = seconds_since(start);
        return entry;
    });
    p.file.tidy();
}

void Brain::rename(const std::string& from, const std::string& to) {
    Parts& p = *parts_;
    check_name(to, "rename");
    p.change([&](BrainFile::Change&) {
        const std::vector<ClassId> ids = p.known(from, "rename");
        for (NamedClass& c : p.content.classes) {
            if (c.name == to)
                throw Error("Brain::rename: '" + to + "' is a class already; merge makes one of two");
        }
        for (NamedClass& c : p.content.classes)
            if (c.name == from) c.name = to;
        HistoryEntry entry;
        entry.action = "rename";
        entry.detail = from + " -> " + to;
        return entry;
    });
}

void Brain::merge(const std::string& from, const std::string& into) {
    Parts& p = *parts_;
    if (from == into) throw Error("Brain::merge: '" + from + "' and '" + into + "' are the same class");
    p.change([&](BrainFile::Change&) {
        p.known(from, "merge"), p.known(into, "merge");
        for (NamedClass& c : p.content.classes)
            if (c.name == from) c.name = into;
        HistoryEntry entry;
        entry.action = "merge";
        entry.detail = from + " -> " + into;
        return entry;
    });
}

std::vector<std::string> Brain::class_names() const {
    std::set<std::string> names;
    for (const NamedClass& c : parts_->content.classes) names.insert(c.name);
    return {names.begin(), names.end()};
}

Matrix Brain::probabilities(MatrixView x) const {
    const Parts& p = *parts_;
    const Matrix by_id = p.learner->probabilities(p.prepared(x));
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
    const Matrix rows = p.prepared(x);
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
        for (const ClassId id : p.learner->predict(p.prepared(x))) result.push_back(p.name_of(id));
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

bool Brain::refresh() {
    Parts& p = *parts_;
    if (!p.ahead && p.file.unchanged()) return false;
    p.take(p.file.load());
    return true;
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

std::vector<std::string> check_brain(const std::filesystem::path& path) {
    BrainFile file(path, io::DatabaseAccess::read, std::chrono::seconds(5));
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
