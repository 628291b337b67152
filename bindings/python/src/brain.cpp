// The class Brain: a learner in a file.
#include <fearnet/brain.hpp>
#include <variant>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

constexpr double kLockTimeoutSeconds = std::chrono::duration<double>(kLockTimeout).count();

// A brain as Python holds it; empty once closed.
struct Object {
    explicit Object(Brain held) : brain(std::move(held)) {}
    std::optional<Brain> brain;
    InUse in_use;

    Brain& opened() {
        if (!brain) throw Error("Brain: it is closed");
        return *brain;
    }
    const Brain& opened() const { return const_cast<Object*>(this)->opened(); }
};

BrainOptions options_of(const std::string& learner, const std::string& preset, const py::dict& settings,
                        std::uint64_t seed) {
    BrainOptions options;
    options.learner = {learner, preset, {}, seed};
    Settings of_brain;
    for (auto& [name, value] : as_settings(settings))
        (is_brain_option(name) ? of_brain : options.learner.settings).emplace_back(name, value);
    apply_options(options.settings, of_brain);
    return options;
}

std::chrono::milliseconds milliseconds(double lock_timeout) {
    constexpr double kMax = 1e9;  // seconds
    if (!(lock_timeout >= 0))
        throw Error("Brain: lock_timeout is " + std::to_string(lock_timeout) +
                    " seconds; it must be 0 or more");
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::min(lock_timeout, kMax)));
}

// Opens the file at `path`, or creates it; without a path, a brain in memory.
std::unique_ptr<Object> make(const std::optional<std::filesystem::path>& path, const std::string& learner,
                             const std::string& preset, const py::dict& settings, std::uint64_t seed,
                             double lock_timeout) {
    const BrainOptions options = options_of(learner, preset, settings, seed);
    if (!path) return std::make_unique<Object>(Brain(options));
    return std::make_unique<Object>(Brain(*path, create_if_missing(options), milliseconds(lock_timeout)));
}

std::unique_ptr<Object> create(const std::filesystem::path& path, const std::string& learner,
                               const std::string& preset, const py::dict& settings, std::uint64_t seed) {
    return std::make_unique<Object>(Brain(path, create_new(options_of(learner, preset, settings, seed))));
}

std::unique_ptr<Object> open(const std::filesystem::path& path, bool read_only, double lock_timeout) {
    return std::make_unique<Object>(
        Brain(path, read_only ? BrainAccess::read : BrainAccess::write, milliseconds(lock_timeout)));
}

std::unique_ptr<Object> adopt(const std::filesystem::path& path, const LearnerObject& learner,
                              const std::vector<std::string>& names,
                              const std::vector<std::int64_t>& examples, const py::dict& settings,
                              std::int64_t sessions, bool overwrite) {
    const auto lock = learner.in_use.ask("adopt");
    std::vector<TaughtClass> classes;
    for (std::size_t i = 0; i < names.size(); ++i)
        classes.push_back({names[i], i < examples.size() ? examples[i] : 0});
    BrainSettings of_brain;
    apply_options(of_brain, as_settings(settings));
    return std::make_unique<Object>(
        adopt_learner(path, *learner.learner, classes, of_brain, sessions, overwrite));
}

py::dict learn(Object& self, const Rows& x, const std::variant<std::string, std::vector<std::string>>& given,
               const py::object& progress,
               const std::optional<std::map<std::string, py::object>>& front_end) {
    const MatrixView rows = as_view(x);
    FrontEnd made_by;
    if (front_end)
        made_by = {front_end->at("name").cast<std::string>(),
                   front_end->at("fingerprint").cast<std::string>(),
                   front_end->at("width").cast<std::size_t>()};
    const auto* one = std::get_if<std::string>(&given);
    const auto labels =
        one ? std::vector<std::string>(rows.rows, *one) : std::get<std::vector<std::string>>(given);
    const auto lock = self.in_use.change("Brain.learn");
    Brain& brain = self.opened();
    const LearnOutcome o =
        interruptible(progress, [&](const Progress& p) { return brain.learn(made_by, rows, labels, p); });
    py::dict d;
    d["examples"] = o.examples;
    d["new_classes"] = o.new_classes;
    d["known_classes"] = o.known_classes;
    d["sleep_due"] = o.sleep_due;
    d["learn_seconds"] = o.learn_seconds;
    d["write_seconds"] = o.write_seconds;
    return d;
}

