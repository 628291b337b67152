#include "core/learners/plus/linear_discriminant.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"

namespace fearnet {
namespace {

// At least so many classes, or rows, to each thread.
constexpr std::size_t kPerThread = 16;
constexpr double kLeastNorm = 0.1;
// 1 - a h, the part of the shared covariance along a row that is left without it, is at least this: its
// rounding. Of few rows of many features it is small, and a larger bound would let rows be recognized by
// themselves.
constexpr double kLeastRest = 1e-7;

double dot(const float* a, const float* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
}

// A diagonal element of F G F' and of F (D / kNoise) F', with F = G (G + D)^-1 = I - D H and H = (G + D)^-1,
// from those of G, D, H and H D H: the squared norm of a shrunken mean, and the part of it that is sampling
// noise.
struct ShrunkenNorm {
    double all, noise;
    ShrunkenNorm(double gram, double tau, double inverse, double inner)
        : all(gram - 2 * tau + tau * tau * (3 * inverse - inner)),
          noise(tau / kNoise * (1 - 2 * tau * inverse + tau * inner)) {}
    double without_noise() const { return std::max(0.0, all - noise); }
};

double mean_root(const std::vector<double>& squared) {
    double sum = 0;
    for (const double s : squared) sum += std::sqrt(std::max(0.0, s));
    return sum / static_cast<double>(squared.size());
}

// A symmetric 3 x 3 matrix and its product with a vector.
struct Three {
    std::array<std::array<double, 3>, 3> m{};
    std::array<double, 3> operator*(const std::array<double, 3>& v) const {
        std::array<double, 3> result{};
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) result[a] += m[a][b] * v[b];
        return result;
    }
    double form(const std::array<double, 3>& v) const {
        const std::array<double, 3> w = *this * v;
        return v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    }
};

// The symmetric q = s (I + k s)^-1, by Gaussian elimination of (I + s k) q = s; false if that is singular.
bool woodbury(const Three& s, const Three& k, Three& result) {
    double a[3][6];
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double sum = i == j ? 1 : 0;
            for (std::size_t l = 0; l < 3; ++l) sum += s.m[i][l] * k.m[l][j];
            a[i][j] = sum, a[i][3 + j] = s.m[i][j];
        }
    for (std::size_t i = 0; i < 3; ++i) {
        std::size_t pivot = i;
        for (std::size_t l = i + 1; l < 3; ++l)
            if (std::abs(a[l][i]) > std::abs(a[pivot][i])) pivot = l;
        if (!(std::abs(a[pivot][i]) > 1e-12)) return false;
        std::swap(a[i], a[pivot]);
        for (std::size_t l = 0; l < 3; ++l) {
            if (l == i) continue;
            const double factor = a[l][i] / a[i][i];
            for (std::size_t j = i; j < 6; ++j) a[l][j] -= factor * a[i][j];
        }
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result.m[i][j] = a[i][3 + j] / a[i][i];
    return true;
}

}  // namespace

double angle_factor(double squared_norm, double mean_norm) {
    const double norm = std::max(std::sqrt(std::max(0.0, squared_norm)), kLeastNorm * mean_norm);
    return norm > 0 ? mean_norm / norm : 1;
}

Matrix DiscriminantScores::by_distance() const {
    Matrix scores = products;
    for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] -= 0.5f * squared_norms.data()[i];
    return scores;
}

Matrix DiscriminantScores::by_angle() const {
    Matrix scores = products;
    for (std::size_t i = 0; i < scores.size(); ++i)
        scores.data()[i] *=
            static_cast<float>(angle_factor(static_cast<double>(squared_norms.data()[i]), mean_norm));
    return scores;
}

