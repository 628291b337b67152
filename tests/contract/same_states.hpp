// Comparison of two States (fearnet/state.hpp), bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "fearnet/state.hpp"

namespace fearnet::contract {

inline bool same_bits(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool same_array(const StateArray& a, const StateArray& b) {
    return a.kind == b.kind && a.values.index() == b.values.index() &&
           std::visit(
               [&](const auto& values) {
                   return same_bits(values, std::get<std::decay_t<decltype(values)>>(b.values));
               },
               a.values);
}

// Expects (GoogleTest) that both states have the same texts and the same arrays.
inline void expect_same(const State& before, const State& after) {
    EXPECT_EQ(before.texts, after.texts);
    ASSERT_EQ(before.arrays.size(), after.arrays.size());
    for (const auto& [key, array] : before.arrays) {
        ASSERT_TRUE(after.has(key)) << key;
        EXPECT_TRUE(same_array(array, after.arrays.at(key))) << key;
    }
}

}  // namespace fearnet::contract
