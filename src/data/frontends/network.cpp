#include "data/frontends/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/brain/text_features.hpp"
#include "data/frontends/media/crop.hpp"
#include "data/frontends/media/kind.hpp"
#include "data/frontends/media/sound.hpp"
#include "data/io/files.hpp"

namespace fearnet {
namespace {

void check_kind(io::ByteView bytes, MediaKind wanted, const char* formats) {
    if (media_kind(bytes) != wanted) throw Error(std::string("not a file of the formats ") + formats);
}

void to_unit_length(std::vector<float>& row) {
    double square = 0;
    for (const float v : row) square += static_cast<double>(v) * v;
    const auto scale = static_cast<float>(1 / std::sqrt(std::max(square, 1e-24)));
    for (float& v : row) v *= scale;
}

}  // namespace

io::Bytes input_bytes(const EmbedderInput& input, const EmbedderLimits& limits) {
    if (!input.text.empty()) return io::Bytes(input.text.begin(), input.text.end());
    const auto check_size = [&](std::uint64_t size) {
        if (size > limits.bytes)
            throw Error("a file of " + std::to_string(size) + " bytes, more than the limit of " +
                        std::to_string(limits.bytes));
    };
    if (!input.content.empty()) {
        check_size(input.content.size());
        return io::Bytes(input.content.begin(), input.content.end());
    }
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(input.name, error);
    // A pipe may never end, and a device never does.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        throw Error(std::filesystem::is_directory(status) ? "a folder" : "not a regular file");
    const std::uint64_t size = std::filesystem::file_size(input.name, error);
    if (!error) check_size(size);
    if (!error && size == 0) throw Error("an empty file");
    return io::read_file(input.name);
}

std::vector<float> Embedder::Network::row(const EmbedderInput& input, const EmbedderLimits& limits) const {
    Pool pool(description.pooling, description.position_width());
    const io::Bytes bytes = input_bytes(input, limits);
    switch (kind) {
        case InputKind::image:
            add_image(bytes, limits, pool);
            break;
        case InputKind::sound:
            add_sound(bytes, limits, pool);
            break;
        case InputKind::text:
            add_text({bytes.begin(), bytes.end()}, pool);
    }
    std::vector<float> row = pool.row();
    if (std::any_of(row.begin(), row.end(), [](float v) { return !std::isfinite(v); }))
        throw Error("the model " + description.name + " answers with numbers that are not finite");
    if (description.unit_length) to_unit_length(row);
    if (description.ngrams) {
        std::vector<float> ngrams(kTextFeatures);
        text_features(io::as_text(bytes), ngrams);
        to_unit_length(ngrams);
        row.insert(row.end(), ngrams.begin(), ngrams.end());
    }
    return row;
}

std::vector<float> Embedder::Network::run(std::span<const OnnxSession::Input> inputs) const {
    OnnxSession::Output output = session->run(inputs, description.output_name);
    const std::size_t expected = description.position_width(), answered = output.values.size();
    const bool one = description.pooling == Pooling::none;
    if (answered == 0 || (one ? answered != expected : answered % expected != 0))
        throw Error("the model " + description.name + " answers with " + std::to_string(answered) +
                    " numbers, but its description says " + (one ? "" : "a multiple of ") +
                    std::to_string(expected));
    return std::move(output.values);
}

void Embedder::Network::add_image(io::ByteView bytes, const EmbedderLimits& limits, Pool& pool) const {
    check_kind(bytes, MediaKind::image, "JPEG, PNG and WebP");
    const auto& wanted = std::get<ImageInput>(description.input);
    const Image image = decode_image(bytes, {.max_pixels = limits.pixels}, wanted.short_side);
    const auto height = static_cast<std::int64_t>(wanted.height),
               width = static_cast<std::int64_t>(wanted.width);
    const std::vector<std::int64_t> shape = wanted.channels_first
                                                ? std::vector<std::int64_t>{1, 3, height, width}
                                                : std::vector<std::int64_t>{1, height, width, 3};
    using Part = ImagePart;
    constexpr Part kParts[] = {Part::center, Part::top_left, Part::top_right, Part::bottom_left,
                               Part::bottom_right};
    std::vector<float> answers[std::size(kParts)];
    const auto answer = [&](std::size_t i) {
        std::vector<float> tensor(3 * wanted.width * wanted.height);
        image_tensor(image, wanted, kParts[i], tensor.data());
        const OnnxSession::Input input{description.input_names[0], shape, tensor};
        answers[i] = run({&input, 1});
    };
    const std::size_t crops = wanted.crops ? std::size(kParts) : 1;
    // A photograph alone has its crops on all threads; of many, each has one thread.
    parallel_blocks(crops, crops, [&](std::size_t i, std::size_t, std::size_t) { answer(i); });
    for (std::size_t i = 0; i < crops; ++i) pool.add_all(answers[i]);
}

void Embedder::Network::add_sound(io::ByteView bytes, const EmbedderLimits& limits, Pool& pool) const {
    constexpr double kShortest = 0.1;  // of a window: a shorter end of a longer sound is left out
    check_kind(bytes, MediaKind::sound, "WAV, FLAC, OGG and MP3");
    const auto& wanted = std::get<SoundInput>(description.input);
    const std::vector<float> samples = decode_sound(bytes, wanted.rate, {.max_seconds = limits.seconds});
    const std::size_t window = mel->window_samples();
    std::vector<float> tensor(mel->mels() * mel->frames());
    const std::vector<std::int64_t> shape{1, static_cast<std::int64_t>(mel->mels()),
                                          static_cast<std::int64_t>(mel->frames())};
    for (std::size_t at = 0; at < samples.size(); at += window) {
        const std::size_t count = std::min(window, samples.size() - at);
        if (at > 0 && static_cast<double>(count) < kShortest * static_cast<double>(window)) break;
        (*mel)(std::span(samples).subspan(at, count), tensor.data());
        const OnnxSession::Input input{description.input_names[0], shape, tensor};
        const std::vector<float> values = run({&input, 1});
        // The silence behind a short sound is not part of it.
        const std::size_t features = pool.features(), positions = values.size() / features;
        const std::size_t heard =
            std::clamp<std::size_t>((positions * count + window - 1) / window, 1, positions);
        pool.add_all(std::span(values).first(heard * features));
    }
}

void Embedder::Network::add_text(const std::string& text, Pool& pool) const {
    const std::vector<std::int64_t> ids =
        tokenizer->encode(text, std::get<TextInput>(description.input).tokens);
    const std::vector<std::int64_t> ones(ids.size(), 1), zeros(ids.size(), 0);
    const std::vector<std::int64_t> shape{1, static_cast<std::int64_t>(ids.size())};
    const std::array<std::span<const std::int64_t>, 3> values{ids, ones, zeros};
    std::vector<OnnxSession::Input> inputs;
    for (std::size_t i = 0; i < description.input_names.size(); ++i)
        inputs.push_back({description.input_names[i], shape, {}, values[i]});
    pool.add_all(run(inputs));
}

}  // namespace fearnet