LinearDiscriminant::LinearDiscriminant(const ClassMoments& moments, const SharedCovariance& covariance,
                                       Matrix* also)
    : covariance_(covariance),
      counts_(moments.counts.begin(), moments.counts.end()),
      rows_(static_cast<double>(moments.rows())),
      center_(moments.width()) {
    const std::size_t classes = moments.classes(), d = moments.width();
    std::vector<double> sum(d);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(moments.means(c, j));
    for (std::size_t j = 0; j < d; ++j)
        center_[j] = static_cast<float>(sum[j] / static_cast<double>(classes));
    const std::size_t more = also ? also->rows() : 0;
    z_.resize(classes + more + SharedCovariance::kProbes, d);  // room for all that is whitened at once
    z_.resize_rows(classes + more);
    parallel_range(classes, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            for (std::size_t j = 0; j < d; ++j) z_(c, j) = moments.means(c, j) - center_[j];
    });
    if (more > 0) std::copy_n(also->data(), also->size(), z_.row(classes));
    if (classes > 1 && classes <= d)
        dof_ = covariance.whiten_with_dof(z_);
    else
        covariance.whiten(z_);
    if (more > 0) {
        std::copy_n(z_.row(classes), also->size(), also->data());
        z_.resize_rows(classes);
    }
    squared_norms_.resize(classes);
    parallel_range(classes, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) squared_norms_[c] = dot(z_.row(c), z_.row(c), d);
    });
    noisy_squared_norms_ = squared_norms_;
    if (!(dof_ > 0)) return;

    gram_ = Matrix(classes, classes);
    math::gemm(math::Op::none, z_, math::Op::transpose, z_, gram_);
    Matrix sum_matrix = gram_;
    inverse_ = Matrix(classes, classes);
    for (std::size_t c = 0; c < classes; ++c) {
        tau_.push_back(kNoise * dof_ / counts_[c]);
        sum_matrix(c, c) += static_cast<float>(tau_[c]);
        inverse_(c, c) = 1;
    }
    math::CholeskyFactor(std::move(sum_matrix)).solve(inverse_);
    Matrix scaled = inverse_;
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < classes; ++j) scaled(c, j) *= static_cast<float>(tau_[j]);
    inner_ = Matrix(classes, classes);
    math::gemm(math::Op::none, scaled, math::Op::none, inverse_, inner_);
    for (std::size_t c = 0; c < classes; ++c) {
        const ShrunkenNorm norm(static_cast<double>(gram_(c, c)), tau_[c],
                                static_cast<double>(inverse_(c, c)), static_cast<double>(inner_(c, c)));
        noisy_squared_norms_[c] = std::max(0.0, norm.all);
        squared_norms_[c] = norm.without_noise();
    }
}

// With F = I - D H and G H = I - D H: F G F' = G - 2 D + 3 D H D - D (H D H) D.
Matrix LinearDiscriminant::shrunken_products(std::span<const std::size_t> some) const {
    const std::size_t classes = z_.rows();
    Matrix result(classes, some.size());
    if (!shrunken()) {
        Matrix means;
        gather_rows(z_, some, means);
        math::gemm(math::Op::none, z_, math::Op::transpose, means, result);
        return result;
    }
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < some.size(); ++j) {
            const std::size_t k = some[j];
            const double both = tau_[c] * tau_[k], d = c == k ? tau_[c] : 0;
            result(c, j) = static_cast<float>(static_cast<double>(gram_(c, k)) - 2 * d +
                                              3 * both * static_cast<double>(inverse_(c, k)) -
                                              both * static_cast<double>(inner_(c, k)));
        }
    return result;
}

double LinearDiscriminant::mean_norm() const {
    return mean_root(squared_norms_);
}

// The shrunken means are z - D (G + D)^-1 z.
LinearReadout LinearDiscriminant::readout(bool angle) const {
    const std::size_t classes = z_.rows(), d = z_.cols();
    LinearReadout readout;
    readout.weights = z_;
    if (shrunken()) {
        Matrix noise(classes, d);
        math::gemm(math::Op::none, inverse_, math::Op::none, z_, noise);
        parallel_range(classes, kPerThread, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c)
                for (std::size_t j = 0; j < d; ++j)
                    readout.weights(c, j) -= static_cast<float>(tau_[c]) * noise(c, j);
        });
    }
    covariance_.as_functions(readout.weights);
    readout.bias.resize(classes);
    const double mean_norm = mean_root(squared_norms_);
    parallel_range(classes, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const double factor = angle ? angle_factor(squared_norms_[c], mean_norm) : 1;
            float* w = readout.weights.row(c);
            double at_center = 0;
            for (std::size_t j = 0; j < d; ++j) {
                at_center += static_cast<double>(w[j]) * static_cast<double>(center_[j]);
                w[j] *= static_cast<float>(factor);
            }
            readout.bias[c] = static_cast<float>(-factor * at_center - (angle ? 0 : 0.5 * squared_norms_[c]));
        }
    });
    return readout;
}

