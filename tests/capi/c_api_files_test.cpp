// The C functions for photographs, with an embedding model of a few bytes.
#include <fearnet_c.h>
#include <gtest/gtest.h>

#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"
#include "support/data_files.hpp"
#include "support/pictures.hpp"
#include "support/tiny_model.hpp"

namespace fearnet {
namespace {

struct Close {
    void operator()(fearnet_brain* brain) const { fearnet_close(brain); }
};
using Handle = std::unique_ptr<fearnet_brain, Close>;
using Color = std::array<int, 3>;

class CFiles : public testing::Test {
  protected:
    // A picture of this color.
    const char* photo(const std::string& name, Color color) {
        test::write_png(folder_ / name, 16, [&](unsigned, unsigned) { return color; });
        return kept(name);
    }
    const char* kept(const std::string& name) {
        return paths_.emplace_back(new std::string((folder_ / name).string()))->c_str();
    }

    // A brain that learns through the tiny model, without classes.
    Handle brain() {
        const Embedder embedder(test::write_tiny_model(folder_ / "models"));
        BrainOptions options;
        options.front_end = embedder.front_end();
        { const Brain made(folder_ / "a.brain", create_if_missing(options)); }
        fearnet_brain* opened = nullptr;
        EXPECT_EQ(fearnet_open((folder_ / "a.brain").c_str(), 0, &opened), FEARNET_OK)
            << fearnet_last_error();
        return Handle(opened);
    }
    Handle taught() {
        Handle made = brain();
        std::vector<const char*> paths, labels;
        for (int i = 0; i < 5; ++i) {
            paths.push_back(photo("red" + std::to_string(i) + ".png", {230, 20, 20 + i})),
                labels.push_back("red");
            paths.push_back(photo("blue" + std::to_string(i) + ".png", {20 + i, 20, 230})),
                labels.push_back("blue");
        }
        std::vector<int> used(paths.size(), -1);
        fearnet_outcome outcome{};
        EXPECT_EQ(fearnet_learn_files(made.get(), paths.data(), paths.size(), labels.data(), labels.size(),
                                      nullptr, nullptr, &outcome, used.data()),
                  FEARNET_OK)
            << fearnet_last_error();
        EXPECT_EQ(outcome.examples, 10u);
        EXPECT_EQ(used, std::vector<int>(10, 1));
        return made;
    }

    test::TempFolder folder_;
    std::vector<std::unique_ptr<std::string>> paths_;
};

TEST_F(CFiles, files_are_learned_and_recognized_as_in_cpp) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    const std::vector<const char*> probe{photo("r.png", {225, 25, 20}), photo("b.png", {25, 20, 225})};
    constexpr std::size_t kTop = 2;
    std::vector<fearnet_ranked> ranked(probe.size() * kTop);
    ASSERT_EQ(fearnet_predict_files(brain.get(), probe.data(), probe.size(), ranked.data(), kTop, nullptr),
              FEARNET_OK)
        << fearnet_last_error();
    EXPECT_STREQ(ranked[0].label, "red");
    EXPECT_STREQ(ranked[kTop].label, "blue");
    const Brain same(folder_ / "a.brain", BrainAccess::read);
    const EmbeddedInputs rows = Embedder(same.front_end()).embed({{{probe[0], {}}, {probe[1], {}}}});
    const std::vector<BrainAnswer> answers = same.predict(rows.rows);
    for (std::size_t i = 0; i < probe.size(); ++i) {
        EXPECT_EQ(ranked[i * kTop].label, answers[i].label());
        EXPECT_EQ(ranked[i * kTop].probability, answers[i].probability());
    }
}

TEST_F(CFiles, one_label_is_that_of_all_files) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    const std::vector<const char*> paths{photo("w1.png", {240, 240, 240}), photo("w2.png", {235, 240, 240})};
    const char* label = "white";
    fearnet_outcome outcome{};
    ASSERT_EQ(
        fearnet_learn_files(brain.get(), paths.data(), 2, &label, 1, nullptr, nullptr, &outcome, nullptr),
        FEARNET_OK)
        << fearnet_last_error();
    EXPECT_EQ(outcome.examples, 2u);
    EXPECT_EQ(Brain(folder_ / "a.brain", BrainAccess::read).class_names(),
              (std::vector<std::string>{"blue", "red", "white"}));
}

TEST_F(CFiles, files_that_cannot_be_read_are_left_out_and_marked) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    folder_.write("text.png", std::string("words"));
    folder_.write("empty.png", std::string());
    const std::vector<const char*> paths{kept("text.png"), photo("r.png", {225, 25, 20}), kept("gone.png"),
                                         kept("empty.png")};
    std::vector<int> used(4, -1);
    std::vector<fearnet_ranked> ranked(4, {"not written", -1});
    ASSERT_EQ(fearnet_predict_files(brain.get(), paths.data(), 4, ranked.data(), 1, used.data()), FEARNET_OK)
        << fearnet_last_error();
    EXPECT_EQ(used, (std::vector<int>{0, 1, 0, 0}));
    EXPECT_STREQ(ranked[1].label, "red");
    for (const std::size_t i : {0u, 2u, 3u}) EXPECT_EQ(ranked[i].label, nullptr) << i;

    const std::vector<const char*> labels{"a", "green", "b", "c"};
    fearnet_outcome outcome{};
    ASSERT_EQ(fearnet_learn_files(brain.get(), paths.data(), 4, labels.data(), 4, nullptr, nullptr, &outcome,
                                  used.data()),
              FEARNET_OK);
    EXPECT_EQ(outcome.examples, 1u);
    EXPECT_EQ(used, (std::vector<int>{0, 1, 0, 0}));
    EXPECT_EQ(Brain(folder_ / "a.brain", BrainAccess::read).class_names(),
              (std::vector<std::string>{"blue", "green", "red"}))
        << "a label goes with its file";
}

