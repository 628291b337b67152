#include "fearnet/data/embedder.hpp"

#include <atomic>
#include <thread>

#include "core/base/parallel.hpp"
#include "data/frontends/media/kind.hpp"
#include "data/frontends/models/onnx_file.hpp"
#include "data/frontends/models/store.hpp"
#include "data/frontends/network.hpp"
#include "data/io/byte_stream.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kMagicBytes = 64;

InputKind kind_of_model(const ModelDescription& model) {
    if (model.kind == ModelKind::sound) return InputKind::sound;
    return model.kind == ModelKind::text ? InputKind::text : InputKind::image;
}

std::optional<InputKind> kind_of_file(const std::string& path) {
    if (path.ends_with(".txt")) return InputKind::text;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    io::ByteStream file(path);
    io::Bytes front(kMagicBytes);
    front.resize(file.read(front.data(), front.size()));
    const MediaKind kind = media_kind(front);
    if (kind == MediaKind::neither) return std::nullopt;
    return kind == MediaKind::image ? InputKind::image : InputKind::sound;
}

}  // namespace

const char* kind_name(InputKind kind) {
    return kind == InputKind::image ? "image" : kind == InputKind::sound ? "sound" : "text";
}

Embedder::Embedder(const std::string& model) {
    auto network = std::make_shared<Network>();
    InstalledModel installed = installed_model(model);
    network->description = std::move(installed.description);
    const ModelDescription& d = network->description;
    network->kind = kind_of_model(d);
    network->front_end = {d.name, installed.fingerprint, d.width};
    const io::Bytes file = io::read_file(installed.model);
    check_onnx_file(file, installed.model.string());
    network->session = std::make_unique<OnnxSession>(load_onnx_runtime(), file, d.name);
    if (network->kind == InputKind::sound) network->mel.emplace(std::get<SoundInput>(d.input));
    if (network->kind == InputKind::text) network->tokenizer.emplace(io::read_file(installed.tokenizer));
    network_ = std::move(network);
}

Embedder::Embedder(const FrontEnd& recorded) : Embedder(recorded.name) {
    if (recorded == front_end()) return;
    throw Error("the model " + recorded.name + " on this machine has the fingerprint " +
                front_end().fingerprint + ", but the brain learned with the one of fingerprint " +
                recorded.fingerprint + "; install that version of the model");
}

const FrontEnd& Embedder::front_end() const {
    return network_->front_end;
}
InputKind Embedder::kind() const {
    return network_->kind;
}

EmbeddedInputs Embedder::embed(std::span<const EmbedderInput> inputs, const Progress& progress,
                               const EmbedderLimits& limits) const {
    struct Outcome {
        std::vector<float> row;
        std::string reason;
    };
    std::vector<Outcome> outcomes(inputs.size());
    std::atomic<std::size_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    const auto embed_input = [&](std::size_t i) {
        try {
            outcomes[i].row = network_->row(inputs[i], limits);
        } catch (const std::bad_alloc&) {
            outcomes[i].reason = "not enough memory";
        } catch (const Error& error) {
            outcomes[i].reason = error.what();
        }
        const std::size_t finished = ++done;
        if (std::this_thread::get_id() == caller)
            report(progress, {"embed", finished, inputs.size()}, "Embedder::embed");
    };
    using Task = decltype(embed_input);
    run_tasks(
        inputs.size(), [](void* context, std::size_t i) { (*static_cast<Task*>(context))(i); },
        const_cast<void*>(static_cast<const void*>(&embed_input)));
    report(progress, {"embed", inputs.size(), inputs.size()}, "Embedder::embed");

    EmbeddedInputs result;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (outcomes[i].row.empty())
            result.skipped.push_back({inputs[i].name, outcomes[i].reason});
        else
            result.of_input.push_back(i);
    result.rows = Matrix(result.of_input.size(), front_end().width);
    for (std::size_t k = 0; k < result.of_input.size(); ++k)
        std::copy_n(outcomes[result.of_input[k]].row.data(), result.rows.cols(), result.rows.row(k));
    return result;
}

std::vector<float> Embedder::embed_one(const EmbedderInput& input, const EmbedderLimits& limits) const {
    try {
        return network_->row(input, limits);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        throw Error(input.name + ": " + error.what());
    }
}

std::optional<InputKind> kind_of(std::span<const EmbedderInput> inputs) {
    for (const EmbedderInput& input : inputs) {
        if (!input.text.empty()) return InputKind::text;
        if (const std::optional<InputKind> kind = kind_of_file(input.name)) return kind;
    }
    return std::nullopt;
}

std::string read_text(const EmbedderInput& input, const EmbedderLimits& limits) {
    const io::Bytes bytes = input_bytes(input, limits);
    return {bytes.begin(), bytes.end()};
}

}  // namespace fearnet
