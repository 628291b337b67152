#include "fearnet/data/embedder.hpp"

#include <atomic>
#include <future>
#include <thread>

#include "core/base/parallel.hpp"
#include "data/frontends/media/kind.hpp"
#include "data/frontends/models/onnx_file.hpp"
#include "data/frontends/models/store.hpp"
#include "data/frontends/network.hpp"
#include "data/io/byte_stream.hpp"
#include "data/io/sha256.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kMagicBytes = 64;

InputKind kind_of_model(const ModelDescription& model) {
    if (model.kind == ModelKind::sound) return InputKind::sound;
    return model.kind == ModelKind::text ? InputKind::text : InputKind::image;
}

std::optional<InputKind> kind_of_file(const EmbedderInput& input) {
    const std::string& path = input.name;
    if (path.ends_with(".txt")) return InputKind::text;
    io::Bytes front(kMagicBytes);
    if (!input.content.empty()) {
        const std::string_view start = input.content.substr(0, kMagicBytes);
        front.assign(start.begin(), start.end());
    } else {
        std::error_code error;
        if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
        io::ByteStream file(path);
        front.resize(file.read(front.data(), front.size()));
    }
    const MediaKind kind = media_kind(front);
    if (kind == MediaKind::neither) return std::nullopt;
    return kind == MediaKind::image ? InputKind::image : InputKind::sound;
}

void check_hash(const std::filesystem::path& path, io::ByteView bytes, const std::string& expected) {
    if (expected.empty()) return;
    if (const std::string hash = io::sha256_hex(bytes); hash != expected)
        throw Error(path.string() + ": has the SHA-256 " + hash + " instead of " + expected +
                    "; remove it and fetch the model again ('fearnet models')");
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
    // Hashing a large model takes about as long as preparing it.
    auto intact =
        std::async(std::launch::async, [&] { check_hash(installed.model, file, installed.model_sha256); });
    check_onnx_file(file, installed.model.string());
    network->session = std::make_unique<OnnxSession>(load_onnx_runtime(), file, d.name);
    if (network->kind == InputKind::sound) network->mel.emplace(std::get<SoundInput>(d.input));
    if (network->kind == InputKind::text) {
        const io::Bytes tokenizer = io::read_file(installed.tokenizer);
        check_hash(installed.tokenizer, tokenizer, installed.tokenizer_sha256);
        network->tokenizer.emplace(tokenizer);
    }
    intact.get();
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
    EmbeddedInputs result;
    result.rows.resize(inputs.size(), front_end().width);
    std::vector<std::string> reasons(inputs.size());  // of inputs without a row
    std::atomic<std::size_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    const auto embed_input = [&](std::size_t i) {
        try {
            const std::vector<float> row = network_->row(inputs[i], limits);
            std::copy(row.begin(), row.end(), result.rows.row(i));
        } catch (const std::bad_alloc&) {
            reasons[i] = "not enough memory";
        } catch (const Error& error) {
            reasons[i] = error.what();
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

    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!reasons[i].empty()) {
            result.skipped.push_back({inputs[i].name, std::move(reasons[i])});
            continue;
        }
        const std::size_t k = result.of_input.size();
        if (k != i) std::copy_n(result.rows.row(i), result.rows.cols(), result.rows.row(k));
        result.of_input.push_back(i);
    }
    result.rows.resize_rows(result.of_input.size());
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
        if (const std::optional<InputKind> kind = kind_of_file(input)) return kind;
    }
    return std::nullopt;
}

std::string read_text(const EmbedderInput& input, const EmbedderLimits& limits) {
    const io::Bytes bytes = input_bytes(input, limits);
    return {bytes.begin(), bytes.end()};
}

}  // namespace fearnet
