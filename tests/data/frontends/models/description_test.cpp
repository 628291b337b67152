// Descriptions of models: what is read, and that nothing unexpected is.
#include "data/frontends/models/description.hpp"

#include <nlohmann/json.hpp>

#include "data/frontends/media/mel.hpp"
#include "data/frontends/models/catalog.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using Json = nlohmann::json;
using test::expect_error;

const std::string kHash(64, 'a');

Json image() {
    return {{"name", "m"},
            {"kind", "image"},
            {"summary", "s"},
            {"license", "MIT"},
            {"files",
             {{{"as", "model.tflite"},
               {"package", "@a/p@1.0.0"},
               {"path", "x/y"},
               {"sha256", kHash},
               {"bytes", 9}}}},
            {"conversion", {{"type", "tflite"}, {"sha256", kHash}, {"bytes", 7}}},
            {"input",
             {{"name", "i"},
              {"width", 8},
              {"height", 9},
              {"short_side", 10},
              {"mean", {1, 2, 3}},
              {"deviation", {4, 5, 6}},
              {"channels_first", false},
              {"bgr", true}}},
            {"output", {{"name", "o"}, {"pooling", "none"}, {"width", 4}}}};
}
Json sound() {
    return {
        {"kind", "sound"},
        {"input", {{"name", "i"}, {"rate", 16000}, {"seconds", 5}, {"fft", 400}, {"hop", 160}, {"mels", 80}}},
        {"output", {{"name", "o"}, {"pooling", "mean_and_deviation"}, {"width", 4}}}};
}
Json text() {
    return {{"kind", "text"},
            {"files", {{{"as", "tokenizer.json"}, {"path", "t.json"}}}},
            {"input", {{"ids", "a"}, {"mask", "b"}, {"types", "c"}, {"tokens", 9}}},
            {"output", {{"name", "o"}, {"pooling", "first"}, {"width", 4}}}};
}
ModelDescription catalog(const Json& json) {
    return parse_model_description(json.dump(), "m.json");
}
ModelDescription own(const Json& json) {
    return parse_own_description(json.dump(), "m.json");
}
// The text of the error for `json` with `value` at `path`.
void refused(Json json, const std::string& path, const Json& value, std::initializer_list<const char*> told,
             bool is_own = false) {
    SCOPED_TRACE(path + " = " + value.dump());
    json[Json::json_pointer(path)] = value;
    expect_error([&] { is_own ? own(json) : catalog(json); }, told);
}

TEST(Description, every_key_of_an_image_model_is_read) {
    const ModelDescription d = catalog(image());
    EXPECT_EQ(d.name, "m");
    EXPECT_EQ(d.kind, ModelKind::image);
    EXPECT_FALSE(d.is_default);
    ASSERT_EQ(d.files.size(), 1u);
    EXPECT_EQ(d.files[0].package, "@a/p@1.0.0");
    EXPECT_EQ(d.files[0].bytes, 9u);
    EXPECT_EQ(d.conversion.type, Conversion::Type::tflite);
    EXPECT_EQ(d.conversion.bytes, 7u);
    const auto& in = std::get<ImageInput>(d.input);
    EXPECT_EQ(in.width, 8u);
    EXPECT_EQ(in.height, 9u);
    EXPECT_EQ(in.short_side, 10u);
    EXPECT_EQ(in.mean, (std::array<float, 3>{1, 2, 3}));
    EXPECT_EQ(in.deviation, (std::array<float, 3>{4, 5, 6}));
    EXPECT_FALSE(in.channels_first);
    EXPECT_TRUE(in.bgr);
    EXPECT_EQ(d.input_names, std::vector<std::string>{"i"});
    EXPECT_EQ(d.output_name, "o");
    EXPECT_EQ(d.width, 4u);
    EXPECT_FALSE(d.unit_length);
}

