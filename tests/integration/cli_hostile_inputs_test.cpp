// Folders, lists and models that someone else made: the program names what it skips, and acts on no name.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <nlohmann/json.hpp>

#include "data/frontends/media/image.hpp"
#include "fearnet/data/models.hpp"
#include "integration/cli_process.hpp"
#include "support/environment.hpp"
#include "support/media_files.hpp"
#include "support/pictures.hpp"
#include "support/tiny_model.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

class CliHostileInputs : public CliTest {
  protected:
    CliHostileInputs() : model_(write_tiny_model(folder_ / "models")) {
        for (int i = 0; i < 4; ++i) {
            photo("photos/red/" + std::to_string(i) + ".png", {230, 20, 20 + i});
            photo("photos/blue/" + std::to_string(i) + ".png", {20, 20 + i, 230});
        }
    }
    std::string photo(const std::string& name, std::array<int, 3> color) {
        write_png(folder_ / name, 16, [&](unsigned, unsigned) { return color; });
        return path(name);
    }
    std::string write(const std::string& name, io::ByteView bytes) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << io::as_text(bytes);
        return path(name);
    }
    std::string write(const std::string& name, const std::string& text) {
        return write(name, io::as_bytes(text));
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    void teach() {
        ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
        const Outcome outcome = run({"learn", brain_, path("photos")});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    // The reason for which `learn` skips the file, which lies in a folder with good ones.
    std::string reason(const std::string& file) {
        const Outcome outcome = run({"learn", brain_, path("photos"), "--dry-run", "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const Json answer = Json::parse(outcome.out, nullptr, false);
        EXPECT_EQ(answer["examples"], 8) << answer;
        for (const Json& skipped : answer["unreadable"])
            if (skipped["input"].get<std::string>().find(file) != std::string::npos)
                return skipped["reason"].get<std::string>();
        ADD_FAILURE() << file << " was not skipped: " << answer;
        return "";
    }
    void expect_one_line(const Outcome& outcome, std::initializer_list<std::string> told) {
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        for (const std::string& words : told)
            EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " is not in: " << outcome.err;
        EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
    }

    std::string model_, brain_ = (folder_ / "colors.brain").string();
};

TEST_F(CliHostileInputs, damaged_and_mislabeled_files_are_named_with_their_reason) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    const Image image = gradient(16, 16);
    io::Bytes cut = jpeg_of(image), huge = cut, flipped = png_of(image);
    cut.resize(cut.size() - 1);
    const auto frame =
        std::search(huge.begin(), huge.end(), std::begin("\xff\xc0"), std::begin("\xff\xc0") + 2,
                    [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
    std::fill_n(frame + 5, 4, std::uint8_t{0xea});  // 60138 x 60138
    flipped[flipped.size() / 2] ^= 1;
    write("photos/red/cut.jpg", cut);
    write("photos/red/huge.jpg", huge);
    write("photos/red/flipped.png", flipped);
    write("photos/red/none.jpg", std::string());
    write("photos/red/sound.jpg", wav_of(std::vector<int>(100, 1)));
    write("photos/red/page.png", std::string("<html><script>alert(1)</script></html>"));
    EXPECT_NE(reason("cut.jpg").find("truncated"), std::string::npos);
    EXPECT_NE(reason("huge.jpg").find("60138 x 60138"), std::string::npos);
    EXPECT_NE(reason("flipped.png").find("PNG picture that cannot be read"), std::string::npos);
    EXPECT_EQ(reason("none.jpg"), "an empty file");
    EXPECT_NE(reason("sound.jpg").find("not a file of the formats JPEG, PNG and WebP"), std::string::npos);
    EXPECT_NE(reason("page.png").find("not a file of the formats"), std::string::npos);
}

TEST_F(CliHostileInputs, a_picture_with_the_ending_of_another_format_is_what_its_bytes_say) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const Image red = picture(16, 16, [](std::size_t, std::size_t) {
        return std::array<int, 3>{230, 20, 20};
    });
    for (const io::Bytes& bytes : {jpeg_of(red), png_of(red), webp_of(red)}) {
        write("photo.mp3", bytes);
        const Outcome outcome = run({"predict", brain_, path("photo.mp3"), "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(Json::parse(outcome.out, nullptr, false)[0]["label"], "red");
    }
}

TEST_F(CliHostileInputs, links_pipes_devices_and_loops_in_a_folder_are_skipped) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    const fs::path red = folder_ / "photos/red";
    photo("outside.png", {1, 2, 3});
    fs::create_symlink("../../outside.png", red / "out.png");
    fs::create_symlink("/dev/zero", red / "zero.png");
    fs::create_symlink("self.png", red / "self.png");
    fs::create_directory_symlink("..", red / "up");
    fs::create_symlink("gone.png", red / "dangling.png");
    ASSERT_EQ(::mkfifo((red / "pipe.png").c_str(), 0600), 0);
    EXPECT_EQ(reason("out.png"), "a link that leads out of the folder");
    EXPECT_EQ(reason("zero.png"), "a link that leads out of the folder");
    EXPECT_EQ(reason("self.png"), "a link that leads nowhere");
    EXPECT_EQ(reason("dangling.png"), "a link that leads nowhere");
    EXPECT_EQ(reason("red/up"), "not a regular file");
    EXPECT_EQ(reason("pipe.png"), "not a regular file");
    if (::mknod((red / "device.png").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0) {  // needs root
        EXPECT_EQ(reason("device.png"), "not a regular file");
    }
}

TEST_F(CliHostileInputs, a_link_inside_the_folder_is_followed) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    fs::create_symlink("../red/0.png", folder_ / "photos/blue/link.png");
    const Outcome outcome = run({"learn", brain_, path("photos"), "--dry-run", "--json"});
    EXPECT_EQ(Json::parse(outcome.out, nullptr, false)["examples"], 9);
}

TEST_F(CliHostileInputs, a_list_that_names_pipes_devices_and_folders_skips_them) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    write("list.jsonl",
          "{\"path\": \"photos/red/0.png\", \"label\": \"red\"}\n{\"path\": \"pipe\", \"label\": \"red\"}\n"
          "{\"path\": \"/dev/zero\", \"label\": \"red\"}\n{\"path\": \"photos\", \"label\": \"red\"}\n"
          "{\"path\": \"photos/blue/0.png\", \"label\": \"blue\"}\n{\"path\": \"gone.png\", \"label\": "
          "\"blue\"}\n");
    const Outcome outcome = run({"learn", brain_, path("list.jsonl"), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json answer = Json::parse(outcome.out, nullptr, false);
    EXPECT_EQ(answer["examples"], 2);
    ASSERT_EQ(answer["unreadable"].size(), 4u) << answer;
    EXPECT_EQ(answer["unreadable"][0]["reason"], "not a regular file");
    EXPECT_EQ(answer["unreadable"][1]["reason"], "not a regular file");
    EXPECT_EQ(answer["unreadable"][2]["reason"], "a folder");
    for (const char* name : {"pipe", "/dev/zero"}) {
        const fs::path file = folder_ / name;  // an absolute name replaces the folder
        expect_one_line(run({"predict", brain_, file.string()}), {file.string()});
    }
}

TEST_F(CliHostileInputs, rows_from_a_named_pipe_are_read_once) {
    ASSERT_EQ(shell("mkfifo rows.csv && (printf '1,2,a\\n3,4,b\\n5,6,a\\n' > rows.csv &) && "
                    "timeout 60 '" FEARNET_CLI "' learn rows.brain rows.csv --quiet --json"),
              0)
        << shell_output();
    EXPECT_NE(shell_output().find("\"examples\": 3"), std::string::npos) << shell_output();
}

// Names of files and folders are text: no escape sequence reaches the terminal, and every row stays one line.
TEST_F(CliHostileInputs, names_with_escapes_newlines_quotes_and_broken_utf8_stay_names) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const std::vector<std::string> names{"esc\x1b[2J\x07.png",
                                         "new\nline\ttab.png",
                                         "quote\",'`$(touch gone)`.png",
                                         "bad\xff\xfeutf8.png",
                                         "-rf.png",
                                         "=1+1.png",
                                         "..png",
                                         "a;b|c.png"};
    for (const std::string& name : names) photo("odd/" + name, {230, 20, 20});
    for (const std::string style : {"tsv", "csv", "jsonl"}) {
        const Outcome outcome = run({"predict", brain_, path("odd"), "--format", style});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(lines_in(outcome.out), names.size() - 1 + (style == "csv" ? 1 : 0))
            << outcome.out;  // ..png is hidden
        EXPECT_EQ(outcome.out.find_first_of("\x1b\x07"), std::string::npos) << outcome.out;
        if (style != "jsonl") continue;
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_FALSE(Json::parse(line, nullptr, false).is_discarded());
    }
    const Outcome json = run({"predict", brain_, path("odd"), "--json"});
    EXPECT_EQ(Json::parse(json.out, nullptr, false).size(), names.size() - 1);
    EXPECT_EQ(run({"embed", path("odd"), "--features", model_, "--out", path("odd.npz")}).code, 0);

    for (const std::string& name : names) write("odd/" + name, std::string());
    const Outcome none = run({"predict", brain_, path("odd")});
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.err.find_first_of("\x1b\x07"), std::string::npos) << none.err;
    EXPECT_FALSE(fs::exists(folder_ / "gone")) << "a name was run";
    EXPECT_FALSE(fs::exists(fs::current_path() / "gone")) << "a name was run";
}

TEST_F(CliHostileInputs, folders_whose_names_are_no_class_names_are_refused_and_nothing_changes) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const std::string before = slurp(brain_);
    for (const std::string& name :
         {std::string("esc\x1b[2J"), std::string("two\nlines"), std::string("bad\xff")}) {
        photo("odd/" + name + "/1.png", {230, 20, 20});
        photo("odd/" + name + "/2.png", {230, 20, 20});
        const Outcome outcome = run({"learn", brain_, path("odd")});
        EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
        const bool refused = outcome.code == 2;
        EXPECT_EQ(slurp(brain_) == before, refused) << outcome.err;
        const Outcome info = run({"info", brain_, "--json"});
        EXPECT_EQ(info.code, 0) << info.err;
        EXPECT_EQ(info.out.find('\x1b'), std::string::npos);
        EXPECT_FALSE(Json::parse(info.out, nullptr, false).is_discarded());
        EXPECT_EQ(run({"predict", brain_, path("photos"), "--json"}).out.find('\x1b'), std::string::npos);
        fs::remove_all(folder_ / "odd");
        std::ofstream(brain_, std::ios::binary) << before;
    }
}

TEST_F(CliHostileInputs, folders_that_are_nested_too_deeply_are_one_error) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    // Deeper than a path can be long: built from inside.
    ASSERT_EQ(shell("mkdir -p deep && cd deep && for i in $(seq 400); do mkdir abcdefghijklmno && cd -P "
                    "abcdefghijklmno || exit 0; done"),
              0);
    const Outcome outcome = run({"learn", brain_, path("deep"), "--label", "x"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err.substr(0, 500);
    shell("rm -rf deep");
}

TEST_F(CliHostileInputs, an_empty_folder_and_a_folder_without_photographs_are_errors) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    ASSERT_EQ(run({"new", brain_, "--features", model_}).code, 0);
    fs::create_directories(folder_ / "empty");
    expect_one_line(run({"learn", brain_, path("empty"), "--label", "x"}),
                    {"holds no photograph, sound or text"});
    write("words/one.doc", std::string("words"));
    expect_one_line(run({"learn", brain_, path("words"), "--label", "x"}),
                    {"no photograph, sound or text that can be read", "one.doc"});
    fs::create_directories(folder_ / "hidden");
    write("hidden/.a.png", std::string("x"));
    expect_one_line(run({"learn", brain_, path("hidden"), "--label", "x"}), {"holds no photograph"});
    ASSERT_EQ(::mkfifo((folder_ / "empty/pipe.png").c_str(), 0600), 0);
    expect_one_line(run({"learn", brain_, path("empty"), "--label", "x"}),
                    {"the first of 1 that are skipped", "pipe.png: not a regular file"});
    expect_one_line(run({"learn", brain_, path("gone.png"), "--label", "x"}), {"gone.png: no such file"});
    expect_one_line(run({"predict", brain_, path("gone.png")}), {"gone.png"});
}

TEST_F(CliHostileInputs, damaged_lists_are_refused_with_file_and_line) {
    const std::vector<std::pair<std::string, std::string>> lists{
        {"{\"path\": \"a.png\", \"label\": \"x\"}\n{\"path\": 7}\n", "line 2: 'path' must be a text"},
        {"{\"path\": \"a.png\"\n", "line 1: not a JSON object"},
        {"{}\n", "line 1: needs either a path or a text"},
        {"{\"path\": \"a\", \"text\": \"b\"}\n", "line 1: needs either a path or a text"},
        {"{\"path\": \"photos/red/0.png\", \"label\": \"x\"}\n{\"path\": \"b\"}\n", "line 2: has no label"},
        {"{\"path\": \"a\", \"split\": \"train\"}\n{\"path\": \"b\"}\n", "line 2: only some lines say"},
        {"{\"path\": \"a\", \"split\": \"dev\"}\n", "must be train or test"},
        {"\n\n", "lists no input"},
        {std::string(100'000, '['), "line 1: not a JSON object"},
        {"{\"path\": \"\xff\"}\n", "line 1: not a JSON object"},
    };
    for (const auto& [text, told] : lists) {
        write("list.jsonl", text);
        expect_one_line(run({"learn", brain_, path("list.jsonl")}), {path("list.jsonl"), told});
    }
    write("list.csv", std::string("path,label\na.png\n"));
    expect_one_line(run({"learn", brain_, path("list.csv")}),
                    {"list.csv", "1 fields, but the header names 2"});
    EXPECT_FALSE(fs::exists(brain_));
}

// ---- Models ----

TEST_F(CliHostileInputs, a_model_file_with_another_hash_than_its_description_says_is_refused) {
    std::string json = kTinyJson;
    json.insert(1, R"("files": [{"as": "model.onnx", "path": "tiny.onnx", "sha256": ")" +
                       std::string(64, 'a') + "\"}],");
    write("models/tiny.json", json);
    expect_one_line(run({"new", brain_, "--features", model_}),
                    {"tiny.onnx", "SHA-256", std::string(64, 'a')});
    EXPECT_FALSE(fs::exists(brain_));
}

TEST_F(CliHostileInputs, a_model_of_the_catalog_with_a_changed_byte_is_refused) {
    const ModelInfo model = model_info("text"), runtime = model_info("onnxruntime");
    if (!model.present || !runtime.present) GTEST_SKIP() << "'fearnet models fetch text' first";
    const fs::path store = folder_ / "store";
    fs::create_directories(store);
    fs::create_directory_symlink(runtime.folder, store / runtime.name);
    write("words.txt", std::string("some words\n"));
    const Environment models("FEARNET_MODELS", store.string());
    for (const std::string file : {"tokenizer.json", "model.onnx"}) {
        fs::remove_all(store / model.name);
        fs::copy(model.folder, store / model.name, fs::copy_options::recursive);
        io::Bytes bytes = io::read_file(store / model.name / file);
        bytes[bytes.size() - 1000] ^= 1;
        write("store/" + model.name + "/" + file, bytes);
        expect_one_line(run({"embed", path("words.txt"), "--features", model.name, "--out", path("x.npz")}),
                        {file, "SHA-256"});
        EXPECT_FALSE(fs::exists(path("x.npz")));
        EXPECT_EQ(run({"models", "verify", model.name}).code, 2);
    }
}

TEST_F(CliHostileInputs, an_onnx_file_that_asks_for_another_file_is_refused) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    write("models/secret", std::string(64, 'x'));
    protobuf::Message location, tensor, graph, model;
    location.text(1, "location");
    location.text(2, "secret");
    tensor.integer(1, 16);
    tensor.integer(2, 1);
    tensor.text(8, "w");
    tensor.message(13, location);
    tensor.integer(14, 1);
    graph.message(5, tensor);
    model.message(7, graph);
    write("models/tiny.onnx", tiny_onnx() + model.bytes());  // messages of one field number are joined
    expect_one_line(run({"embed", path("photos"), "--features", model_, "--out", path("x.npz")}),
                    {"tiny.onnx", "external data"});
    EXPECT_FALSE(fs::exists(path("x.npz")));
}

TEST_F(CliHostileInputs, a_damaged_model_and_a_damaged_description_are_one_line) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const auto embed = [&] {
        return run({"embed", path("photos"), "--features", model_, "--out", path("x.npz")});
    };
    const std::string whole = tiny_onnx();
    for (const std::string& bytes :
         {std::string(), whole.substr(0, whole.size() / 2), std::string(1000, '\xff'),
          std::string("not a model"), slurp(photo("a.png", {1, 2, 3}))}) {
        write("models/tiny.onnx", bytes);
        expect_one_line(embed(), {"tiny.onnx"});
    }
    write("models/tiny.onnx", whole);
    const std::string json = kTinyJson;
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("[]"), json.substr(0, json.size() / 2), json + json,
          std::string("{\"kind\": \"\x1b[2J\"}"), std::string(2'000'000, ' ')}) {
        write("models/tiny.json", text);
        expect_one_line(embed(), {"tiny.json"});
    }
    fs::remove(folder_ / "models/tiny.json");
    expect_one_line(embed(), {"tiny.json", "missing"});
    EXPECT_FALSE(fs::exists(path("x.npz")));
}

