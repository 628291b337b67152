// An embedding model that is ready to run: prepared inputs become rows of features.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "data/frontends/models/description.hpp"
#include "data/frontends/models/onnx_runtime.hpp"
#include "data/frontends/models/store.hpp"

namespace fearnet {

// Const functions may be called from several threads at once; each computes in the thread of its caller.
class EmbeddingModel {
  public:
    // Loads ONNX Runtime and the model. Throws Error when either is damaged or missing.
    explicit EmbeddingModel(InstalledModel model, const ModelOptions& options = {});

    const ModelDescription& description() const { return model_.description; }
    const std::string& fingerprint() const { return model_.fingerprint; }

    // The row of one photograph or sound. `values` are what the description's ImageInput or SoundInput says,
    // in that order; `row` has description().width numbers. Throws Error when the numbers of values do not
    // fit, when ONNX Runtime fails, and when the row is not finite.
    void embed(std::span<const float> values, std::span<float> row) const;
    // The row of one text: its token ids, 1 to TextInput::tokens of them.
    void embed(std::span<const std::int64_t> tokens, std::span<float> row) const;

  private:
    void pool(const OnnxSession::Output& output, std::span<float> row) const;

    InstalledModel model_;
    std::unique_ptr<OnnxSession> session_;
};

}  // namespace fearnet
