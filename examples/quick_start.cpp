// Teaches a brain three synthetic classes and predicts with it. usage: quick_start [FILE]
#include <fearnet.hpp>
#include <iostream>

// 20 rows of 8 features: feature c is about 1, the others are about 0.
std::vector<float> sample_rows(std::size_t c, std::uint64_t seed) {
    fearnet::Rng rng(seed);
    std::vector<float> numbers;
    for (std::size_t i = 0; i < 20 * 8; ++i)
        numbers.push_back((i % 8 == c ? 1.0f : 0.0f) + 0.1f * static_cast<float>(rng.normal()));
    return numbers;
}

int main(int argc, char** argv) {
    // Opens the file, or creates it. fearnet::Brain brain(options), without a path, is a brain in memory.
    fearnet::Brain brain(argc > 1 ? argv[1] : "birds.brain",
                         fearnet::create_if_missing(fearnet::PlusOptions{.memory_budget = 8'000'000}));
    const std::vector<std::string> birds{"wren", "robin", "owl"};
    for (std::size_t c = 0; c < birds.size(); ++c)
        brain.learn(fearnet::rows(sample_rows(c, c), 8), birds[c]);  // on disk when learn returns
    if (const auto why = brain.sleep_due()) {
        std::cout << "sleep: " << *why << '\n';
        brain.sleep();  // consolidates the new classes and deletes their examples
    }

    const std::vector<float> test = sample_rows(2, 9), row(test.begin(), test.begin() + 8);
    for (const auto& [name, probability] : brain.predict(row).top(3))
        std::cout << name << ' ' << probability << '\n';
    if (const auto why = brain.explain(row))
        std::cout << *why << '\n';  // only for a brain created with fearnet::FearNetOptions

    std::size_t right = 0;
    for (const auto& answer : brain.predict(fearnet::rows(test, 8))) right += answer.label() == "owl";
    std::cout << right << " of 20 right\n";
}
