// An embedding model that is ready to run: from an input to its row.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/frontends/media/mel.hpp"
#include "data/frontends/media/wordpiece.hpp"
#include "data/frontends/models/description.hpp"
#include "data/frontends/models/onnx_runtime.hpp"
#include "data/frontends/pooling.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"

namespace fearnet {

// The bytes of a file, or of a text. Throws Error for an empty file and one that exceeds the limit.
io::Bytes input_bytes(const EmbedderInput& input, const EmbedderLimits& limits);

struct Embedder::Network {
    ModelDescription description;
    InputKind kind = InputKind::image;
    FrontEnd front_end;
    std::unique_ptr<const OnnxSession> session;
    std::optional<MelSpectrogram> mel;   // of sounds
    std::optional<WordPiece> tokenizer;  // of texts

    // The row of one input. Throws Error if it cannot be read or is of another kind. May be called from
    // several threads at once.
    std::vector<float> row(const EmbedderInput& input, const EmbedderLimits& limits) const;

  private:
    void add_image(io::ByteView bytes, const EmbedderLimits& limits, Pool& pool) const;
    void add_sound(io::ByteView bytes, const EmbedderLimits& limits, Pool& pool) const;
    void add_text(const std::string& text, Pool& pool) const;
    std::vector<float> run(std::span<const OnnxSession::Input> inputs) const;
};

}  // namespace fearnet
