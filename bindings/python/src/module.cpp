// The extension module fearnet._fearnet. The package around it is what users see.
#include "arrays.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

std::string as_text(const py::handle& value) {
    if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
    if (!py::isinstance<py::str>(value) && py::isinstance<py::sequence>(value)) {
        std::string text;
        for (const py::handle item : value) text += (text.empty() ? "" : ",") + as_text(item);
        return text;
    }
    return py::str(value);
}

}  // namespace

Settings as_settings(const py::dict& settings) {
    Settings result;
    for (const auto& [name, value] : settings) result.emplace_back(py::str(name), as_text(value));
    return result;
}

}  // namespace fearnet::python

PYBIND11_MODULE(_fearnet, m) {
    using namespace fearnet;
    lab::register_learners();
    namespace py = pybind11;
    m.doc() = "FearNet's compiled part; use the package fearnet.";
    py::register_exception<Error>(m, "Error", PyExc_ValueError).doc() =
        "Raised for bad rows, labels, options or files. The object whose method raised it is unchanged.";
    py::register_exception<Cancelled>(m, "Cancelled", m.attr("Error")).doc() =
        "Raised when a progress callback returned False. Nothing has changed.";
    m.attr("__version__") = FEARNET_VERSION;
    m.def("learner_names", &learner_names, "Returns the names of all learners.");
    m.def(
        "preset_names", &preset_names,
        "Returns the names of all presets: the data sets of the paper, and 'literal', the settings that the "
        "paper prints.");
    m.def(
        "learner_options",
        [](const std::string& learner, const std::string& preset) {
            py::list result;
            for (const OptionText& o : learner_options(learner, preset)) {
                py::dict option;
                option["name"] = o.name, option["value"] = o.value;
                option["allowed"] = o.allowed, option["help"] = o.help;
                result.append(option);
            }
            return result;
        },
        py::arg("learner") = LearnerSpec{}.learner, py::arg("preset") = "",
        "Returns the options of a learner, each a dict of str: name, value (with the preset), allowed and "
        "help.");
    m.def(
        "unit_length_rows",
        [](const python::Rows& x) {
            Matrix rows(python::as_view(x));
            scale_rows_to_unit_length(rows);
            return python::as_array(rows);
        },
        py::arg("x"),
        "Returns a copy with every row divided by its Euclidean length. Rows of zeros stay zero.");
    m.def(
        "find_frames", [](const python::Rows& x) { return find_frames(python::as_view(x)); }, py::arg("x"),
        "Returns the number of frames in a row: equal parts with the same features, one after another, such "
        "as the embeddings of the seconds of a sound. 1 if there are none. Pass the rows of the first "
        "session "
        "and set the result as the option features.frames of a Brain or Learner.");
    m.def(
        "settings_with_frames",
        [](const std::string& learner, const std::string& preset, const py::dict& settings,
           const python::Rows& base_rows) {
            LearnerSpec spec{learner, preset, python::as_settings(settings)};
            set_frames(spec, python::as_view(base_rows));
            return std::map<std::string, std::string>(spec.settings.begin(), spec.settings.end());
        },
        py::arg("learner"), py::arg("preset"), py::arg("settings"), py::arg("base_rows"),
        "Returns the settings and, if the learner has the option features.frames and it is not set, the "
        "number of frames in base_rows.");
    m.def("set_threads", &set_threads, py::arg("threads"),
          "Sets the number of threads for calls that the current thread makes from now on, 1 to 1024.");
    m.def("max_threads", &max_threads,
          "Returns the number set by set_threads on this thread or, if none was set, OMP_NUM_THREADS or the "
          "number of processors.");
    python::add_learner(m);
    python::add_brain(m);
    python::add_stream(m);
    python::add_embedder(m);
    python::add_table(m);
}
