// Embedder: turns photographs, sounds and texts into rows of features with an embedding network.
// docs/front_ends.md is the guide. read_table and RowBlocks (fearnet/data/table.hpp) use it for files that
// are no rows yet.
//
//     fearnet::Embedder embedder("image");
//     const auto photos = embedder.embed({{"cat/1.jpg"}, {"cat/2.jpg"}});
//     brain.learn(embedder.front_end(), photos.rows, std::vector<std::string>(photos.rows.rows(), "cat"));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"

namespace fearnet {

struct FrontEnd;  // fearnet/brain.hpp

// What can be embedded.
enum class InputKind { image, sound, text };
const char* kind_name(InputKind kind);  // "image"

// A file, the content of a file, or a text.
struct EmbedderInput {
    std::string name;  // the path of the file; with `text` or `content` only a name for messages
    std::string text = {};          // if not empty, this text is the input and no file is read
    std::string_view content = {};  // if not empty, the bytes of a file; they must outlive the call
};

// An input that has no row.
struct SkippedInput {
    std::string name;
    std::string reason;
};

// Files are read whole and must not exceed these limits; larger ones are skipped.
struct EmbedderLimits {
    std::uint64_t bytes = 256'000'000;   // of a file
    std::uint64_t pixels = 100'000'000;  // of a photograph
    double seconds = 3600;               // of a sound
};

struct EmbeddedInputs {
    Matrix rows;                        // one per input that could be read, in their order
    std::vector<std::size_t> of_input;  // of_input[i] is the input of row i
    std::vector<SkippedInput> skipped;  // the others
};

// Copies are cheap and share the network. const functions may be called from several threads at once.
class Embedder {
  public:
    // `model`: "image", "sound" or "text" for the default model of that kind, or a name from models(). Throws
    // Error, which says what to run, if the model or ONNX Runtime is not on this machine.
    explicit Embedder(const std::string& model);
    // The front end that a brain has recorded. Throws Error also if the model of that name has another
    // fingerprint.
    explicit Embedder(const FrontEnd& recorded);

    const FrontEnd& front_end() const;
    InputKind kind() const;

    // Reads and embeds all inputs on max_threads() threads. An input that cannot be read, is of another kind
    // or exceeds the limits is skipped. Throws Cancelled when `progress` returns false. Memory beside the
    // result does not grow with the number of inputs.
    EmbeddedInputs embed(std::span<const EmbedderInput> inputs, const Progress& progress = {},
                         const EmbedderLimits& limits = {}) const;
    // One row. Throws Error where embed would skip the input.
    std::vector<float> embed_one(const EmbedderInput& input, const EmbedderLimits& limits = {}) const;

  private:
    struct Network;
    std::shared_ptr<const Network> network_;
};

// The text of an input: itself, or its file. Throws Error as embed_one does.
std::string read_text(const EmbedderInput& input, const EmbedderLimits& limits = {});

// The kind of the first of these inputs that is a photograph, a sound or a text, judged by the first bytes of
// its file; none if there is no such input. A file that ends in .txt is a text.
std::optional<InputKind> kind_of(std::span<const EmbedderInput> inputs);

}  // namespace fearnet
