#include "core/learners/plus/linear_discriminant.hpp"

#include <algorithm>
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
// 1 - a h, the part of the shared covariance along a row that is left without it, is at least this: its rounding.
// Of few rows of many features it is small, and a larger bound would let rows be recognized by themselves.
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
//     z_c            to z_c - k r
//     G              to G + s11 e e' + s12 (e u' + u e') + s22 u u'           (e: unit vector of class c)
// so that the inverse of G + D changes by a matrix of rank two (Woodbury).
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
        double k, s11, s12, s22;
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
            const double b = a / std::max(1 - a * h, kLeastRest);
            row[i] = {k, k * k * h * (1 + b * h), -k * (1 + b * h), b};
            for (std::size_t j = 0; j < classes; ++j) {
                const auto uj = static_cast<double>(u(i, j));
                const double own = j == c ? 1 : 0, moved = uj - own * k * h,
                             norm = shrunken() ? static_cast<double>(gram_(j, j)) : squared_norms_[j];
                f(i, j) += static_cast<float>(b * xr * moved - own * k * xr);
                squared(i, j) =
                    static_cast<float>(norm + b * uj * uj + own * (row[i].s11 + 2 * row[i].s12 * uj));
            }
        }
    });
    if (!shrunken()) return result;

    Matrix hu(n, classes), hf(n, classes), inner_u(n, classes);
    math::gemm(math::Op::none, u, math::Op::none, inverse_, hu);
    math::gemm(math::Op::none, u, math::Op::none, inner_, inner_u);
    math::gemm(math::Op::none, f, math::Op::none, inverse_, hf);
    parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto c = static_cast<std::size_t>(columns[i]);
            const float* he = inverse_.row(c);
            const double tau_more = tau_[c] * row[i].k;  // a mean of one row less is that much noisier
            const double s11 = row[i].s11 + tau_more, s12 = row[i].s12, s22 = row[i].s22;
            const double k11 = static_cast<double>(he[c]), k12 = static_cast<double>(hu(i, c)),
                         k22 = dot(hu.row(i), u.row(i), classes), ef = static_cast<double>(hf(i, c)),
                         uf = dot(hu.row(i), f.row(i), classes);
            // q = s (I + k s)^-1
            const double m11 = 1 + k11 * s11 + k12 * s12, m12 = k11 * s12 + k12 * s22,
                         m21 = k12 * s11 + k22 * s12, m22 = 1 + k12 * s12 + k22 * s22,
                         det = m11 * m22 - m12 * m21;
            if (!(std::abs(det) > 1e-12)) continue;
            const double q11 = (s11 * m22 - s12 * m21) / det, q12 = (s12 * m11 - s11 * m12) / det,
                         q22 = (s22 * m11 - s12 * m12) / det;
            const double along_e = q11 * ef + q12 * uf, along_u = q12 * ef + q22 * uf;
            // H D H with the D without the row, times e and u on one side or on both.
            const auto in_cc = static_cast<double>(inner_(c, c)), in_uc = static_cast<double>(inner_u(i, c));
            const double t11 = in_cc + tau_more * k11 * k11, t12 = in_uc + tau_more * k11 * k12,
                         t22 = dot(inner_u.row(i), u.row(i), classes) + tau_more * k12 * k12;
            for (std::size_t j = 0; j < classes; ++j) {
                const auto e = static_cast<double>(he[j]), v = static_cast<double>(hu(i, j));
                const double tau = tau_[j] + (j == c ? tau_more : 0), p = q11 * e + q12 * v,
                             q = q12 * e + q22 * v,
                             hf_out = static_cast<double>(hf(i, j)) - along_e * e - along_u * v,
                             h_out = static_cast<double>(inverse_(j, j)) - p * e - q * v,
                             in_e = static_cast<double>(inner_(c, j)) + tau_more * k11 * e,
                             in_u = static_cast<double>(inner_u(i, j)) + tau_more * k12 * e,
                             inner_out = static_cast<double>(inner_(j, j)) + tau_more * e * e -
                                         2 * (p * in_e + q * in_u) + p * p * t11 + 2 * p * q * t12 +
                                         q * q * t22;
                f(i, j) -= static_cast<float>(tau * hf_out);
                squared(i, j) = static_cast<float>(
                    ShrunkenNorm(static_cast<double>(squared(i, j)), tau, h_out, inner_out).without_noise());
            }
        }
    });
    return result;
}

}  // namespace fearnet
