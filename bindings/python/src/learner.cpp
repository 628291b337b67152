// The class Learner: any learner of the library, with classes as whole numbers.
#include "arrays.hpp"
#include "interruptible.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

using Object = LearnerObject;

std::unique_ptr<Object> make(const std::string& name, const std::string& preset, const py::dict& settings,
                             std::uint64_t seed) {
    return std::make_unique<Object>(make_learner({name, preset, as_settings(settings), seed}));
}

void learn(Object& self, const Rows& x, const Ids& labels, const py::object& progress) {
    const MatrixView rows = as_view(x);
    const std::vector<ClassId> ids = as_ids(labels);
    const auto lock = self.in_use.change("learn");
    interruptible(progress, [&](const Progress& p) { self.learner->learn({rows, ids}, p); });
}

void sleep(Object& self, std::int64_t epochs, double seconds, const py::object& progress) {
    const auto lock = self.in_use.change("sleep");
    interruptible(progress, [&](const Progress& p) { self.learner->sleep({epochs, seconds}, p); });
}

void forget(Object& self, std::int32_t id, const py::object& progress) {
    const auto lock = self.in_use.change("forget");
    interruptible(progress, [&](const Progress& p) { self.learner->forget(ClassId{id}, p); });
}

template <class Work>
auto ask(const Object& self, const Work& work) {
    const auto lock = self.in_use.ask("Learner");
    const py::gil_scoped_release released;
    return work(*self.learner);
}

py::array_t<std::int32_t> predict(const Object& self, const Rows& x) {
    const MatrixView rows = as_view(x);
    return as_array(ask(self, [&](const Learner& l) { return l.predict(rows); }));
}

py::array_t<float> probabilities(const Object& self, const Rows& x) {
    const MatrixView rows = as_view(x);
    return as_array(ask(self, [&](const Learner& l) { return l.probabilities(rows); }));
}

py::object explain(const Object& self, const Rows& x) {
    const MatrixView rows = as_view(x);
    const auto explained = ask(self, [&](const Learner& l) {
        return l.routing() ? std::optional(l.routing()->explain(rows)) : std::nullopt;
    });
    if (!explained) return py::none();
    const std::vector<Explanation>& answers = *explained;
    using E = Explanation;
    py::dict d;
    d["label"] = column<std::int32_t>(answers, [](const E& e) { return index_of(e.label); });
    d["recent"] = column<bool>(answers, [](const E& e) { return e.memory == Memory::recent; });
    d["recent_label"] = column<std::int32_t>(answers, [](const E& e) { return index_of(e.recent_label); });
    d["consolidated_label"] =
        column<std::int32_t>(answers, [](const E& e) { return index_of(e.consolidated_label); });
    d["recent_probability"] = column<double>(answers, [](const E& e) { return e.recent_probability; });
    d["consolidated_probability"] =
        column<double>(answers, [](const E& e) { return e.consolidated_probability; });
    d["router"] = column<double>(answers, [](const E& e) { return e.router; });
    d["psi"] = column<double>(answers, [](const E& e) { return e.psi; });
    return d;
}

py::dict save(const Object& self) {
    const State state = ask(self, [](const Learner& l) { return l.save(); });
    py::dict arrays, result;
    for (const auto& [name, array] : state.arrays) {
        py::object values;
        if (const Matrix* m = std::get_if<Matrix>(&array.values))
            values = as_array(*m);
        else
            std::visit(
                [&](const auto& list) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(list)>, Matrix>)
                        values = py::array_t<typename std::decay_t<decltype(list)>::value_type>(
                            static_cast<py::ssize_t>(list.size()), list.data());
                },
                array.values);
        arrays[py::str(name)] = py::make_tuple(static_cast<std::int64_t>(array.kind), values);
    }
    result["arrays"] = arrays;
    result["texts"] = state.texts;
    return result;
}

template <class T>
std::vector<T> list_of(const py::array& array) {
    const auto typed = array.cast<py::array_t<T, py::array::c_style>>();
    return {typed.data(), typed.data() + typed.size()};
}

ArrayValues array_values(const py::array& array) {
    if (py::isinstance<py::array_t<float>>(array)) return Matrix(as_view(array.cast<Rows>()));
    if (py::isinstance<py::array_t<std::int8_t>>(array)) return list_of<std::int8_t>(array);
    if (py::isinstance<py::array_t<std::int16_t>>(array)) return list_of<std::int16_t>(array);
    if (py::isinstance<py::array_t<std::int64_t>>(array)) return list_of<std::int64_t>(array);
    return list_of<double>(array);
}

