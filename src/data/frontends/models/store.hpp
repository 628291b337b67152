// Models on this machine: where they lie, and how they get there.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/frontends/models/description.hpp"
#include "data/frontends/models/onnx_runtime.hpp"
#include "fearnet/data/models.hpp"

namespace fearnet {

// A model whose files are there.
struct InstalledModel {
    ModelDescription description;
    std::filesystem::path model;      // the ONNX file
    std::filesystem::path tokenizer;  // tokenizer.json of a text model; empty: none
    std::string fingerprint;          // fingerprint_of(description)
    std::string model_sha256 = {},
                tokenizer_sha256 = {};  // that the files must have; empty: already compared
};

// `model` is a name of the catalog, "image", "sound" or "text" for the default of that kind, either of them
// with ":crops" for five crops of a photograph, or "onnx:FILE" for a user's own model, described by FILE with
// the extension .json. Throws Error when there is no such
// model, and when it is not on this machine, saying the command that gets it.
InstalledModel installed_model(const std::string& model, const ModelOptions& options = {});

// Loads the library named by FEARNET_ONNXRUNTIME, else that of the model folder, else the system's. Throws
// Error saying the command that gets it when there is none.
std::shared_ptr<const OnnxRuntime> load_onnx_runtime(const ModelOptions& options = {});

}  // namespace fearnet
