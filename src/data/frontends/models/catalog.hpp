// The models that the library can get: the descriptions in models/.
#pragma once

#include <span>
#include <string>

#include "data/frontends/models/description.hpp"

namespace fearnet {

// By kind (images, sounds, texts, the runtime); of each kind the default first, then by name.
std::span<const ModelDescription> model_catalog();

// The model of that name, or the default of that kind; null: neither.
const ModelDescription* find_model(const std::string& name_or_kind);

// The description of ONNX Runtime.
const ModelDescription& runtime_description();

}  // namespace fearnet
