// The classes and functions of the module.
#pragma once

#include <pybind11/pybind11.h>

#include "fearnet/learner.hpp"
#include "in_use.hpp"

namespace fearnet::python {

// A learner owned by a Python object.
struct LearnerObject {
    explicit LearnerObject(std::unique_ptr<Learner> held) : learner(std::move(held)) {}
    std::unique_ptr<Learner> learner;
    InUse in_use;
};

void add_learner(pybind11::module_& module);
void add_brain(pybind11::module_& module);
void add_stream(pybind11::module_& module);
void add_table(pybind11::module_& module);
void add_embedder(pybind11::module_& module);

}  // namespace fearnet::python
