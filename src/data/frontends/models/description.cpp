#include "data/frontends/models/description.hpp"

#include <sys/utsname.h>

#include <cassert>

#include "core/brain/text_features.hpp"
#include "data/frontends/models/json_object.hpp"
#include "data/io/sha256.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kMaxFiles = 8;
constexpr std::uint64_t kMaxFileBytes = 1'000'000'000;
constexpr std::uint64_t kMaxSide = 4096;    // of an image
constexpr std::uint64_t kMaxWidth = 65536;  // of a row

constexpr std::string_view kKinds[] = {"image", "sound", "text", "runtime"};
constexpr std::string_view kPoolings[] = {"none", "mean", "first", "mean_and_deviation"};
constexpr std::string_view kConversions[] = {"none", "tflite", "positions"};
constexpr std::string_view kViews[] = {"center", "crops"};

template <std::size_t count>
std::vector<std::string_view> list(const std::string_view (&names)[count]) {
    return {names, names + count};
}

std::string machine_here() {
    utsname system{};
    return ::uname(&system) == 0 ? system.machine : "unknown";
}

// A name that can be a file of its own: no folders, not hidden.
bool is_plain_name(const std::string& name) {
    return name.size() <= 64 && name[0] != '.' && name[0] != '-' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               name.npos;
}

std::string plain_name(JsonObject& o, const std::string& key) {
    std::string name = o.text(key);
    if (!is_plain_name(name)) o.fail(key, "a name of letters, digits, '.', '_' and '-' is expected");
    return name;
}

// "name@1.2.3" or "@scope/name@1.2.3": an exact version, and nothing that npm takes for an option or a
// folder.
std::string package_of(JsonObject& o) {
    std::string package = o.text("package");
    const std::size_t scope = package[0] == '@' ? package.find('/') : std::string::npos;
    const std::size_t start = scope == std::string::npos ? 0 : scope + 1;
    const std::size_t at = package.find('@', start);
    const bool scoped = start == 0 || (start > 2 && is_plain_name(package.substr(1, start - 2)));
    if (!scoped || at == std::string::npos || at == start || at + 1 == package.size() ||
        !is_plain_name(package.substr(start, at - start)) || !is_plain_name(package.substr(at + 1)) ||
        package.find_first_of("0123456789", at) != at + 1)
        o.fail("package", "an npm package with its version is expected, as in 'name@1.2.3'");
    return package;
}

// A path that stays inside its folder.
std::string inner_path(JsonObject& o) {
    std::string path = o.text("path");
    for (const std::string& part : std::vector<std::string>{"..", "//"})
        if (path.find(part) != path.npos) o.fail("path", "a path without '" + part + "' is expected");
    if (path[0] == '/' || path[0] == '-') o.fail("path", "a path inside the package is expected");
    return path;
}

std::string hash_of(JsonObject& o) {
    std::string hash = o.text("sha256");
    if (!io::is_sha256_hex(hash)) o.fail("sha256", "64 lowercase hexadecimal digits are expected");
    return hash;
}

ModelFile read_file_entry(JsonObject o, bool own) {
    ModelFile file;
    file.as = plain_name(o, "as");
    if (!own) {
        file.package = package_of(o);
        file.bytes = o.whole("bytes", 1, kMaxFileBytes);
        if (o.has("machine")) file.machine = plain_name(o, "machine");
    }
    file.path = inner_path(o);
    if (!own || o.has("sha256")) file.sha256 = hash_of(o);
    o.finish();
    return file;
}

Conversion read_conversion(JsonObject o) {
    Conversion c;
    c.type = static_cast<Conversion::Type>(o.choice("type", list(kConversions)));
    if (c.type == Conversion::Type::positions) {
        c.initializer = o.text("initializer");
        c.rows = o.whole("rows", 1, 1'000'000);
    }
    if (c.type == Conversion::Type::tflite) c.map = o.text_or_empty("map");
    c.sha256 = hash_of(o);
    c.bytes = o.whole("bytes", 1, kMaxFileBytes);
    o.finish();
    return c;
}

ImageInput read_image(JsonObject& o) {
    ImageInput in;
    in.width = o.whole("width", 8, kMaxSide);
    in.height = o.whole("height", 8, kMaxSide);
    in.short_side = o.whole("short_side", std::max(in.width, in.height), 2 * kMaxSide);
    const std::vector<double> mean = o.numbers("mean", 3, -1e6, 1e6);
    const std::vector<double> deviation = o.numbers("deviation", 3, 1e-6, 1e6);
    for (std::size_t c = 0; c < 3; ++c) {
        in.mean[c] = static_cast<float>(mean[c]);
        in.deviation[c] = static_cast<float>(deviation[c]);
    }
    in.channels_first = o.boolean("channels_first", true);
    in.bgr = o.boolean("bgr", false);
    in.crops = o.has("views") && o.choice("views", list(kViews)) == 1;
    return in;
}

SoundInput read_sound(JsonObject& o) {
    SoundInput in;
    in.rate = o.number("rate", 1000, 192000);
    in.seconds = o.number("seconds", 0.1, 60);
    in.fft = o.whole("fft", 16, 65536);
    in.hop = o.whole("hop", 1, in.fft);
    in.mels = o.whole("mels", 1, 512);
    return in;
}

void read_input(JsonObject o, ModelDescription& d) {
    switch (d.kind) {
        case ModelKind::image:
            d.input = read_image(o), d.input_names = {o.text("name")};
            break;
        case ModelKind::sound:
            d.input = read_sound(o), d.input_names = {o.text("name")};
            break;
        case ModelKind::text:
            d.input = TextInput{.tokens = o.whole("tokens", 3, 8192)};
            d.input_names = {o.text("ids"), o.text("mask")};
            if (o.has("types")) d.input_names.push_back(o.text("types"));
            break;
        case ModelKind::runtime:
            assert(false);
    }
    o.finish();
}

