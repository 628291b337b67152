#include "core/math/vectorized.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace fearnet::test {
namespace {

TEST(Vectorized, gives_the_result_of_the_loop) {
    constexpr std::size_t kSize = 1000;
    std::vector<float> values(kSize);
    const auto fill = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values[i] = static_cast<float>(i);
        return end - begin;
    };
    EXPECT_EQ(math::vectorized(fill)(std::size_t{10}, kSize), kSize - 10);
    for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(values[i], i < 10 ? 0.0f : static_cast<float>(i));
}

TEST(Vectorized, uses_the_same_instruction_set_every_time) {
    EXPECT_EQ(math::instruction_set(), math::instruction_set());
}

}  // namespace
}  // namespace fearnet::test
