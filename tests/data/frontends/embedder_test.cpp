// From photographs and texts to rows.
#include "fearnet/data/embedder.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include "fearnet/brain.hpp"
#include "fearnet/data/models.hpp"
#include "fearnet/threads.hpp"
#include "support/brains.hpp"
#include "support/data_files.hpp"
#include "support/pictures.hpp"
#include "support/tiny_model.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TempFolder;

class EmbedderTest : public testing::Test {
  protected:
    // A picture whose quarters are gray values, from the top left.
    std::string quarters(const std::string& name, std::array<int, 4> gray) {
        test::write_png(folder_ / name, 16, [&](unsigned x, unsigned y) {
            const int value = gray[(y / 8) * 2 + x / 8];
            return std::array<int, 3>{value, value, 0};
        });
        return (folder_ / name).string();
    }
    Embedder tiny() const { return Embedder(test::write_tiny_model(folder_.path())); }

    TempFolder folder_;
};

TEST_F(EmbedderTest, a_row_is_what_the_network_says_of_the_pixels) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    EXPECT_EQ(embedder.kind(), InputKind::image);
    EXPECT_EQ(embedder.front_end().width, 12u);
    const std::vector<float> row = embedder.embed_one({quarters("a.png", {0, 51, 102, 255}), {}});
    ASSERT_EQ(row.size(), 12u);
    const std::vector<double> expected{0, 0.2, 0.4, 1, 0, 0.2, 0.4, 1, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(row[i], expected[i], 1e-5) << i;
}

TEST_F(EmbedderTest, the_content_of_a_file_gives_the_row_of_the_file) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    const std::string path = quarters("a.png", {0, 51, 102, 255});
    const std::string bytes = test::read_bytes(path);
    const EmbedderInput in_memory{.name = "nowhere.png", .content = bytes};
    EXPECT_EQ(embedder.embed_one(in_memory), embedder.embed_one({path}));
    EXPECT_EQ(kind_of(std::span(&in_memory, 1)), InputKind::image);
    expect_error(
        [&] { (void)embedder.embed_one(in_memory, {.bytes = 10}); },
        {"nowhere.png: a file of ", (std::to_string(bytes.size()) + " bytes").c_str(), "the limit of 10"});
}

TEST_F(EmbedderTest, with_crops_a_row_is_the_mean_over_the_center_and_the_corners) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    std::string json = test::kTinyJson;
    json.replace(json.find("\"short_side\": 16"), 16, "\"short_side\": 32, \"views\": \"crops\"");
    const std::string model = test::write_tiny_model(folder_.path());
    folder_.write("tiny.json", json);
    // 32 x 32 pixels: the left half red, the bottom half green. Each corner crop has one color; the center
    // has a quarter of each.
    test::write_png(folder_ / "a.png", 32, [](unsigned x, unsigned y) {
        return std::array<int, 3>{x < 16 ? 255 : 0, y < 16 ? 0 : 255, 0};
    });
    const std::vector<float> row = Embedder(model).embed_one({(folder_ / "a.png").string(), {}});
    const std::vector<double> expected{0.6, 0.4, 0.6, 0.4, 0.4, 0.4, 0.6, 0.6, 0, 0, 0, 0};
    ASSERT_EQ(row.size(), expected.size());
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(row[i], expected[i], 1e-5) << i;
}

TEST_F(EmbedderTest, many_inputs_keep_their_order_on_several_threads) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    std::vector<EmbedderInput> inputs;
    for (int i = 0; i < 40; ++i)
        inputs.push_back({quarters(std::to_string(i) + ".png", {i, 2 * i, 3, 4}), {}});
    const int threads = max_threads();
    set_threads(4);
    std::size_t last = 0;
    const EmbeddedInputs all = embedder.embed(inputs, [&](const ProgressEvent& event) {
        EXPECT_GE(event.done, last);
        EXPECT_EQ(event.total, 40u);
        last = event.done;
        return true;
    });
    set_threads(threads);
    EXPECT_EQ(last, 40u);
    ASSERT_EQ(all.rows.rows(), 40u);
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(all.of_input[i], i);
        EXPECT_NEAR(all.rows.row(i)[1], static_cast<double>(2 * i) / 255, 1e-5);
    }
}

