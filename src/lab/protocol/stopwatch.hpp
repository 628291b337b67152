// Taking times, and what the two engine benchmarks share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

namespace fearnet::lab {

template <class F>
double seconds_of(const F& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Random directions.
inline Matrix unit_rows(std::size_t rows, std::size_t cols, Rng rng) {
    Matrix x(rows, cols);
    for (std::size_t i = 0; i < rows; ++i) {
        rng.fill_normal({x.row(i), cols});
        double sum = 0;
        for (std::size_t j = 0; j < cols; ++j)
            sum += static_cast<double>(x(i, j)) * static_cast<double>(x(i, j));
        const float scale = static_cast<float>(1 / std::sqrt(sum));
        for (std::size_t j = 0; j < cols; ++j) x(i, j) *= scale;
    }
    return x;
}

// Restores the number of threads on destruction.
class ThreadsForNow {
  public:
    explicit ThreadsForNow(int threads) : before_(max_threads()) { set_threads(threads); }
    ~ThreadsForNow() { set_threads(before_); }
    ThreadsForNow(const ThreadsForNow&) = delete;
    ThreadsForNow& operator=(const ThreadsForNow&) = delete;

  private:
    int before_;
};

inline void require_positive(const char* function, const char* name, std::size_t value) {
    if (value == 0) throw Error(std::string(function) + ": " + name + " is 0 but must be at least 1");
}

}  // namespace fearnet::lab
