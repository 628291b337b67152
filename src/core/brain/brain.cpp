// Functions that create or change a brain; brain_answers.cpp has the const ones.
#include <limits>
#include <set>

#include "core/brain/brain_parts.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_name(const std::string& name, const char* function) {
    constexpr std::size_t kShown = 80;  // bytes of a name that is too long
    const std::string problem = name_problem(name);
    if (problem.empty()) return;
    const std::string shown = name.size() > kMaxNameBytes ? name.substr(0, kShown) + "..." : name;
    throw Error(std::string("Brain::") + function + ": the class name '" + shown + "' " + problem);
}

void check_front_end(const FrontEnd& front_end, const BrainSettings& settings, const char* function) {
    if (front_end.name.empty()) return;
    const std::string where = std::string("Brain::") + function + ": the front end ";
    for (const std::string& text : {front_end.name, front_end.fingerprint})
        if (const std::string problem = name_problem(text); !problem.empty())
            throw Error(where + "'" + text.substr(0, kMaxNameBytes) + "' " + problem);
    if (front_end.width == 0) throw Error(where + front_end.name + " has 0 features; at least 1 is needed");
    if (settings.features == BrainFeatures::text)
        throw Error(where + front_end.name +
                    " makes numeric rows, but the brain was made with brain.features=" +
                    "text:ngrams, which needs no front end");
}

// The content of a new brain, with an untaught learner.
BrainContent new_content(const BrainOptions& options, const char* function) {
    const std::vector<LearnerInfo> all = learners();
    if (std::any_of(all.begin(), all.end(), [&](const LearnerInfo& l) {
            return l.name == options.learner.learner && !l.incremental;
        }))
        throw Error(std::string("Brain::") + function + ": '" + options.learner.learner +
                    "' cannot learn incrementally and therefore cannot be in a brain");
    BrainContent content;
    content.settings = options.settings;
    content.front_end = options.front_end;
    check_front_end(options.front_end, options.settings, function);
    content.learner = make_learner(options.learner)->save();
    return content;
}

}  // namespace

bool is_brain_option(std::string_view name) {
    for (const auto& [known, value] : options_as_text(BrainSettings{}))
        if (name.starts_with(std::string_view(known).substr(0, known.find('.') + 1))) return true;
    return false;
}

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
        // If the file cannot be read now, the next change reads it first.
        if (ahead) try {
                take(file.load());
            } catch (const Error&) {
            }
        throw;
    }
}

