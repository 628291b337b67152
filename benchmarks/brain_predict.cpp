// Rows per second that a brain answers in batches, for both of the core's learners.
#include <fmt/format.h>

#include <chrono>

#include "fearnet/brain.hpp"
#include "fearnet/rng.hpp"

namespace {

using namespace fearnet;

constexpr std::size_t kClasses = 100, kWidth = 512, kTaught = 20, kBatch = 4096;

// Rows around a center per class.
Matrix made_up(std::size_t per_class, std::uint64_t seed, std::vector<std::string>& labels) {
    Matrix x(kClasses * per_class, kWidth);
    Rng noise(seed);
    for (std::size_t c = 0; c < kClasses; ++c) {
        Rng center(1000 + c);
        std::vector<double> mean(kWidth);
        for (double& m : mean) m = center.normal();
        for (std::size_t r = 0; r < per_class; ++r) {
            labels.push_back("class " + std::to_string(c));
            for (std::size_t j = 0; j < kWidth; ++j)
                x(c * per_class + r, j) = static_cast<float>(mean[j] + noise.normal());
        }
    }
    return x;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best of several times, since others may be using the machine.
void measure(const char* name, const BrainOptions& options) {
    Brain brain(options);
    std::vector<std::string> labels, asked;
    brain.learn(made_up(kTaught, 1, labels), labels);
    const Matrix rows = made_up(kBatch / kClasses + 1, 2, asked);
    const MatrixView batch = rows.view().slice(0, kBatch);
    double best = 0;
    std::size_t right = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
        const double start = seconds_now();
        const auto answers = brain.predict(batch);
        best = std::max(best, kBatch / (seconds_now() - start));
        right = 0;
        for (std::size_t i = 0; i < kBatch; ++i) right += answers[i].label() == asked[i];
    }
    fmt::print("{:<13} {:>9.0f} rows/s  {:.1f} % right\n", name, best,
               100 * static_cast<double>(right) / kBatch);
}

}  // namespace

int main() {
    fmt::print("{} classes, {} features, batches of {} rows\n", kClasses, kWidth, kBatch);
    FearNetOptions quick;  // the accuracy does not matter here
    quick.training.base_epochs = 5;
    quick.training.min_steps = 0;
    measure("fearnet", quick);
    measure("fearnet-plus", PlusOptions{});
}