// u = r . z_j with r = x - z_c of every row, given the products x . z_j.
void LinearDiscriminant::products_with_residuals(MatrixView whitened, std::span<const std::int32_t> columns,
                                                 const Matrix& products, Matrix& u) const {
    const std::size_t n = whitened.rows, d = z_.cols();
    if (shrunken()) {
        parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const float *x = products.row(i), *own = gram_.row(static_cast<std::size_t>(columns[i]));
                for (std::size_t j = 0; j < z_.rows(); ++j) u(i, j) = x[j] - own[j];
            }
        });
        return;
    }
    Matrix residuals(n, d);
    parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const float *x = whitened.row(i), *z = z_.row(static_cast<std::size_t>(columns[i]));
            for (std::size_t j = 0; j < d; ++j) residuals(i, j) = x[j] - z[j];
        }
    });
    math::gemm(math::Op::none, residuals, math::Op::transpose, z_, u);
}

// With r = x - z_c, h = r . r, k = 1 / (n_c - 1), a = n_c / ((n_c - 1) n), b = a / (1 - a h) and u_j = r .
// z_j, leaving x out changes, in the units of W with x,
//     the products   y . z to y . z + b (y . r)(r . z)                        (W without x, Sherman-Morrison)
//     z_c            to z_c - k r, and the center with it: s r is added to all of them, s = k / classes
//     G              to G + s11 e e' + s12 (e u' + u e') + s22 u u' + s13 (e 1' + 1 e') + s23 (u 1' + 1 u') +
//     s33 1 1'
// (e: unit vector of class c, 1: ones), so that the inverse of G + D changes by a matrix of rank three
// (Woodbury).
DiscriminantScores LinearDiscriminant::leave_one_out(MatrixView whitened,
                                                     std::span<const std::int32_t> columns,
                                                     const TaughtRows& taught_rows) const {
    const std::size_t n = whitened.rows, classes = z_.rows(), d = z_.cols();
    DiscriminantScores result;
    result.mean_norm = mean_root(squared_norms_);
    Matrix &f = result.products, &squared = result.squared_norms, u;
    f.resize(n, classes), squared.resize(n, classes), u.resize(n, classes);
    math::gemm(math::Op::none, whitened, math::Op::transpose, z_, f);
    products_with_residuals(whitened, columns, f, u);
    struct Row {
        double k, s11, s12, s22, s13, s23, s33, all;  // all: what every product gains
    };
    std::vector<Row> row(n);
    parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto c = static_cast<std::size_t>(columns[i]);
            const bool taught = taught_rows.taught.empty() || taught_rows.taught[i];
            const double nc = counts_[c], k = taught ? 1 / (nc - 1) : 0,
                         a = taught_rows.in_covariance ? nc * k / rows_ : 0;
            double h = 0, xr = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const auto x = static_cast<double>(whitened.row(i)[j]),
                           r = static_cast<double>(whitened.row(i)[j] - z_(c, j));
                h += r * r;
                xr += x * r;
            }
            const double b = a / std::max(1 - a * h, kLeastRest), out = 1 + b * h,
                         shift = k / static_cast<double>(classes);
            row[i] = {k,
                      k * k * h * out,
                      -k * out,
                      b,
                      -shift * k * h * out,
                      shift * out,
                      shift * shift * h * out,
                      shift * xr * out + shift * shift * h * out};
            for (std::size_t j = 0; j < classes; ++j) {
                const auto uj = static_cast<double>(u(i, j));
                const double own = j == c ? 1 : 0, moved = uj - own * k * h,
                             norm = shrunken() ? static_cast<double>(gram_(j, j)) : squared_norms_[j];
                // Of the center's move: shift r . z_j without the row.
                const double along = own * row[i].s13 + uj * row[i].s23;
                f(i, j) += static_cast<float>(b * xr * moved - own * k * xr + along + row[i].all);
                squared(i, j) = static_cast<float>(
                    norm + b * uj * uj + own * (row[i].s11 + 2 * row[i].s12 * uj) + 2 * along + row[i].s33);
            }
        }
    });
    if (!shrunken()) return result;

    Matrix hu(n, classes), hf(n, classes), inner_u(n, classes);
    math::gemm(math::Op::none, u, math::Op::none, inverse_, hu);
    math::gemm(math::Op::none, u, math::Op::none, inner_, inner_u);
    math::gemm(math::Op::none, f, math::Op::none, inverse_, hf);
    const auto sum = [&](const float* v) {
        double total = 0;
        for (std::size_t j = 0; j < classes; ++j) total += static_cast<double>(v[j]);
        return total;
    };
    std::vector<double> h1(classes), inner_1(classes);  // times a vector of ones
    double k33 = 0, in_33 = 0;
    for (std::size_t j = 0; j < classes; ++j) {
        h1[j] = sum(inverse_.row(j)), inner_1[j] = sum(inner_.row(j));
        k33 += h1[j], in_33 += inner_1[j];
    }
    parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto c = static_cast<std::size_t>(columns[i]);
            const Row& r = row[i];
            const float *he = inverse_.row(c), *hui = hu.row(i), *inner_ui = inner_u.row(i);
            const double tau_more = tau_[c] * r.k;  // a mean of one row less is that much noisier
            const double k11 = static_cast<double>(he[c]), k12 = static_cast<double>(hui[c]), k13 = h1[c],
                         k22 = dot(hui, u.row(i), classes), k23 = sum(hui);
            const Three s{{{{r.s11 + tau_more, r.s12, r.s13}, {r.s12, r.s22, r.s23}, {r.s13, r.s23, r.s33}}}},
                k{{{{k11, k12, k13}, {k12, k22, k23}, {k13, k23, k33}}}};
            Three q;
            if (!woodbury(s, k, q)) continue;
            const std::array<double, 3> along =
                q * std::array<double, 3>{static_cast<double>(hf(i, c)), dot(hui, f.row(i), classes),
                                          sum(hf.row(i))};
            // H D H with the D without the row, times e, u and 1 on one side or on both.
            const std::array<double, 3> ke{k11, k12, k13};
            Three t{{{{static_cast<double>(inner_(c, c)), static_cast<double>(inner_ui[c]), inner_1[c]},
                      {static_cast<double>(inner_ui[c]), dot(inner_ui, u.row(i), classes), sum(inner_ui)},
                      {inner_1[c], sum(inner_ui), in_33}}}};
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b) t.m[a][b] += tau_more * ke[a] * ke[b];
            for (std::size_t j = 0; j < classes; ++j) {
                const auto e = static_cast<double>(he[j]);
                const std::array<double, 3> hb{e, static_cast<double>(hui[j]), h1[j]},
                    w = q * hb,
                    in{static_cast<double>(inner_(c, j)) + tau_more * k11 * e,
                       static_cast<double>(inner_ui[j]) + tau_more * k12 * e,
                       inner_1[j] + tau_more * k13 * e};
                const double tau = tau_[j] + (j == c ? tau_more : 0),
                             hf_out = static_cast<double>(hf(i, j)) - along[0] * hb[0] - along[1] * hb[1] -
                                      along[2] * hb[2],
                             h_out = static_cast<double>(inverse_(j, j)) - w[0] * hb[0] - w[1] * hb[1] -
                                     w[2] * hb[2],
                             inner_out = static_cast<double>(inner_(j, j)) + tau_more * e * e -
                                         2 * (w[0] * in[0] + w[1] * in[1] + w[2] * in[2]) + t.form(w);
                f(i, j) -= static_cast<float>(tau * hf_out);
                squared(i, j) = static_cast<float>(
                    ShrunkenNorm(static_cast<double>(squared(i, j)), tau, h_out, inner_out).without_noise());
            }
        }
    });
    return result;
}

}  // namespace fearnet