// The class id of every label. A new label gets a new id.
std::map<std::string, ClassId> Brain::Parts::assign_ids(const std::vector<std::string>& labels,
                                                        LearnOutcome& outcome) {
    std::map<std::string, ClassId> ids;
    for (const NamedClass& c : content.classes) ids.emplace(c.name, c.id);  // merged classes: the first one
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

Brain::~Brain() = default;
Brain::Brain(Brain&&) noexcept = default;
Brain& Brain::operator=(Brain&&) noexcept = default;

Brain::Brain(const BrainOptions& options)
    : parts_(std::make_unique<Parts>(
          Parts{{}, BrainFile::in_memory(new_content(options, "Brain")), {}, nullptr, false})) {
    parts_->take(parts_->file.load());
}

Brain::Brain(const std::filesystem::path& path, const CreateIfMissing& wanted,
             std::chrono::milliseconds lock_timeout) {
    if (!std::filesystem::exists(path)) try {
            BrainFile::create(path, new_content(wanted.options, "Brain"));
        } catch (const Error&) {
            if (!std::filesystem::exists(path)) throw;  // else another process has just created it
        }
    *this = Brain(path, BrainAccess::write, lock_timeout);
    const std::string& learner = wanted.options.learner.learner;
    if (parts_->learner->name() != learner)
        throw Error(path.string() + ": this brain has the learner " + parts_->learner->name() + ", not " +
                    learner + "; name that learner in create_if_missing, or another file");
}

Brain::Brain(const std::filesystem::path& path, BrainAccess access, std::chrono::milliseconds lock_timeout) {
    std::error_code ignored;  // if status fails, opening the file reports why
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
        throw Error(
            path.string() +
            ": No such file or directory; 'fearnet new' and fearnet::create_if_missing create a brain");
    const auto mode = access == BrainAccess::read ? io::DatabaseAccess::read : io::DatabaseAccess::write;
    parts_ = std::make_unique<Parts>(Parts{path, BrainFile(path, mode, lock_timeout), {}, nullptr, false});
    try {
        parts_->take(parts_->file.load());
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(path.string() + ": not enough memory to load it");
    }
    const std::string wrong = disagreement(*parts_->learner, parts_->content.classes);
    if (!wrong.empty()) throw Error(path.string() + ": damaged (" + wrong + ")");
}

Brain::Brain(const std::filesystem::path& path, const CreateNew& wanted) {
    BrainFile::create(path, new_content(wanted.options, "Brain"));
    *this = Brain(path);
}

LearnOutcome Brain::learn(MatrixView x, const std::vector<std::string>& labels, const Progress& progress) {
    return learn(FrontEnd{}, x, labels, progress);
}

// Throws Error unless rows of `given` fit what the brain has learned. Without a name, `given` is not checked.
void Brain::Parts::check_front_end_of_rows(const FrontEnd& given) const {
    const FrontEnd& own = content.front_end;
    if (given.name.empty() || given == own) return;
    if (own.name.empty() && content.classes.empty()) return check_front_end(given, content.settings, "learn");
    if (own.name.empty())
        throw Error("Brain::learn: rows made by " + given.name +
                    ", but this brain has learned rows that no front end made; teach them to a new brain");
    if (own.name != given.name)
        throw Error("Brain::learn: rows made by " + given.name + ", but this brain learns rows made by " +
                    own.name);
    throw Error("Brain::learn: rows made by " + given.name + " with fingerprint " + given.fingerprint +
                ", but this brain has learned rows made by a version of it with fingerprint " +
                own.fingerprint + "; use that version");
}

LearnOutcome Brain::learn(const FrontEnd& front_end, MatrixView x, const std::vector<std::string>& labels,
                          const Progress& progress) {
    if (labels.size() != x.rows)
        throw Error("Brain::learn: " + std::to_string(x.rows) + " rows but " + std::to_string(labels.size()) +
                    " labels");
    Parts& p = *parts_;
    if (accepts_text() && x.cols != text_width())
        throw Error("Brain::learn: rows have " + std::to_string(x.cols) +
                    " features but a brain of text takes " + std::to_string(text_width()));
    if (p.content.settings.unit_length && x.cols == 1)
        throw Error(
            "Brain::learn: rows of 1 feature, which scaled to length one are all -1, 0 or 1; make the brain "
            "with brain.unit_length=false ('fearnet new BRAIN --set brain.unit_length=false')");
    const FrontEnd& made_by = front_end.name.empty() ? p.content.front_end : front_end;
    if (!made_by.name.empty() && x.cols != made_by.width)
        throw Error("Brain::learn: rows have " + std::to_string(x.cols) + " features but " + made_by.name +
                    " makes " + std::to_string(made_by.width));
    const Matrix rows = p.prepared(x, "learn");
    LearnOutcome outcome;
    outcome.examples = x.rows;
    const bool had_rows = !classes_by_memory(*p.learner).recent.empty();
    bool has_rows = false;
    outcome.write_seconds = p.change([&](BrainFile::Change&) {
        const auto start = Clock::now();
        p.check_front_end_of_rows(front_end);
        if (!front_end.name.empty()) p.content.front_end = front_end;
        const std::map<std::string, ClassId> id_of = p.assign_ids(labels, outcome);
        std::vector<ClassId> ids;
        for (const std::string& name : labels) ids.push_back(id_of.at(name));
        p.record_taught(rows, ids);
        p.learner->learn({rows, ids}, progress);
        std::map<ClassId, std::int64_t> examples;
        for (const ClassId id : ids) ++examples[id];
        for (NamedClass& c : p.content.classes)
            if (const auto it = examples.find(c.id); it != examples.end()) c.examples += it->second;
        has_rows = !classes_by_memory(*p.learner).recent.empty();
        if (has_rows) {
            ++p.content.sessions_since_sleep;
            p.content.examples_since_sleep += static_cast<std::int64_t>(x.rows);
        } else {  // no recent rows: the learner keeps none, or its budget had no space for them
            p.content.sessions_since_sleep = p.content.examples_since_sleep = 0;
        }
        outcome.learn_seconds = seconds_since(start);
        HistoryEntry entry;
        entry.action = "learn";
        for (const std::string& name : outcome.new_classes) entry.new_classes.push_back(id_of.at(name));
        for (const std::string& name : outcome.known_classes) entry.known_classes.push_back(id_of.at(name));
        entry.examples = static_cast<std::int64_t>(x.rows);
        entry.seconds = outcome.learn_seconds;
        outcome.sleep_due = p.sleep_due();
        return entry;
    });
    // Nothing may throw here: the change is in the file. Rows that the memory budget dropped from the learner
    // are also deleted from the file.
    if (had_rows && !has_rows) p.file.tidy();
    return outcome;
}

bool Brain::sleep(const SleepEffort& effort, const Progress& progress) {
    Parts& p = *parts_;
    refresh();
    if (classes_by_memory(*p.learner).recent.empty()) return false;
    bool consolidated = false;
    p.change([&](BrainFile::Change&) {
        const auto start = Clock::now();
        const ClassesByMemory before = classes_by_memory(*p.learner);
        HistoryEntry entry;
        entry.action = "sleep";
        const std::size_t recent = p.names_of(before.recent).size();
        entry.detail = std::to_string(recent) + (recent == 1 ? " recent class" : " recent classes");
        entry.examples = p.content.examples_since_sleep;
        p.learner->sleep(effort, progress);
        consolidated = classes_by_memory(*p.learner).recent.empty();
        if (consolidated) p.content.sessions_since_sleep = p.content.examples_since_sleep = 0;
        entry.seconds = seconds_since(start);
        return entry;
    });
    p.file.tidy();
    return consolidated;
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
        std::erase_if(p.content.familiarity, [&](const FamiliarityRecord& r) {
            return std::find(ids.begin(), ids.end(), r.id) != ids.end();
        });
        change.forget_names({ids.begin(), ids.end()});
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
                throw Error("Brain::rename: '" + to + "' is already a class; use merge to combine the two");
        }
        for (NamedClass& c : p.content.classes)
            if (c.name == from) c.name = to;
        HistoryEntry entry;
        entry.action = "rename";
        entry.detail = from + " -> " + to;
        entry.known_classes = ids;
        return entry;
    });
}