bool sleep(Object& self, std::int64_t epochs, double seconds, const py::object& progress) {
    const auto lock = self.in_use.change("Brain.sleep");
    Brain& brain = self.opened();
    return interruptible(progress, [&](const Progress& p) { return brain.sleep({epochs, seconds}, p); });
}

void forget(Object& self, const std::string& name, const py::object& progress) {
    const auto lock = self.in_use.change("Brain.forget");
    Brain& brain = self.opened();
    interruptible(progress, [&](const Progress& p) { brain.forget(name, p); });
}

template <class Work>
auto change(Object& self, const Work& work) {
    const auto lock = self.in_use.change("Brain");
    Brain& brain = self.opened();
    const py::gil_scoped_release released;
    return work(brain);
}

template <class Work>
auto ask(const Object& self, const Work& work) {
    const auto lock = self.in_use.ask("Brain");
    const Brain& brain = self.opened();
    const py::gil_scoped_release released;
    return work(brain);
}

std::vector<std::string> names_of_classes(const Brain& brain) {
    std::vector<std::string> names;
    for (const ClassId id : brain.learner().classes()) names.push_back(brain.name_of(id));
    return names;
}

// One row of features, or several.
MatrixView as_rows(const Rows& x) {
    return x.ndim() == 1 ? MatrixView(x.data(), 1, static_cast<std::size_t>(x.size())) : as_view(x);
}

// One result per row: a list, or the only one for a single row.
py::object per_row(const Rows& x, const py::list& results) {
    return x.ndim() == 1 ? py::object(results[0]) : py::object(results);
}

py::object predict(Object& self, const Rows& x, std::size_t top, bool track) {
    const MatrixView rows = as_rows(x);
    py::list result;
    const auto answers = track ? change(self,
                                        [&](Brain& b) {
                                            FamiliarityTrack seen;
                                            auto made = b.predict(rows, seen);
                                            b.track(seen);
                                            return made;
                                        })
                               : ask(self, [&](const Brain& b) { return b.predict(rows); });
    for (const BrainAnswer& a : answers) {
        py::list classes;
        for (const RankedClass& r : a.top(top)) classes.append(py::make_tuple(r.name, r.probability));
        result.append(classes);
    }
    return per_row(x, result);
}

// Calls use(answer) for every row. Rows are predicted in blocks, so that only one block of probabilities is
// in memory.
template <class Use>
void for_answers(const Object& self, MatrixView rows, const Use& use) {
    ask(self, [&](const Brain& b) {
        const std::size_t most = b.rows_at_once();
        // Also called for 0 rows, so that the brain can refuse their width.
        for (std::size_t first = 0; first == 0 || first < rows.rows; first += most)
            for (const BrainAnswer& a : b.predict(rows.slice(first, std::min(most, rows.rows - first))))
                use(a);
    });
}