TEST_F(CliHostileInputs, a_model_that_is_a_folder_or_a_pipe_is_refused) {
    fs::remove(folder_ / "models/tiny.onnx");
    fs::create_directories(folder_ / "models/tiny.onnx");
    expect_one_line(run({"new", brain_, "--features", model_}), {"tiny.onnx"});
    fs::remove(folder_ / "models/tiny.onnx");
    ASSERT_EQ(::mkfifo((folder_ / "models/tiny.onnx").c_str(), 0600), 0);
    expect_one_line(run({"new", brain_, "--features", model_}), {"tiny.onnx", "not a regular file"});
}

TEST_F(CliHostileInputs, a_damaged_tokenizer_is_one_line) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    write("models/tiny.json", R"({"kind": "text", "files": [{"as": "tokenizer.json", "path": "t.json"}],
        "input": {"ids": "image", "mask": "mask", "tokens": 16}, "output": {"name": "features", "pooling": "none", "width": 12}})");
    write("words.txt", std::string("some words\n"));
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("{}"), std::string("[1]"), std::string(200'000, '['),
          std::string(R"({"normalizer": {"type": "\u001b[2J"}})")}) {
        write("models/t.json", text);
        expect_one_line(run({"embed", path("words.txt"), "--features", model_, "--out", path("x.npz")}),
                        {"tokenizer.json"});
    }
    write("models/tiny.json", R"({"kind": "text", "files": [{"as": "tokenizer.json", "path": "../secret"}],
        "input": {"ids": "i", "mask": "m", "tokens": 16}, "output": {"name": "o", "pooling": "none", "width": 12}})");
    expect_one_line(run({"embed", path("words.txt"), "--features", model_, "--out", path("x.npz")}),
                    {"files[0].path", "'..'"});
}