void Brain::merge(const std::string& from, const std::string& into) {
    Parts& p = *parts_;
    if (from == into) throw Error("Brain::merge: '" + from + "' and '" + into + "' are the same class");
    p.change([&](BrainFile::Change&) {
        std::vector<ClassId> ids = p.known(from, "merge");
        const std::vector<ClassId> others = p.known(into, "merge");
        ids.insert(ids.end(), others.begin(), others.end());
        for (NamedClass& c : p.content.classes)
            if (c.name == from) c.name = into;
        HistoryEntry entry;
        entry.action = "merge";
        entry.detail = from + " -> " + into;
        entry.known_classes = std::move(ids);
        return entry;
    });
}

void Brain::track(const FamiliarityTrack& track) {
    if (track.rows() == 0) return;
    Parts& p = *parts_;
    p.change([&](BrainFile::Change&) {
        HistoryEntry entry;
        entry.action = kTrackAction;
        for (const NamedClass& c : p.content.classes) {
            const auto at = track.classes_.find(c.id);
            if (at == track.classes_.end() || at->second.examples != c.examples) continue;
            const FamiliarityTrack::Class& seen = at->second;
            p.record(c.id, SeenAs::predicted, {seen.examples, seen.rows, seen.weight, seen.sum});
            entry.examples += seen.rows;
        }
        return entry;
    });
}

void Brain::copy_to(const std::filesystem::path& path) const {
    parts_->file.copy_to(path);
}

void Brain::set_lock_timeout(std::chrono::milliseconds lock_timeout) {
    parts_->file.set_lock_timeout(lock_timeout);
}

bool Brain::refresh() {
    Parts& p = *parts_;
    if (!p.ahead && p.file.unchanged()) return false;
    p.take(p.file.load());
    return true;
}

}  // namespace fearnet
