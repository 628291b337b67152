// The engine against torch: same weights, same batch (reference/torch_twin.py).
#include <gtest/gtest.h>

#include <cmath>

#include "core/nn/trainer.hpp"
#include "data/packages/command.hpp"
#include "data/io/npz.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

constexpr double kTensorTolerance = 1e-4;  // largest difference relative to the tensor's largest entry
constexpr double kLossTolerance = 0.01;

// An empty 1 x n array may be stored flat: the shape comes from `like`.
Matrix shaped(const Matrix& flat, const Matrix& like) {
    EXPECT_EQ(flat.size(), like.size());
    Matrix m(like.rows(), like.cols());
    std::copy_n(flat.data(), flat.size(), m.data());
    return m;
}

void expect_close(const Matrix& found, const Matrix& expected, const std::string& what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double e = static_cast<double>(expected.data()[i]);
        largest = std::max(largest, std::abs(e));
        worst = std::max(worst, std::abs(e - static_cast<double>(found.data()[i])));
    }
    std::cout << "  " << what << ": largest relative difference " << worst / largest << "\n";
    EXPECT_LE(worst, kTensorTolerance * largest) << what;
}

void compare_with(const std::filesystem::path& file) {
    const io::NpzFile twin(file);
    const auto matrix = [&](const std::string& key) { return io::to_matrix(twin.array(key)); };
    const Matrix x = matrix("x");
    std::vector<std::int32_t> labels;
    for (std::int64_t v : io::to_integers(twin.array("y"))) labels.push_back(static_cast<std::int32_t>(v));

    Rng rng(1);
    nn::Network net({x.cols(), {20, 12}, 7, true, false}, 0, rng);
    nn::TrainerOptions options;
    options.dropout = 0;
    options.decoder_rate = options.rate * 0.01;
    options.reconstruction = {1e4, 1.0, 0.1};
    nn::Trainer trainer(net, options, x.rows(), rng);
    const auto parameters = trainer.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        std::copy_n(shaped(matrix("parameter" + std::to_string(i)), *parameters[i]).data(),
                    parameters[i]->size(), parameters[i]->data());

    Matrix code, rebuilt;
    net.encode(x, code);
    net.decode(code, rebuilt);
    expect_close(code, matrix("code"), "code");
    expect_close(rebuilt, matrix("rebuilt"), "reconstruction");
    trainer.compute_gradients(x, labels);
    for (std::size_t i = 0; i < parameters.size(); ++i)
        expect_close(*trainer.gradients()[i], matrix("gradient" + std::to_string(i)),
                     "gradient " + std::to_string(i));

    const Matrix losses = matrix("losses");
    for (std::size_t step = 0; step < losses.size(); ++step) {
        const double found = trainer.step(x, labels).total(),
                     expected = static_cast<double>(losses.data()[step]);
        std::cout << "  loss " << step + 1 << ": " << found << " (torch " << expected << ")\n";
        EXPECT_NEAR(found, expected, kLossTolerance * expected);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
        expect_close(*parameters[i], matrix("trained" + std::to_string(i)),
                     "trained parameter " + std::to_string(i));
}

TEST(TorchTwin, recorded_outputs_gradients_and_ten_losses_are_ours) {
    compare_with(FEARNET_SOURCE_DIR "/tests/golden/torch_twin.npz");
}

TEST(TorchTwin, fresh_outputs_gradients_and_ten_losses_are_ours) {
    if (!test::python_has("torch")) GTEST_SKIP() << "no torch here (Debian: python3-torch)";
    const test::TempFolder folder;
    const auto result = run_command(
        {test::kPython, FEARNET_SOURCE_DIR "/reference/torch_twin.py", (folder / "twin.npz").string()},
        folder.path());
    ASSERT_TRUE(result.succeeded()) << result.output;
    compare_with(folder / "twin.npz");
}

}  // namespace
}  // namespace fearnet
