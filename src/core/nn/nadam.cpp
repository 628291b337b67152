#include "core/nn/nadam.hpp"

#include <cassert>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::nn {

void NAdam::add(Matrix& parameter, const Matrix& gradient, double rate) {
    assert(parameter.size() == gradient.size());
    slots_.push_back({parameter.data(), gradient.data(), parameter.size(), rate, Matrix(1, parameter.size()),
                      Matrix(1, parameter.size())});
}

void NAdam::step(double share) {
    ++steps_;
    const auto momentum = [&](double t) {
        return options_.beta1 * (1 - 0.5 * std::pow(0.96, t * options_.schedule_decay));
    };
    const double now = momentum(static_cast<double>(steps_)),
                 next = momentum(static_cast<double>(steps_ + 1));
    schedule_ *= now;
    const float beta1 = static_cast<float>(options_.beta1), beta2 = static_cast<float>(options_.beta2);
    const float rest1 = static_cast<float>(1 - options_.beta1),
                rest2 = static_cast<float>(1 - options_.beta2);
    const float epsilon = static_cast<float>(options_.epsilon);
    const float unbias =
        static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, static_cast<double>(steps_))));
    for (Slot& slot : slots_) {
        const float gradient_rate = static_cast<float>(share * slot.rate * (1 - now) / (1 - schedule_));
        const float moment_rate = static_cast<float>(share * slot.rate * next / (1 - schedule_ * next));
        // Everything captured by value: a float that is read through a reference could change with every
        // store, and the loop would not become vector code.
        parallel_range(slot.size, 16384,
                       math::vectorized([=, parameter = slot.parameter, gradient = slot.gradient,
                                         first = slot.first.data(),
                                         second = slot.second.data()](std::size_t begin, std::size_t end) {
                           float* __restrict p = parameter;
                           const float* __restrict g = gradient;
                           float* __restrict m = first;
                           float* __restrict v = second;
                           for (std::size_t i = begin; i < end; ++i) {
                               m[i] = beta1 * m[i] + rest1 * g[i];
                               v[i] = beta2 * v[i] + rest2 * g[i] * g[i];
                               p[i] -= (gradient_rate * g[i] + moment_rate * m[i]) /
                                       (std::sqrt(v[i]) * unbias + epsilon);
                           }
                       }));
    }
}

}  // namespace fearnet::nn
