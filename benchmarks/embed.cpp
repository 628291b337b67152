// Inferences per second of an embedding model: ONNX Runtime alone on tensors in memory.
//   usage: fearnet_bench_embed MODEL THREADS SECONDS
// Each thread runs one input after another in a session of its own thread; prints inferences per second, the best of
// three rounds.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "data/frontends/models/onnx_file.hpp"
#include "data/frontends/models/store.hpp"
#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"

namespace {

using namespace fearnet;
using Clock = std::chrono::steady_clock;

// A tensor of the model's shape with random numbers.
struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> numbers;

    explicit Tensor(const ModelDescription& d, std::uint64_t seed) {
        if (const auto* image = std::get_if<ImageInput>(&d.input))
            shape = {1, 3, static_cast<std::int64_t>(image->height), static_cast<std::int64_t>(image->width)};
        else if (const auto* sound = std::get_if<SoundInput>(&d.input))
            shape = {1, static_cast<std::int64_t>(sound->mels),
                     static_cast<std::int64_t>(sound->seconds * sound->rate / static_cast<double>(sound->hop))};
        else
            throw Error(d.name + ": only models of images and sounds are measured");
        std::size_t count = 1;
        for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
        Rng rng(seed);
        for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(rng.uniform() * 2 - 1));
    }
};

double inferences_per_second(const OnnxSession& session, const ModelDescription& d, std::size_t threads,
                             double seconds) {
    std::atomic<std::size_t> done = 0;
    std::vector<std::thread> workers;
    const auto start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    for (std::size_t t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            const Tensor tensor(d, t);
            const OnnxSession::Input input{d.input_names[0], tensor.shape, tensor.numbers, {}};
            while (elapsed() < seconds) {
                session.run({&input, 1}, d.output_name);
                ++done;
            }
        });
    for (std::thread& worker : workers) worker.join();
    return static_cast<double>(done) / elapsed();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw Error("usage: fearnet_bench_embed MODEL THREADS SECONDS");
        const InstalledModel model = installed_model(argv[1]);
        const io::Bytes file = io::read_file(model.model);
        const OnnxSession session(load_onnx_runtime(), file, argv[1]);
        double best = 0;
        for (int round = 0; round < 3; ++round)
            best = std::max(best, inferences_per_second(session, model.description,
                                                        std::strtoul(argv[2], nullptr, 10),
                                                        std::strtod(argv[3], nullptr)));
        fmt::print("{:.3f}\n", best);
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
