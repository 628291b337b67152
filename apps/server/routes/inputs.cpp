#include "server/routes/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>

#include "fearnet/data/table.hpp"
#include "server/brains/failure.hpp"
#include "server/http/json_body.hpp"
#include "server/http/multipart.hpp"

namespace fearnet::server {
namespace {

static_assert(std::endian::native == std::endian::little);

// "image/jpeg; q=1" -> "image/jpeg"
std::string media_type(const std::string& header) {
    std::string type = header.substr(0, header.find(';'));
    while (!type.empty() && type.back() == ' ') type.pop_back();
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return type;
}

Matrix float_rows(const std::string& body, std::size_t width) {
    const std::size_t row_bytes = width * sizeof(float);
    if (body.empty() || body.size() % row_bytes != 0)
        throw Failure(400, "the body has " + std::to_string(body.size()) +
                               " bytes, which is no multiple of the " + std::to_string(row_bytes) +
                               " bytes of a row of " + std::to_string(width) + " float32 numbers");
    Matrix rows(body.size() / row_bytes, width);
    std::memcpy(rows.data(), body.data(), body.size());
    return rows;
}

Inputs form_inputs(const Request& request) {
    Inputs inputs;
    for (const FormPart& part :
         parse_multipart(request.body, request.header("content-type"), 2 * kMostInputs)) {
        if (part.name == "label" && !part.is_file) {
            inputs.labels.emplace_back(part.content);
        } else if (part.name == "text" && !part.is_file) {
            inputs.items.push_back({.name = "text " + std::to_string(inputs.items.size() + 1),
                                    .text = std::string(part.content)});
        } else if (part.is_file) {
            inputs.items.push_back({.name = printable(part.file_name), .content = part.content});
        } else {
            throw Failure(400, "the multipart body has a value '" + part.name.substr(0, kMaxNameBytes) +
                                   "'; files, 'text' and 'label' are known");
        }
    }
    return inputs;
}

Inputs json_inputs(const Request& request) {
    JsonBody body = parse_json_body(request.body, {"rows", "texts", "labels", "label"});
    Inputs inputs;
    if (body.rows.has_value() == (body.lists.count("texts") != 0))
        throw Failure(400, "the JSON body needs either 'rows' or 'texts'");
    if (body.rows) inputs.rows = std::move(body.rows);
    for (std::string& text : body.lists["texts"]) {
        const std::string name = "text " + std::to_string(inputs.items.size() + 1);
        inputs.items.push_back({.name = name, .text = std::move(text)});
    }
    inputs.labels = std::move(body.lists["labels"]);
    if (const auto label = body.texts.find("label"); label != body.texts.end()) {
        if (!inputs.labels.empty())
            throw Failure(400, "the JSON body has both 'label' and 'labels'; give one");
        inputs.labels = {label->second};
    }
    return inputs;
}

// One label for each input becomes one for each row.
std::vector<std::string> labels_of_rows(const std::vector<std::string>& labels, std::size_t inputs,
                                        const std::vector<std::size_t>& of_input) {
    if (labels.empty()) return {};
    if (labels.size() != 1 && labels.size() != inputs)
        throw Failure(400,
                      std::to_string(inputs) + " inputs but " + std::to_string(labels.size()) + " labels");
    std::vector<std::string> result;
    for (const std::size_t i : of_input) result.push_back(labels[labels.size() == 1 ? 0 : i]);
    return result;
}

std::string takes(const BrainService& service) {
    const std::string input = service.input();
    if (input == "rows") return "rows of numbers";
    return input == "image" ? "photographs" : input == "sound" ? "sounds" : "texts";
}

}  // namespace

Inputs read_inputs(const Request& request, std::size_t width) {
    const std::string type = media_type(request.header("content-type"));
    Inputs inputs;
    if (type == "application/json") {
        inputs = json_inputs(request);
    } else if (type == "application/octet-stream") {
        constexpr std::size_t kMostWidth = 1'000'000;
        const std::size_t asked = query_count(request, "width", width, kMostWidth);
        if (asked == 0)
            throw Failure(400,
                          "the brain has no rows yet; give the number of numbers in a row with ?width=N");
        inputs.rows = float_rows(request.body, asked);
    } else if (type == "application/x-npy") {
        inputs.rows = rows_of_npy(request.body, "the body");
    } else if (type == "multipart/form-data") {
        inputs = form_inputs(request);
    } else if (type == "text/plain") {
        inputs.items.push_back({.name = "text", .text = request.body});
    } else if (type.starts_with("image/") || type.starts_with("audio/")) {
        inputs.items.push_back({.name = "body", .content = request.body});
    } else {
        throw Failure(415, "the Content-Type '" + type.substr(0, kMaxNameBytes) +
                               "' is not known; send application/json, application/octet-stream (float32), "
                               "application/x-npy, multipart/form-data, image/*, audio/* or text/plain");
    }
    if (inputs.size() == 0) throw Failure(400, "the body has no rows, files or texts");
    const std::size_t most = inputs.rows ? kMostRows : kMostInputs;
    if (inputs.size() > most)
        throw Failure(413, std::to_string(inputs.size()) + (inputs.rows ? " rows" : " inputs") +
                               ", more than " + std::to_string(most) + "; send fewer at once");
    if (const auto label = request.query.find("label"); label != request.query.end())
        inputs.labels = {label->second};
    for (const std::string& label : inputs.labels)
        if (const std::string reason = name_problem(label); !reason.empty())
            throw Failure(400, "the class name '" + label.substr(0, kMaxNameBytes) + "' " + reason);
    return inputs;
}

void refuse_many(const Inputs& inputs) {
    if (inputs.size() > kMostInputs)
        throw Failure(413, std::to_string(inputs.size()) + " rows, more than the " +
                               std::to_string(kMostInputs) + " that are answered one by one; send fewer");
}

bool needs_embedding(const Inputs& inputs) {
    return !inputs.rows;
}

InputRows rows_of(Inputs inputs, const BrainService& service, const Progress& progress) {
    const std::shared_ptr<const Brain> brain = service.snapshot();
    InputRows result;
    const std::size_t count = inputs.size();
    if (inputs.rows) {
        result.rows = std::move(*inputs.rows);
        result.of_input.resize(count);
        std::iota(result.of_input.begin(), result.of_input.end(), std::size_t{0});
    } else if (brain->accepts_text()) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) {
            const EmbedderInput& item = inputs.items[i];
            const bool media = item.text.empty() &&
                               kind_of(std::span(&item, 1)).value_or(InputKind::text) != InputKind::text;
            if (media || (item.text.empty() && item.content.empty())) {
                result.unreadable.push_back({item.name, media ? "not a text" : "an empty text"});
                continue;
            }
            texts.push_back(item.text.empty() ? std::string(item.content) : item.text);
            result.of_input.push_back(i);
        }
        if (!texts.empty()) result.rows = brain->text_rows(texts);
    } else {
        const std::shared_ptr<const Embedder> embedder = service.embedder(kind_of(inputs.items));
        if (!embedder && service.input() == "unknown")
            throw Failure(
                400,
                inputs.items.front().name +
                    ": neither a photograph (JPEG, PNG, WebP), a sound (WAV, FLAC, OGG, MP3) nor a text");
        if (!embedder)
            throw Failure(
                400, "this brain learns from " + takes(service) + "; send them as JSON, float32 or .npy");
        std::vector<EmbedderInput> items = std::move(inputs.items);
        EmbeddedInputs embedded = embedder->embed(items, progress);
        result.rows = std::move(embedded.rows);
        result.of_input = std::move(embedded.of_input);
        result.unreadable = std::move(embedded.skipped);
        result.front_end = embedder->front_end();
        inputs.items = std::move(items);
    }
    if (!inputs.items.empty())
        for (const std::size_t i : result.of_input) result.names.push_back(inputs.items[i].name);
    if (result.of_input.empty())
        throw Failure(400, std::to_string(count) + (count == 1 ? " input" : " inputs") +
                               " and none can be read; " + result.unreadable.front().name + ": " +
                               result.unreadable.front().reason);
    result.labels = labels_of_rows(inputs.labels, count, result.of_input);
    return result;
}