TEST_F(EmbedderTest, what_cannot_be_read_is_skipped_and_named) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    const std::string good = quarters("good.png", {1, 2, 3, 4});
    io::Bytes cut = io::read_file(good);
    cut.resize(cut.size() / 2);
    const EmbeddedInputs made = embedder.embed({{{folder_.write("cut.png", cut), {}},
                                                 {good, {}},
                                                 {(folder_ / "gone.png").string(), {}},
                                                 {folder_.write("empty.jpg", std::string()), {}},
                                                 {folder_.write("text.png", std::string("words")), {}}}});
    EXPECT_EQ(made.of_input, std::vector<std::size_t>{1});
    ASSERT_EQ(made.skipped.size(), 4u);
    EXPECT_NE(made.skipped[2].reason.find("empty file"), std::string::npos) << made.skipped[2].reason;
    EXPECT_NE(made.skipped[3].reason.find("JPEG, PNG and WebP"), std::string::npos);
    for (const SkippedInput& skipped : made.skipped)
        expect_error([&] { embedder.embed_one({skipped.name, {}}); }, {skipped.name.c_str()});
}

TEST_F(EmbedderTest, limits_on_bytes_and_pixels_hold) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    const EmbedderInput input{quarters("a.png", {1, 2, 3, 4}), {}};
    expect_error([&] { embedder.embed_one(input, {.bytes = 10}); }, {"more than the limit of 10"});
    expect_error([&] { embedder.embed_one(input, {.pixels = 255}); }, {"256", "255"});
    EXPECT_EQ(embedder.embed_one(input, {.pixels = 256}).size(), 12u);
}

TEST_F(EmbedderTest, progress_can_cancel) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Embedder embedder = tiny();
    const std::vector<EmbedderInput> inputs(20, {quarters("a.png", {1, 2, 3, 4}), {}});
    EXPECT_THROW(embedder.embed(inputs, [](const ProgressEvent&) { return false; }), Cancelled);
    EXPECT_EQ(embedder.embed(inputs).rows.rows(), 20u);
}

TEST_F(EmbedderTest, a_recorded_front_end_with_another_fingerprint_is_refused) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    FrontEnd recorded = tiny().front_end();
    EXPECT_EQ(Embedder(recorded).front_end(), recorded);
    recorded.fingerprint[0] = recorded.fingerprint[0] == 'a' ? 'b' : 'a';
    expect_error([&] { const Embedder other(recorded); },
                 {recorded.name.c_str(), recorded.fingerprint.c_str(), "install that version"});
}

TEST_F(EmbedderTest, a_model_that_answers_with_another_width_is_refused) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const std::string name = test::write_tiny_model(folder_.path());
    std::string json = test::kTinyJson;
    json.replace(json.find("\"width\": 12"), 11, "\"width\": 13");
    folder_.write("tiny.json", json);
    const std::string picture = quarters("a.png", {1, 2, 3, 4});
    expect_error([&] { Embedder(name).embed_one({picture, {}}); }, {"12", "13"});
}

TEST_F(EmbedderTest, the_first_bytes_tell_the_kind) {
    const std::string picture = quarters("a.mp3", {1, 2, 3, 4});
    EXPECT_EQ(kind_of({{{picture, {}}}}), InputKind::image);
    EXPECT_EQ(kind_of({{{folder_.write("a.png", std::string("RIFF....WAVEfmt ")), {}}}}), InputKind::sound);
    EXPECT_EQ(kind_of({{{folder_.write("a.txt", std::string("words")), {}}}}), InputKind::text);
    EXPECT_EQ(kind_of({{{"", "words"}}}), InputKind::text);
    EXPECT_EQ(kind_of({{{folder_.write("a.jpg", std::string("words")), {}}}}), std::nullopt);
    EXPECT_EQ(kind_of({{{(folder_ / "gone").string(), {}}}}), std::nullopt);
}

// Of the first features, those of the network.
double cosine(const std::vector<float>& a, const std::vector<float>& b, std::size_t features) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < features; ++i) ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
    return ab / std::sqrt(aa * bb);
}

TEST_F(EmbedderTest, texts_of_one_meaning_are_near_each_other) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    if (!model_info("text").present) GTEST_SKIP() << "'fearnet models fetch text' first";
    const Embedder embedder("text");
    const auto row = [&](const char* text) { return embedder.embed_one({"text", text}); };
    const auto card = row("My card was swallowed by the machine"),
               atm = row("The ATM has kept my debit card"),
               weather = row("It will rain in the mountains tomorrow");
    constexpr std::size_t kNetwork = 384, kNgrams = 1024;
    ASSERT_EQ(card.size(), kNetwork + kNgrams);
    EXPECT_GT(cosine(card, atm, kNetwork), cosine(card, weather, kNetwork) + 0.3);
    // Either part has length one.
    const auto square = [](float v) { return static_cast<double>(v) * v; };
    EXPECT_NEAR(std::transform_reduce(card.begin(), card.begin() + kNetwork, 0.0, std::plus<>(), square), 1,
                1e-5);
    EXPECT_NEAR(std::transform_reduce(card.begin() + kNetwork, card.end(), 0.0, std::plus<>(), square), 1,
                1e-5);
}

}  // namespace
}  // namespace fearnet
