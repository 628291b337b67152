#include "core/math/chi_squared.hpp"

#include <cassert>
#include <cmath>

namespace fearnet::math {
namespace {

// The regularized lower incomplete gamma function P(a, x): a series below a + 1, Legendre's continued
// fraction of the upper one (evaluated by Lentz's method) above, each where it converges fast.
double lower_gamma(double a, double x) {
    if (x <= 0) return 0;
    constexpr double kTiny = 1e-300, kPrecise = 1e-15;
    constexpr int kMaxTerms = 100000;
    const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < kMaxTerms && term > sum * kPrecise; ++n) sum += term *= x / (a + n);
        return sum * scale;
    }
    double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;
    for (int n = 1; n < kMaxTerms; ++n) {
        const double numerator = -n * (n - a);
        b += 2;
        d = numerator * d + b;
        c = b + numerator / c;
        if (std::abs(d) < kTiny) d = kTiny;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1 / d;
        fraction *= d * c;
        if (std::abs(d * c - 1) < kPrecise) break;
    }
    return 1 - scale * fraction;
}

}  // namespace

double chi_squared_probability(double x, double freedom) {
    assert(freedom > 0);
    return lower_gamma(freedom / 2, x / 2);
}

double chi_squared_quantile(double probability, double freedom) {
    assert(probability > 0 && probability < 1);
    double low = 0, high = freedom + 1;
    while (chi_squared_probability(high, freedom) < probability) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
        const double middle = (low + high) / 2;
        (chi_squared_probability(middle, freedom) < probability ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace fearnet::math
