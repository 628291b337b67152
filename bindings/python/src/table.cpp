// load_table: rows and labels of a file or a built-in data set.
#include "arrays.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

std::optional<Split> split_of(const std::string& name) {
    if (name.empty()) return {};
    if (name == "train") return Split::train;
    if (name == "test") return Split::test;
    throw Error("load_table: split is '" + name + "'; it must be 'train', 'test' or None");
}

py::dict load(const std::string& data, const std::string& split, const std::string& label_column,
              const std::vector<std::string>& drop, std::uint64_t max_bytes) {
    TableOptions options;
    options.only = split_of(split);
    options.label_column = label_column;
    options.drop = drop;
    options.max_bytes = max_bytes;
    Table table;
    std::vector<std::string> labels;
    {
        const py::gil_scoped_release released;
        table = load_table(data, {.table = options});
        labels = label_names(table);
    }
    py::dict d;
    d["x"] = as_array(table.x);
    d["labels"] = table.has_labels() ? py::object(py::cast(labels)) : py::none();
    d["is_test"] = table.is_test.empty()
                       ? py::none()
                       : py::object(column<bool>(table.is_test, [](bool is_test) { return is_test; }));
    d["label_source"] = table.label_source;
    d["warnings"] = table.warnings;
    return d;
}

}  // namespace

void add_table(py::module_& m) {
    m.def("load_table", &load, py::arg("data"), py::arg("split"), py::arg("label_column"), py::arg("drop"),
          py::arg("max_bytes"), "Reads a file or a built-in data set; use fearnet.load_table.");
}

}  // namespace fearnet::python