// None if the learner does not estimate it.
py::object familiarity(const Object& self, const Rows& x) {
    const MatrixView rows = as_rows(x);
    std::vector<double> values;
    for_answers(self, rows, [&](const BrainAnswer& a) {
        if (const auto f = a.familiarity()) values.push_back(*f);
    });
    if (values.size() < rows.rows) return py::none();
    if (x.ndim() == 1) return py::float_(values[0]);
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::vector<std::string> labels(const Object& self, const Rows& x,
                                const std::optional<std::string>& unknown) {
    const MatrixView rows = as_view(x);
    if (!unknown) return ask(self, [&](const Brain& b) { return b.labels(rows); });
    std::vector<std::string> result;
    for_answers(self, rows, [&](const BrainAnswer& a) {
        if (!a.familiarity())
            throw Error(
                "Brain.labels: unknown was given, but the learner does not estimate familiarity; "
                "fearnet-plus, fearnet, streaming-lda and nearest-mean do, after they were taught a class of "
                "two rows or more");
        result.push_back(a.unknown() ? *unknown : a.label());
    });
    return result;
}

py::object label_sets(const Object& self, const Rows& x, double confidence) {
    const MatrixView rows = as_rows(x);
    const auto sets = ask(self, [&](const Brain& b) { return b.label_sets(rows, confidence); });
    return per_row(x, py::cast(sets).cast<py::list>());
}

py::list discover(const Object& self, const Rows& x, double below, std::size_t min_rows) {
    const MatrixView rows = as_view(x);
    py::list result;
    for (const DiscoveredGroup& g : ask(self, [&](const Brain& b) {
             return b.discover(rows, {below, min_rows});
         })) {
        py::dict d;
        d["rows"] = g.rows;
        d["spread"] = g.spread;
        d["nearest"] = g.nearest;
        result.append(d);
    }
    return result;
}

py::object explain(const Object& self, const Rows& x) {
    const MatrixView rows = as_rows(x);
    if (!ask(self, [](const Brain& b) { return b.learner().routing() != nullptr; })) return py::none();
    py::list result;
    for (const BrainExplanation& e : ask(self, [&](const Brain& b) { return b.explain(rows); })) {
        py::dict d;
        d["label"] = e.label;
        d["memory"] = e.memory == Memory::recent ? "recent" : "consolidated";
        d["recent_label"] = e.recent_label;
        d["consolidated_label"] = e.consolidated_label;
        d["recent_probability"] = e.recent_probability;
        d["consolidated_probability"] = e.consolidated_probability;
        d["router"] = e.router;
        d["psi"] = e.psi;
        result.append(d);
    }
    return per_row(x, result);
}

py::object as_dict(const std::optional<ClassDrift>& drift) {
    if (!drift) return py::none();
    py::dict d;
    d["since"] = drift->since, d["rows"] = drift->rows, d["familiarity"] = drift->familiarity;
    d["p_value"] = drift->p_value, d["changed"] = drift->changed;
    return d;
}

py::dict info(const Object& self) {
    const auto [i, expected] =
        ask(self, [](const Brain& b) { return std::pair(b.info(), b.expected_accuracy()); });
    py::dict d;
    py::list classes, history;
    for (const BrainInfo::Class& c : i.classes) {
        py::dict entry;
        entry["name"] = c.name, entry["examples"] = c.examples, entry["recent"] = c.recent;
        entry["consolidated"] = c.consolidated, entry["parts"] = c.parts;
        const auto accuracy = expected.find(c.name);
        entry["expected_accuracy"] = accuracy != expected.end() ? py::cast(accuracy->second) : py::none();
        entry["predicted"] = as_dict(c.predicted), entry["taught_again"] = as_dict(c.taught_again);
        classes.append(entry);
    }
    for (const HistoryEntry& h : i.history) {
        py::dict entry;
        entry["number"] = h.number, entry["time"] = h.time, entry["action"] = h.action;
        entry["detail"] = h.detail, entry["examples"] = h.examples, entry["seconds"] = h.seconds;
        history.append(entry);
    }
    d["classes"] = classes;
    d["learner"] = i.learner;
    d["width"] = i.width;
    d["front_end"] = py::none();
    if (!i.front_end.name.empty()) {
        py::dict front_end;
        front_end["name"] = i.front_end.name, front_end["fingerprint"] = i.front_end.fingerprint;
        front_end["width"] = i.front_end.width;
        d["front_end"] = front_end;
    }
    d["memory"] = i.memory;
    d["file_bytes"] = i.file_bytes;
    d["sessions_since_sleep"] = i.sessions_since_sleep;
    d["sleep_due"] = i.sleep_due;
    d["history"] = history;
    d["options"] = i.options;
    return d;
}

py::list suspect_labels(const Object& self, const Rows& x,
                        const std::variant<std::string, std::vector<std::string>>& given) {
    const MatrixView rows = as_view(x);
    const auto* one = std::get_if<std::string>(&given);
    const auto labels =
        one ? std::vector<std::string>(rows.rows, *one) : std::get<std::vector<std::string>>(given);
    py::list result;
    for (const SuspectLabel& s : ask(self, [&](const Brain& b) { return b.suspect_labels(rows, labels); })) {
        py::dict d;
        d["row"] = s.row, d["label"] = s.label, d["looks_like"] = s.looks_like;
        d["probability"] = s.probability;
        result.append(d);
    }
    return result;
}

py::dict review(const Object& self) {
    const BrainReview r = ask(self, [](const Brain& b) { return b.review(); });
    py::list classes, maybe_one;
    for (const BrainReview::Class& c : r.classes) {
        py::dict entry;
        py::list confusions;
        for (const BrainReview::Confusion& k : c.confusions)
            confusions.append(py::make_tuple(k.with, k.share));
        entry["name"] = c.name, entry["examples"] = c.examples, entry["accuracy"] = c.accuracy;
        entry["error"] = c.error, entry["with_half"] = c.with_half, entry["with_twice"] = c.with_twice;
        entry["more_would_help"] = c.more_would_help();
        entry["confusions"] = confusions;
        classes.append(entry);
    }
    for (const BrainReview::Pair& p : r.maybe_one)
        maybe_one.append(py::make_tuple(p.first, p.second, p.confused));
    py::dict d;
    d["learner"] = r.learner, d["estimated"] = r.estimated;
    d["classes"] = classes, d["maybe_one"] = maybe_one;
    return d;
}

// A copy of the learner inside.
std::unique_ptr<LearnerObject> learner(const Object& self) {
    return std::make_unique<LearnerObject>(
        ask(self, [](const Brain& b) { return restore_learner(b.learner().save()); }));
}

void close(Object& self) {
    const auto lock = self.in_use.change("Brain.close");
    self.brain.reset();
}

void add_changes(py::class_<Object>& brain) {
    brain
        .def(py::init(&make), py::arg("path") = py::none(), py::arg("learner") = LearnerSpec{}.learner,
             py::arg("preset") = "", py::arg("settings") = py::dict(), py::arg("seed") = 1,
             py::arg("lock_timeout") = kLockTimeoutSeconds,
             "Opens the brain file at `path`, or creates it if there is none. Without a path, makes a brain "
             "in "
             "memory. learner, preset, settings and seed are for a new brain: an existing one keeps its own, "
             "and raises Error if its learner is not `learner`. Calls wait up to `lock_timeout` seconds for "
             "another process that writes to the file.")
        .def_static("create", &create, py::arg("path"), py::arg("learner") = LearnerSpec{}.learner,
                    py::arg("preset") = "", py::arg("settings") = py::dict(), py::arg("seed") = 1,
                    "Creates a brain file. Raises Error if it exists. `settings` are options of the learner "
                    "and of the brain ('brain.unit_length', 'due.sessions', ...).")
        .def_static(
            "open", &open, py::arg("path"), py::arg("read_only") = false,
            py::arg("lock_timeout") = kLockTimeoutSeconds,
            "Opens an existing brain file. Raises Error if there is none. If `read_only`, calls that would "
            "change it raise Error. Calls wait up to `lock_timeout` seconds for another process that writes.")
        .def_static(
            "adopt", &adopt, py::arg("path"), py::arg("learner"), py::arg("names"), py::arg("examples"),
            py::arg("settings") = py::dict(), py::arg("sessions") = 0, py::arg("overwrite") = false,
            "Creates a brain file with a copy of a Learner. `names` and `examples` are the names and "
            "numbers of examples of learner.classes(); `sessions` is the number of sessions since its "
            "last sleep. Raises Error if the file exists; with `overwrite`, replaces a brain file.")
        .def("learn", &learn, py::arg("x"), py::arg("labels"), py::arg("progress") = py::none(),
             py::arg("front_end") = py::none(),
             "Teaches one session. `labels` is a list with one str per row, or one str for all rows. Returns "
             "a "
             "dict: examples, new_classes, known_classes, sleep_due (the reason, or None), learn_seconds and "
             "write_seconds. progress(phase, done, total, loss) is called at least once per epoch; if it "
             "returns False, raises Cancelled. `front_end` is that of the fearnet.Embedder that made the "
             "rows; "
             "the brain records it and refuses rows of another one.")
        .def(
            "sleep_due", [](const Object& o) { return ask(o, [](const Brain& b) { return b.sleep_due(); }); },
            "Returns the reason why sleep is due, or None if it is not.")
        .def("sleep", &sleep, py::arg("epochs") = 0, py::arg("seconds") = 0.0,
             py::arg("progress") = py::none(),
             "Consolidates the recent examples and deletes them. Returns False if there was nothing to "
             "consolidate. `epochs` and `seconds` limit the work of the learner 'fearnet'; 0: as its options "
             "say. `progress` is as in learn.")
        .def(
            "forget", &forget, py::arg("name"), py::arg("progress") = py::none(),
            "Removes a class. Raises Error if it is the only one or the learner cannot forget ('fearnet' and "
            "'fearnet-plus' can).");
    brain
        .def(
            "rename",
            [](Object& o, const std::string& from, const std::string& to) {
                change(o, [&](Brain& b) { b.rename(from, to); });
            },
            py::arg("name"), py::arg("to"), "Renames a class. Raises Error if there is already a class `to`.")
        .def(
            "merge",
            [](Object& o, const std::string& from, const std::string& into) {
                change(o, [&](Brain& b) { b.merge(from, into); });
            },
            py::arg("name"), py::arg("into"),
            "Makes one class, called `into`, of two existing ones. This cannot be undone.")
        .def(
            "set_lock_timeout",
            [](Object& o, double seconds) {
                change(o, [&](Brain& b) { b.set_lock_timeout(milliseconds(seconds)); });
            },
            py::arg("seconds"),
            "Sets how long later calls wait for another process that writes to the file; 0: do not wait.")
        .def(
            "refresh", [](Object& o) { return change(o, [](Brain& b) { return b.refresh(); }); },
            "Reads the file again if another process has changed it. Returns whether it had.");
}

void add_questions(py::class_<Object>& brain) {
    brain
        .def("predict", &predict, py::arg("x"), py::arg("top") = 1, py::kw_only(), py::arg("track") = false,
             "Returns the `top` most probable classes of each row, as a list of (name, probability) in "
             "descending order. For a one-dimensional x, the list of that row. If `track`, stores in the "
             "brain "
             "how well the rows fit the predicted classes; info() then tells which classes have changed.")
        .def(
            "explain", &explain, py::arg("x"),
            "Returns which memory predicted each row, and why: a list of dicts, or one dict for a "
            "one-dimensional x. The keys are those of FearNetClassifier.explain. None unless the learner has "
            "two memories ('fearnet').")
        .def("labels", &labels, py::arg("x"), py::kw_only(), py::arg("unknown") = py::none(),
             "Returns the predicted class name of each row. If `unknown` is given, a str, it is returned in "
             "place of the name for rows whose familiarity is below the option open.unknown: they are "
             "probably "
             "of no class that was taught.")
        .def("familiarity", &familiarity, py::arg("x"),
             "Returns how familiar each row looks, 0 to 1, as an array, or a float for a one-dimensional x: "
             "the "
             "share of taught rows that look as strange or stranger. Rows of no taught class mostly have a "
             "small one. None if the learner does not estimate it.")
        .def("label_sets", &label_sets, py::arg("x"), py::arg("confidence") = 0.9,
             "Returns for each row the names of the classes that it fits, most probable first; for a "
             "one-dimensional x, the list of that row. For rows of taught classes the set contains the right "
             "class with a probability of about `confidence` (0.5 to 0.999). Empty for a row that fits no "
             "class. Raises Error if the learner has no such sets.")
        .def(
            "probabilities",
            [](const Object& o, const Rows& x) {
                const MatrixView rows = as_view(x);
                return as_array(ask(o, [&](const Brain& b) { return b.probabilities(rows); }));
            },
            py::arg("x"),
            "Returns an array of shape (rows, len(class_names())): the probability of each class.")
        .def("suspect_labels", &suspect_labels, py::arg("x"), py::arg("labels"),
             "Returns the rows of a session, before it is taught, whose labels are probably wrong: a list of "
             "dicts with row, label, looks_like and probability. `labels` is as in learn. Empty for learners "
             "that cannot tell ('fearnet-plus' can).")
        .def("review", &review,
             "Returns a dict: learner, estimated, classes and maybe_one. Each class is a dict: name, "
             "examples, accuracy, error, with_half, with_twice, more_would_help and confusions, a list of "
             "(name, share). maybe_one is a list of (name, name, confused). Numbers that are not known are "
             "None.")
        .def("discover", &discover, py::arg("x"), py::arg("below") = DiscoverOptions{}.below,
             py::arg("min_rows") = DiscoverOptions{}.min_rows,
             "Returns groups of rows that are alike and unlike every taught class, largest first, as dicts: "
             "rows (row numbers), spread (about 1 for the rows of one class, more for a mixture) and nearest "
             "(the nearest taught class). Only rows with a familiarity below `below` are grouped; groups of "
             "fewer than `min_rows` rows are left out. Raises Error unless the learner is 'fearnet-plus'.")
        .def(
            "suggest",
            [](const Object& o, const Rows& x, std::size_t count, const std::optional<Rows>& labeled) {
                const MatrixView rows = as_view(x), before = labeled ? as_view(*labeled) : MatrixView();
                return ask(o, [&](const Brain& b) { return b.suggest(rows, count, before); });
            },
            py::arg("x"), py::arg("count"), py::arg("labeled") = py::none(),
            "Returns the numbers of the `count` rows whose labels would help most, most helpful first. "
            "`labeled` are rows that have labels already, such as those of earlier rounds; rows like them "
            "are avoided. Raises Error unless the learner is 'fearnet-plus'.")
        .def(
            "text_rows",
            [](const Object& o, const std::vector<std::string>& texts) {
                return as_array(ask(o, [&](const Brain& b) { return b.text_rows(texts); }));
            },
            py::arg("texts"),
            "Turns texts into rows for learn and predict. Raises Error unless the brain was created with "
            "{'brain.features': 'text:ngrams'}.")
        .def(
            "class_names",
            [](const Object& o) { return ask(o, [](const Brain& b) { return b.class_names(); }); },
            "Returns the names of the classes, each once, ascending.")
        .def(
            "names_of_classes", [](const Object& o) { return ask(o, names_of_classes); },
            "Returns the name of each of learner().classes(). Merged classes share a name.")
        .def(
            "copy_to",
            [](const Object& o, const std::filesystem::path& path) {
                ask(o, [&](const Brain& b) { b.copy_to(path); });
            },
            py::arg("path"),
            "Makes a backup: a new file with the state of one moment, even while another process writes. "
            "Raises Error if the file exists.")
        .def("info", &info,
             "Returns a dict: classes, learner, width, memory (bytes by kind), file_bytes, "
             "sessions_since_sleep, sleep_due, history and options.")
        .def("learner", &learner, "Returns a copy of the learner inside.")
        .def_property_readonly(
            "width", [](const Object& o) { return ask(o, [](const Brain& b) { return b.width(); }); },
            "Features per row; 0 before the first session, unless accepts_text.")
        .def_property_readonly(
            "accepts_text",
            [](const Object& o) { return ask(o, [](const Brain& b) { return b.accepts_text(); }); })
        .def_property_readonly(
            "path", [](const Object& o) { return ask(o, [](const Brain& b) { return b.path().string(); }); })
        .def("close", &close, "Closes the file. Later calls raise Error.")
        .def("__enter__", [](const py::object& self) { return self; })
        .def("__exit__", [](Object& o, const py::args&) { close(o); });
}

}  // namespace

void add_brain(py::module_& m) {
    py::class_<Object> brain(m, "Brain", R"(A classifier in a file, which survives crashes.

When learn, sleep, forget, rename, merge or predict with track=True returns, the change is on disk. If one of
them raises, the file is unchanged. Several processes may open one file; one at a time changes it. Predictions
use the state that was read last; refresh() reads a newer one. A brain is a context manager that closes the
file.

Rows are numbers, one row per example; they are scaled to length one unless {'brain.unit_length': False} was
set when the brain was created. Mistakes raise fearnet.Error and change nothing. Several threads may ask a
brain at once; a call that would change it while another call is running raises Error.)");
    add_changes(brain);
    add_questions(brain);
    m.def(
        "check_brain",
        [](const std::filesystem::path& path, double lock_timeout) {
            return check_brain(path, milliseconds(lock_timeout));
        },
        py::arg("path"), py::arg("lock_timeout") = kLockTimeoutSeconds,
        "Checks a brain file. Returns a list of problems, which is empty if there are none. Raises Error if "
        "the "
        "file is not a brain.");
}

}  // namespace fearnet::python