// ---- Many files ----

// Links to few photographs: a file system may not have more than 65,000 names for one file.
class CliManyFiles : public CliHostileInputs {
  protected:
    std::size_t make_files() {
        constexpr std::size_t kNames = 10'000;
        const std::size_t count = ::getenv("FEARNET_SOAK") ? 100'000 : 5'000;
        std::string first;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = "many/" + std::to_string(i) + ".png";
            if (i % kNames == 0)
                first = photo(name, {230, 20, 20});
            else
                fs::create_hard_link(first, folder_ / name);
        }
        return count;
    }
};

TEST_F(CliManyFiles, a_folder_of_many_files_is_answered_in_bounded_memory) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    teach();
    const std::size_t count = make_files();
    const auto peak_of = [&](const std::string& data) {
        const pid_t child = start({"predict", brain_, data});
        int status = 0;
        rusage used{};
        ::wait4(child, &status, 0, &used);
        EXPECT_EQ(status, 0) << slurp(folder_ / "stderr");
        return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    };
    const std::uint64_t few = peak_of(path("photos"));
    const std::uint64_t many = peak_of(path("many"));
    EXPECT_EQ(lines_in(slurp(folder_ / "stdout")), count);
    // Names, their order and one block of rows: some hundred bytes per file.
    constexpr std::uint64_t kPerFile = 2'000, kBlock = 8'000'000;
    EXPECT_LT(many, few + kBlock + kPerFile * count);
    RecordProperty("peak_megabytes", static_cast<int>(many / 1'000'000));
    std::printf("%zu files: peak %.1f MB, %.1f MB for 8 files\n", count, static_cast<double>(many) / 1e6,
                static_cast<double>(few) / 1e6);
}

}  // namespace
}  // namespace fearnet::test
