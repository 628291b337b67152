// Photographs, sounds and texts as rows; the package's Embedder wraps it.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"
#include "interruptible.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

py::tuple embed(const Embedder& embedder, const std::vector<std::string>& items, const py::object& progress) {
    std::vector<EmbedderInput> inputs;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (embedder.kind() == InputKind::text)
            inputs.push_back({"text " + std::to_string(i), items[i]});
        else
            inputs.push_back({items[i], {}});
    const EmbeddedInputs made =
        interruptible(progress, [&](const Progress& report) { return embedder.embed(inputs, report); });
    py::list skipped;
    for (const SkippedInput& s : made.skipped) skipped.append(py::make_tuple(s.name, s.reason));
    return py::make_tuple(as_array(made.rows), made.of_input, skipped);
}

}  // namespace

void add_embedder(py::module_& m) {
    py::class_<Embedder>(m, "_Embedder", "The compiled part of fearnet.Embedder.")
        .def(py::init([](const std::string& model) {
                 const py::gil_scoped_release released;
                 return Embedder(model);
             }),
             py::arg("model"))
        .def("embed", &embed, py::arg("items"), py::arg("progress") = py::none(),
             "Returns (rows, the number of the item of each row, [(name, reason) of each skipped item]).")
        .def_property_readonly("kind", [](const Embedder& e) { return kind_name(e.kind()); })
        .def_property_readonly("name", [](const Embedder& e) { return e.front_end().name; })
        .def_property_readonly("fingerprint", [](const Embedder& e) { return e.front_end().fingerprint; })
        .def_property_readonly("width", [](const Embedder& e) { return e.front_end().width; });
}

}  // namespace fearnet::python
