// Conversions between NumPy arrays and matrices.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <fearnet/lab/all.hpp>

namespace fearnet::python {

using namespace fearnet::lab;

namespace py = pybind11;

// A float32 array in C order; other arrays are converted.
using Rows = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Ids = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;

// A view of the array, which must outlive it. Throws Error unless the array has two dimensions.
inline MatrixView as_view(const Rows& x) {
    if (x.ndim() != 2)
        throw Error("x has " + std::to_string(x.ndim()) + " dimensions but rows of features have 2");
    return {x.data(), static_cast<std::size_t>(x.shape(0)), static_cast<std::size_t>(x.shape(1))};
}

// Throws Error unless it has one dimension.
inline std::vector<ClassId> as_ids(const Ids& labels) {
    if (labels.ndim() != 1)
        throw Error("the labels have " + std::to_string(labels.ndim()) + " dimensions but one is needed");
    std::vector<ClassId> ids;
    for (py::ssize_t i = 0; i < labels.shape(0); ++i) ids.push_back(ClassId{labels.at(i)});
    return ids;
}

inline py::array_t<float> as_array(const Matrix& m) {
    py::array_t<float> result({m.rows(), m.cols()});
    if (m.size() != 0) std::memcpy(result.mutable_data(), m.data(), m.bytes());
    return result;
}

// One number per item.
template <class T, class Items, class Get>
py::array_t<T> column(const Items& items, const Get& get) {
    py::array_t<T> result(static_cast<py::ssize_t>(items.size()));
    T* out = result.mutable_data();
    for (const auto& item : items) *out++ = get(item);
    return result;
}

inline py::array_t<std::int32_t> as_array(const std::vector<ClassId>& ids) {
    return column<std::int32_t>(ids, [](ClassId id) { return index_of(id); });
}

// {"network.hidden": [64, 32], "sleep.fresh": True, ...} as a user would write the values.
Settings as_settings(const py::dict& settings);

}  // namespace fearnet::python