std::size_t query_count(const Request& request, const char* name, std::size_t if_missing, std::size_t most) {
    const auto at = request.query.find(name);
    if (at == request.query.end()) return if_missing;
    std::size_t value = 0;
    const char *begin = at->second.data(), *end = begin + at->second.size();
    const auto [stop, code] = std::from_chars(begin, end, value);
    if (code != std::errc() || stop != end || value < 1 || value > most)
        throw Failure(400, std::string(name) + "='" + at->second.substr(0, kMaxNameBytes) +
                               "': must be a whole number from 1 to " + std::to_string(most));
    return value;
}

double query_share(const Request& request, const char* name, double if_missing, double low, double high) {
    const auto at = request.query.find(name);
    if (at == request.query.end()) return if_missing;
    std::string text = at->second;
    const bool percent = text.ends_with('%');
    if (percent) text.pop_back();
    double value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (percent) value /= 100;
    if (code != std::errc() || stop != text.data() + text.size() || !(value >= low) || !(value <= high)) {
        throw Failure(400, fmt::format("{}='{}': must be a share from {} to {}, such as {}% or {}", name,
                                       at->second.substr(0, kMaxNameBytes), low, high, 50 * (low + high),
                                       (low + high) / 2));
    }
    return value;
}

bool query_flag(const Request& request, const char* name) {
    const auto at = request.query.find(name);
    if (at == request.query.end()) return false;
    const std::string& value = at->second;
    if (value == "1" || value == "true" || value.empty()) return true;
    if (value == "0" || value == "false") return false;
    throw Failure(400, std::string(name) + "='" + value.substr(0, kMaxNameBytes) + "': must be 1 or 0");
}

}  // namespace fearnet::server