TEST_F(CFiles, if_no_file_can_be_read_it_is_an_error_and_nothing_changes) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    const io::Bytes before = io::read_file(folder_ / "a.brain");
    folder_.write("text.png", std::string("words"));
    const char* path = kept("text.png");
    const char* label = "red";
    int used = 7;
    fearnet_ranked ranked{"not written", -1};
    EXPECT_EQ(fearnet_learn_files(brain.get(), &path, 1, &label, 1, nullptr, nullptr, nullptr, &used),
              FEARNET_ERROR);
    EXPECT_NE(std::string(fearnet_last_error()).find("text.png"), std::string::npos) << fearnet_last_error();
    EXPECT_EQ(fearnet_predict_files(brain.get(), &path, 1, &ranked, 1, &used), FEARNET_ERROR);
    EXPECT_EQ(used, 7) << "nothing is written";
    EXPECT_STREQ(ranked.label, "not written");
    EXPECT_TRUE(io::read_file(folder_ / "a.brain") == before);
}

TEST_F(CFiles, progress_can_cancel) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    const char* path = photo("w.png", {240, 240, 240});
    const char* label = "white";
    std::size_t calls = 0;
    const auto stop = [](void* user, const char*, size_t, size_t, double) {
        ++*static_cast<std::size_t*>(user);
        return 0;
    };
    EXPECT_EQ(fearnet_learn_files(brain.get(), &path, 1, &label, 1, stop, &calls, nullptr, nullptr),
              FEARNET_CANCELLED);
    EXPECT_GT(calls, 0u);
    EXPECT_EQ(Brain(folder_ / "a.brain", BrainAccess::read).class_names().size(), 2u);
}

TEST_F(CFiles, misuse_is_a_bad_argument) {
    SKIP_WITHOUT_ONNX_RUNTIME();
    const Handle brain = taught();
    const std::vector<const char*> paths{photo("a.png", {1, 2, 3}), photo("b.png", {1, 2, 3}),
                                         photo("c.png", {1, 2, 3})};
    const std::vector<const char*> labels{"a", "b"}, torn{paths[0], nullptr, paths[2]};
    fearnet_ranked ranked[3];
    const auto learn = [&](const char* const* files, std::size_t n, const char* const* names,
                           std::size_t count) {
        return fearnet_learn_files(brain.get(), files, n, names, count, nullptr, nullptr, nullptr, nullptr);
    };
    EXPECT_EQ(learn(paths.data(), 3, labels.data(), 2), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(learn(paths.data(), 0, labels.data(), 1), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(learn(nullptr, 3, labels.data(), 1), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(learn(paths.data(), 3, nullptr, 1), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(learn(torn.data(), 3, labels.data(), 1), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(
        fearnet_learn_files(nullptr, paths.data(), 3, labels.data(), 1, nullptr, nullptr, nullptr, nullptr),
        FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_files(brain.get(), paths.data(), 3, ranked, 0, nullptr), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_files(brain.get(), paths.data(), 3, nullptr, 1, nullptr), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_files(nullptr, paths.data(), 3, ranked, 1, nullptr), FEARNET_BAD_ARGUMENT);
}

TEST_F(CFiles, a_brain_of_rows_takes_no_files) {
    fearnet_brain* made = nullptr;
    ASSERT_EQ(fearnet_create((folder_ / "rows.brain").c_str(), nullptr, 0, &made), FEARNET_OK)
        << fearnet_last_error();
    const Handle brain(made);
    const std::vector<float> rows{0, 1, 0, 1.1f, 1, 0, 1.1f, 0};
    const char* names[] = {"a", "a", "b", "b"};
    ASSERT_EQ(fearnet_learn(brain.get(), rows.data(), 4, 2, names, 4, nullptr, nullptr, nullptr), FEARNET_OK)
        << fearnet_last_error();
    const char* path = photo("a.png", {1, 2, 3});
    fearnet_ranked ranked;
    EXPECT_EQ(fearnet_learn_files(brain.get(), &path, 1, names, 1, nullptr, nullptr, nullptr, nullptr),
              FEARNET_ERROR);
    EXPECT_NE(std::string(fearnet_last_error()).find("learns from rows"), std::string::npos)
        << fearnet_last_error();
    EXPECT_EQ(fearnet_predict_files(brain.get(), &path, 1, &ranked, 1, nullptr), FEARNET_ERROR);
    EXPECT_NE(std::string(fearnet_last_error()).find("has not learned from files"), std::string::npos);
}

}  // namespace
}  // namespace fearnet