void read_output(JsonObject o, ModelDescription& d) {
    d.output_name = o.text("name");
    d.pooling = static_cast<Pooling>(o.choice("pooling", list(kPoolings)));
    d.unit_length = o.boolean("unit_length", false);
    if (d.kind == ModelKind::text) d.ngrams = o.boolean("ngrams", false);
    d.width = o.whole("width", 1, kMaxWidth);
    const std::size_t of_network = d.width - (d.ngrams ? std::min(d.width, kTextFeatures) : 0);
    if (of_network == 0)
        o.fail("width", "with ngrams, more than their " + std::to_string(kTextFeatures) + " is expected");
    if (d.pooling == Pooling::mean_and_deviation && of_network % 2 != 0)
        o.fail("width", "with mean_and_deviation, an even number is expected");
    o.finish();
}

void check_files(const JsonObject& o, const ModelDescription& d, bool own) {
    for (std::size_t i = 0; i < d.files.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (d.files[i].as == d.files[k].as && d.files[i].machine == d.files[k].machine)
                o.fail("files", "two files are called '" + d.files[i].as + "'");
    const auto need = [&](const char* as) {
        if (!d.file(as)) o.fail("files", std::string("no file is called '") + as + "'");
    };
    if (d.kind == ModelKind::text) need("tokenizer.json");
    if (d.kind == ModelKind::runtime || own) return;
    need(d.conversion.type == Conversion::Type::tflite ? "model.tflite" : "model.onnx");
}

ModelDescription read(JsonObject o, bool own) {
    ModelDescription d;
    if (!own || o.has("name")) d.name = plain_name(o, "name");
    d.kind = static_cast<ModelKind>(o.choice("kind", list(kKinds)));
    if (own && d.kind == ModelKind::runtime) o.fail("kind", "'image', 'sound' or 'text' is expected");
    if (!own || o.has("summary")) d.summary = o.text("summary");
    if (!own || o.has("license")) d.license = o.text("license");
    if (!own) d.is_default = o.boolean("default", false);
    if (!own || o.has("files"))
        for (JsonObject& entry : o.objects("files", kMaxFiles))
            d.files.push_back(read_file_entry(std::move(entry), own));
    if (!own && o.has("conversion")) d.conversion = read_conversion(o.object("conversion"));
    if (d.kind != ModelKind::runtime) {
        read_input(o.object("input"), d);
        read_output(o.object("output"), d);
    }
    o.finish();
    check_files(o, d, own);
    return d;
}

// Shortest text that reads back as the same number.
std::string digits(double number) {
    return nlohmann::json(number).dump();
}

struct Lines {
    std::string text;
    void add(std::initializer_list<std::string> words) {
        for (const std::string& word : words) text += word + '\n';
    }

    void operator()(const std::monostate&) { assert(false); }
    void operator()(const ImageInput& in) {
        add({digits(static_cast<double>(in.width)), digits(static_cast<double>(in.height)),
             digits(static_cast<double>(in.short_side))});
        for (std::size_t c = 0; c < 3; ++c)
            add({digits(static_cast<double>(in.mean[c])), digits(static_cast<double>(in.deviation[c]))});
        add({in.channels_first ? "channels first" : "channels last", in.bgr ? "bgr" : "rgb"});
        if (in.crops) add({"crops"});
    }
    void operator()(const SoundInput& in) {
        add({digits(in.rate), digits(in.seconds), std::to_string(in.fft), std::to_string(in.hop),
             std::to_string(in.mels)});
    }
    void operator()(const TextInput& in) { add({std::to_string(in.tokens)}); }
};

}  // namespace

std::string_view name_of(ModelKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

std::vector<ModelFile> ModelDescription::files_here() const {
    const std::string here = machine_here();
    std::vector<ModelFile> result;
    for (const ModelFile& f : files)
        if (f.machine.empty() || f.machine == here) result.push_back(f);
    return result;
}

std::size_t ModelDescription::position_width() const {
    const std::size_t of_network = width - (ngrams ? kTextFeatures : 0);
    return pooling == Pooling::mean_and_deviation ? of_network / 2 : of_network;
}

const ModelFile* ModelDescription::file(std::string_view as) const {
    const std::string here = machine_here();
    for (const ModelFile& f : files)
        if (f.as == as && (f.machine.empty() || f.machine == here)) return &f;
    return nullptr;
}

ModelDescription parse_model_description(std::string_view json, const std::string& what) {
    return read(JsonObject::parse(json, what), false);
}

ModelDescription parse_own_description(std::string_view json, const std::string& what) {
    return read(JsonObject::parse(json, what), true);
}

std::string fingerprint_of(const ModelDescription& d) {
    Lines lines;
    lines.add({"fearnet model 1", std::string(name_of(d.kind))});
    for (const ModelFile& f : d.files) {
        assert(!f.sha256.empty());
        lines.add({f.as, f.sha256});
    }
    lines.add({std::string(kConversions[static_cast<std::size_t>(d.conversion.type)]),
               d.conversion.initializer, std::to_string(d.conversion.rows), d.conversion.sha256});
    std::visit(lines, d.input);
    for (const std::string& name : d.input_names) lines.add({name});
    lines.add({d.output_name, std::string(kPoolings[static_cast<std::size_t>(d.pooling)]),
               d.unit_length ? "unit length" : "any length", d.ngrams ? "ngrams" : "alone",
               std::to_string(d.width)});
    return io::sha256_hex(io::as_bytes(lines.text));
}

}  // namespace fearnet
