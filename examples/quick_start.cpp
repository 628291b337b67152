// Teaches a brain made-up classes and asks it. usage: quick_start [FILE]
#include <fearnet.hpp>
#include <iostream>

// 20 rows of 8 features around feature c.
std::vector<float> made_up(std::size_t c, std::uint64_t seed) {
    fearnet::Rng rng(seed);
    std::vector<float> numbers;
    for (std::size_t i = 0; i < 20 * 8; ++i)
        numbers.push_back((i % 8 == c ? 1.0f : 0.0f) + 0.1f * static_cast<float>(rng.normal()));
    return numbers;
}

int main(int argc, char** argv) {
    // In a file, which is made if there is none. Without the file's name a brain lives in memory.
    fearnet::Brain brain(argc > 1 ? argv[1] : "birds.brain",
                         fearnet::create_if_missing(fearnet::PlusOptions{.memory_budget = 8'000'000}));
    const std::vector<std::string> birds{"wren", "robin", "owl"};
    for (std::size_t c = 0; c < birds.size(); ++c)
        brain.learn(fearnet::rows(made_up(c, c), 8), birds[c]);  // on disk when it returns
    if (const auto why = brain.sleep_due()) {
        std::cout << "sleep: " << *why << '\n';
        brain.sleep();  // consolidates, then deletes the examples
    }

    const std::vector<float> asked = made_up(2, 9), row(asked.begin(), asked.begin() + 8);
    for (const auto& [name, probability] : brain.predict(row).top(3))
        std::cout << name << ' ' << probability << '\n';
    if (const auto why = brain.explain(row))
        std::cout << *why << '\n';  // fearnet::FearNetOptions has more to say

    std::size_t right = 0;
    for (const auto& answer : brain.predict(fearnet::rows(asked, 8))) right += answer.label() == "owl";
    std::cout << right << " of 20 right\n";
}