TEST(Description, sounds_and_texts_have_inputs_of_their_own) {
    const ModelDescription s = own(sound()), t = own(text());
    EXPECT_EQ(std::get<SoundInput>(s.input).hop, 160u);
    EXPECT_EQ(s.position_width(), 2u);
    EXPECT_EQ(std::get<TextInput>(t.input).tokens, 9u);
    EXPECT_EQ(t.input_names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(t.position_width(), 4u);
}

TEST(Description, a_name_that_is_no_plain_file_name_is_refused) {
    for (const char* name : {"../m", "a/b", ".hidden", "-rf", "", "a b", "a\nb", "\x1b[2J", "m\xc3\xa9"})
        refused(image(), "/name", name, {"m.json: name"});
    for (const char* as : {"../model.onnx", "/etc/passwd", ".lock"})
        refused(image(), "/files/0/as", as, {"as"});
    refused(image(), "/files/0/machine", "../x", {"machine"});
    refused(image(), "/name", std::string(65, 'a'), {"name"});
}

TEST(Description, a_path_that_leaves_its_folder_is_refused) {
    for (const char* path : {"../secret", "a/../../b", "/etc/passwd", "a//b", "-x", "", "a\nb"}) {
        refused(image(), "/files/0/path", path, {"path"});
        refused(text(), "/files/0/path", path, {"path"}, true);
    }
}

TEST(Description, a_package_must_be_an_exact_version) {
    for (const char* package : {"p", "p@", "@1.0.0", "p@latest", "p@^1.0.0", "git+ssh://x@1", "../p@1.0.0",
                                "-g@1.0.0", "@a@1.0.0", "@/p@1.0.0", "a/b@1.0.0", "p@1.0.0 --x", "p@1.0.0;x"})
        refused(image(), "/files/0/package", package, {"package", "npm package with its version"});
    for (const char* package : {"p@1.0.0", "p@1.0.0-beta.1", "@scope/p@2.1.0"}) {
        Json json = image();
        json["files"][0]["package"] = package;
        EXPECT_EQ(catalog(json).files[0].package, package);
    }
}

TEST(Description, hashes_and_sizes_are_checked) {
    for (const std::string& hash :
         {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'), std::string()})
        refused(image(), "/files/0/sha256", hash, {"sha256"});
    for (const Json& bytes : {Json(0), Json(-1), Json(1'000'000'001), Json(1.5), Json("9"), Json(nullptr)})
        refused(image(), "/files/0/bytes", bytes, {"files[0].bytes", "a whole number of 1 to 1000000000"});
}

TEST(Description, numbers_out_of_range_are_refused_by_key) {
    refused(image(), "/input/width", 7, {"input.width", "8 to 4096"});
    refused(image(), "/input/height", 4097, {"input.height"});
    refused(image(), "/input/short_side", 8, {"input.short_side", "9 to 8192"});
    refused(image(), "/input/mean", Json{1, 2}, {"input.mean", "3 numbers"});
    refused(image(), "/input/deviation", Json{1, 0, 1}, {"input.deviation"});
    refused(image(), "/output/width", 0, {"output.width"});
    refused(image(), "/output/width", 65537, {"output.width"});
    refused(sound(), "/input/rate", 999, {"input.rate"}, true);
    refused(sound(), "/input/seconds", 61, {"input.seconds"}, true);
    refused(sound(), "/input/hop", 401, {"input.hop", "1 to 400"}, true);
    refused(sound(), "/output/width", 5, {"output.width", "even"}, true);
    refused(text(), "/input/tokens", 2, {"input.tokens"}, true);
    Json json = text();
    json["output"]["ngrams"] = true;
    expect_error([&] { own(json); }, {"output.width", "with ngrams"});
}

TEST(Description, unknown_missing_and_repeated_keys_are_refused) {
    refused(image(), "/surprise", 1, {"m.json: surprise: unknown key"});
    refused(image(), "/input/surprise", 1, {"input.surprise: unknown key"});
    refused(image(), "/files/0/url", "https://x", {"files[0].url: unknown key"});
    for (const char* key : {"name", "kind", "summary", "license", "files", "input", "output"}) {
        Json json = image();
        json.erase(key);
        expect_error([&] { catalog(json); }, {key});
    }
    expect_error([] { parse_model_description(R"({"name": "a", "name": "b"})", "m.json"); },
                 {"the key 'name' appears twice"});
    refused(image(), "/kind", "video", {"'video' is not one of 'image', 'sound', 'text', 'runtime'"});
    refused(image(), "/kind", "runtime", {"kind"}, true);
    Json two = image();
    two["files"].push_back(two["files"][0]);
    expect_error([&] { catalog(two); }, {"two files are called 'model.tflite'"});
    Json none = text();
    none.erase("files");
    expect_error([&] { own(none); }, {"no file is called 'tokenizer.json'"});
}

TEST(Description, what_is_no_json_object_is_refused) {
    for (const std::string& json : {std::string(), std::string("{"), std::string("[]"), std::string("null"),
                                    std::string("{\"name\": \"\xff\"}"), image().dump() + "x",
                                    std::string("\0", 1), std::string("{\"name\": 1e999}")})
        expect_error([&] { parse_own_description(json, "m.json"); }, {"m.json: "});
    expect_error([] { parse_own_description(std::string(1 << 21, ' '), "m.json"); }, {"at most 1048576"});
    std::string deep = R"({"a": )" + std::string(100'000, '[');
    expect_error([&] { parse_own_description(deep, "m.json"); }, {"nested too deeply"});
}

TEST(Description, damage_anywhere_is_read_or_refused) {
    const std::string json = image().dump();
    test::read_damaged({json.begin(), json.end()},
                       [](const io::Bytes& bytes) { parse_model_description(io::as_text(bytes), "m.json"); });
}

// Whatever changes the row of an input changes the fingerprint; names and words do not.
TEST(Description, the_fingerprint_covers_all_that_decides_on_rows) {
    const std::string before = fingerprint_of(catalog(image()));
    EXPECT_EQ(fingerprint_of(catalog(image())), before);
    const std::vector<std::pair<const char*, Json>> changes{{"/files/0/sha256", std::string(64, 'b')},
                                                            {"/conversion/sha256", std::string(64, 'b')},
                                                            {"/input/width", 9},
                                                            {"/input/height", 8},
                                                            {"/input/short_side", 11},
                                                            {"/input/mean/1", 9},
                                                            {"/input/deviation/2", 9},
                                                            {"/input/channels_first", true},
                                                            {"/input/bgr", false},
                                                            {"/input/views", "crops"},
                                                            {"/input/name", "j"},
                                                            {"/output/name", "p"},
                                                            {"/output/pooling", "mean"},
                                                            {"/output/width", 5},
                                                            {"/output/unit_length", true}};
    for (const auto& [path, value] : changes) {
        Json json = image();
        json[Json::json_pointer(path)] = value;
        EXPECT_NE(fingerprint_of(catalog(json)), before) << path;
    }
    for (const char* path : {"/name", "/summary", "/license"}) {
        Json json = image();
        json[Json::json_pointer(path)] = "other";
        EXPECT_EQ(fingerprint_of(catalog(json)), before) << path;
    }
}

TEST(Description, no_description_asks_for_a_spectrogram_larger_than_memory) {
    Json json = sound();
    json["input"] = {{"name", "i"},  {"rate", 192000}, {"seconds", 60},
                     {"fft", 65536}, {"hop", 1},       {"mels", 512}};
    const ModelDescription d = own(json);
    expect_error([&] { const MelSpectrogram mel(std::get<SoundInput>(d.input)); }, {"67108864 values"});
    for (const ModelDescription& model : model_catalog()) {
        if (model.kind != ModelKind::sound) continue;
        EXPECT_NO_THROW(MelSpectrogram{std::get<SoundInput>(model.input)});
    }
}

}  // namespace
}  // namespace fearnet