std::unique_ptr<Object> restore(const py::dict& saved) {
    State state;
    for (const auto& [name, value] : saved["arrays"].cast<py::dict>()) {
        const auto [kind, values] = value.cast<std::pair<std::int64_t, py::array>>();
        state.set(name.cast<std::string>(), array_values(values), ArrayKind{kind});
    }
    state.texts = saved["texts"].cast<decltype(state.texts)>();
    return std::make_unique<Object>(restore_learner(state));
}

std::unique_ptr<Object> copy(const Object& self) {
    return std::make_unique<Object>(ask(self, [](const Learner& l) { return restore_learner(l.save()); }));
}

}  // namespace

void add_learner(py::module_& m) {
    const auto none = py::none();
    py::class_<Object>(m, "Learner",
                       "A learner in memory, with classes as whole numbers >= 0. It neither scales rows nor "
                       "sleeps by itself. If a call raises, the learner is unchanged. It can be pickled.")
        .def(py::init(&make), py::arg("learner") = LearnerSpec{}.learner, py::arg("preset") = "",
             py::arg("settings") = py::dict(), py::arg("seed") = 1)
        .def("learn", &learn, py::arg("x"), py::arg("labels"), py::arg("progress") = none,
             "Teaches one session; the first one is the base session. progress(phase, done, total, loss) is "
             "called at least once per epoch; if it returns False, raises Cancelled.")
        .def("sleep", &sleep, py::arg("epochs") = 0, py::arg("seconds") = 0.0, py::arg("progress") = none,
             "Consolidates what was learned since the last sleep. `epochs` and `seconds` limit the work of "
             "'fearnet'; 0: as its options say. `progress` is as in learn.")
        .def(
            "forget", &forget, py::arg("id"), py::arg("progress") = none,
            "Removes a class. Raises Error if it was not taught or is the only one, or if the learner cannot "
            "forget.")
        .def("predict", &predict, py::arg("x"), "Returns the predicted class of each row.")
        .def("probabilities", &probabilities, py::arg("x"),
             "Returns an array of shape (rows, len(classes())): the probability of each class.")
        .def(
            "familiarity",
            [](const Object& self, const Rows& x) {
                const std::vector<double> p =
                    ask(self, [&](const Learner& l) { return l.familiarity(as_view(x)); });
                return py::array_t<double>(static_cast<py::ssize_t>(p.size()), p.data());
            },
            py::arg("x"),
            "Returns how familiar each row looks, 0 to 1: the share of taught rows that look as strange or "
            "stranger. Empty for learners that do not estimate it.")
        .def(
            "whitened",
            [](const Object& self, const Rows& x) {
                return as_array(ask(self, [&](const Learner& l) { return l.whitened(as_view(x)); }));
            },
            py::arg("x"),
            "Returns the rows in units of the variation within classes. Empty for learners that have no such "
            "units; 'fearnet-plus' has them.")
        .def(
            "class_p_values",
            [](const Object& self, const Rows& x) {
                return as_array(ask(self, [&](const Learner& l) { return l.class_p_values(as_view(x)); }));
            },
            py::arg("x"),
            "Returns an array of shape (rows, len(classes())): how well each row fits each class, as a "
            "p-value. Of shape (0, 0) for learners that do not estimate it.")
        .def("explain", &explain, py::arg("x"),
             "Returns which memory predicted each row, and why, as a dict of arrays; `recent` is True where "
             "it "
             "was the recent memory. None unless the learner has two memories ('fearnet').")
        .def("copy", &copy, "Returns an independent copy.")
        .def("__copy__", &copy)
        .def("__deepcopy__", [](const Object& self, const py::dict&) { return copy(self); })
        .def(
            "classes",
            [](const Object& self) {
                return as_array(ask(self, [](const Learner& l) { return l.classes(); }));
            },
            "Returns the classes taught so far, ascending.")
        .def_property_readonly(
            "width", [](const Object& self) { return ask(self, [](const Learner& l) { return l.width(); }); },
            "Features per row; 0 before the first session.")
        .def_property_readonly("name", [](const Object& self) { return self.learner->name(); })
        .def(
            "memory",
            [](const Object& self) { return ask(self, [](const Learner& l) { return l.memory(); }); },
            "Returns what the learner keeps, in bytes by kind.")
        .def(
            "options",
            [](const Object& self) { return ask(self, [](const Learner& l) { return l.options(); }); },
            "Returns every option, name -> value, as text.")
        .def(py::pickle(&save, &restore));
}

}  // namespace fearnet::python
