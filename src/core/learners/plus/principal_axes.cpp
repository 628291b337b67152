#include "core/learners/plus/principal_axes.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"

namespace fearnet {
namespace {

// A variance below this share of the largest one is rounding.
constexpr double kLeastVariance = 1e-6;
// No class is likelier than others by more than this: a row so far away is nowhere.
constexpr double kMostLikelier = 1e30;

// The products of some rows less the mean of these, given the products of all rows of a class.
Matrix centered(const Matrix& products, std::span<const std::size_t> some) {
    const std::size_t n = some.size();
    Matrix result(n, n);
    std::vector<double> mean(n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            mean[i] += static_cast<double>(result(i, j) = products(some[i], some[j]));
        mean[i] /= static_cast<double>(n);
        total += mean[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            result(i, j) = static_cast<float>(static_cast<double>(result(i, j)) - mean[i] - mean[j] + total);
    return result;
}

// The axes that a class has in one fold.
struct FoldAxes {
    Matrix coefficients;  // axes x rows of the class, zero for the rows that are held out
    std::vector<double> variances;
    std::vector<float> offsets;  // of the mean of the fold's rows along the axes
};

FoldAxes fold_axes(const Matrix& products, std::size_t fold, std::size_t most) {
    std::vector<std::size_t> fit;
    for (std::size_t i = 0; i < products.rows(); ++i)
        if (i % kFolds != fold) fit.push_back(i);
    FoldAxes result;
    if (std::min(most, fit.size() / kRowsPerAxis) == 0) return result;
    PrincipalAxes axes = principal_axes(centered(products, fit), most);
    result.coefficients = Matrix(axes.coefficients.rows(), products.rows());
    std::vector<double> offsets(axes.coefficients.rows());
    for (std::size_t i = 0; i < fit.size(); ++i) {
        double with_mean = 0;
        for (const std::size_t j : fit) with_mean += static_cast<double>(products(fit[i], j));
        with_mean /= static_cast<double>(fit.size());
        for (std::size_t a = 0; a < offsets.size(); ++a) {
            result.coefficients(a, fit[i]) = axes.coefficients(a, i);
            offsets[a] += static_cast<double>(axes.coefficients(a, i)) * with_mean;
        }
    }
    result.offsets.assign(offsets.begin(), offsets.end());
    result.variances = std::move(axes.variances);
    return result;
}

}  // namespace

PrincipalAxes principal_axes(MatrixView products, std::size_t most) {
    const std::size_t n = products.rows, wanted = std::min(most, n / kRowsPerAxis);
    const std::vector<math::Eigenpair> pairs = math::leading_eigenvectors(products, wanted);
    PrincipalAxes axes;
    axes.coefficients = Matrix(0, n);
    for (const auto& [value, vector] : pairs) {
        if (!(value > kLeastVariance * pairs[0].value) || !(value > 0)) break;
        const auto scale = static_cast<float>(1 / std::sqrt(value));
        const std::size_t row = axes.coefficients.rows();
        axes.coefficients.resize_rows(row + 1);
        for (std::size_t i = 0; i < n; ++i) axes.coefficients(row, i) = scale * vector[i];
        axes.variances.push_back(value / static_cast<double>(n - 1));
    }
    return axes;
}

void add_axis_terms(MatrixView x, const AxisTerms& terms, MutableMatrixView scores) {
    const std::size_t classes = terms.sizes.size(),
                      full = classes > 0 ? *std::max_element(terms.sizes.begin(), terms.sizes.end()) : 0;
    if (full == 0) return;
    parallel_range(x.rows, 16, [&](std::size_t begin, std::size_t end) {
        std::vector<double> more(classes);
        for (std::size_t r = begin; r < end; ++r) {
            const float* at = x.row(r);
            std::size_t axis = 0, fulls = 0;
            double of_full = 0;
            for (std::size_t c = 0; c < classes; ++c) {
                double sum = 0;
                for (const std::size_t last = axis + terms.sizes[c]; axis < last; ++axis) {
                    const auto off = static_cast<double>(at[axis] - terms.offsets[axis]);
                    sum += static_cast<double>(terms.factors[axis]) * off * off;
                }
                more[c] = std::min(sum, kMostLikelier);
                if (terms.sizes[c] == full) of_full += more[c], ++fulls;
            }
            const double average = of_full / static_cast<double>(fulls);
            for (std::size_t c = 0; c < classes; ++c) {
                const auto lacking = static_cast<double>(full - terms.sizes[c]);
                scores.row(r)[c] +=
                    static_cast<float>(more[c] + lacking / static_cast<double>(full) * average);
            }
        }
    });
}

std::vector<Matrix> held_out_axis_terms(MatrixView rows, std::span<const std::int32_t> columns,
                                        std::size_t classes, std::size_t most_axes,
                                        std::span<const double> strengths) {
    std::vector<std::size_t> first(classes + 1);  // row of each class
    for (const std::int32_t c : columns) ++first[static_cast<std::size_t>(c) + 1];
    for (std::size_t c = 0; c < classes; ++c) first[c + 1] += first[c];
    std::vector<Matrix> products(classes), result(strengths.size());
    for (std::size_t c = 0; c < classes; ++c) {
        const MatrixView own = rows.slice(first[c], first[c + 1] - first[c]);
        products[c] = Matrix(own.rows, own.rows);
        if (own.rows > 0) math::gemm(math::Op::none, own, math::Op::transpose, own, products[c]);
    }
    for (Matrix& of_strength : result) of_strength = Matrix(rows.rows, classes);
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
        std::vector<FoldAxes> axes(classes);
        parallel_range(classes, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) axes[c] = fold_axes(products[c], fold, most_axes);
        });
        AxisTerms terms;
        std::vector<double> variances;
        std::vector<std::size_t> held;
        Matrix functions(0, rows.cols);
        for (std::size_t c = 0; c < classes; ++c) {
            const std::size_t size = axes[c].variances.size(), before = functions.rows(),
                              own = first[c + 1] - first[c];
            terms.sizes.push_back(size);
            terms.offsets.insert(terms.offsets.end(), axes[c].offsets.begin(), axes[c].offsets.end());
            variances.insert(variances.end(), axes[c].variances.begin(), axes[c].variances.end());
            functions.resize_rows(before + size);
            if (size > 0)
                math::gemm(math::Op::none, axes[c].coefficients, math::Op::none, rows.slice(first[c], own),
                           MutableMatrixView{functions.row(before), size, rows.cols});
            for (std::size_t i = fold; i < own; i += kFolds) held.push_back(first[c] + i);
        }
        if (held.empty() || functions.rows() == 0) continue;
        Matrix asked, x(held.size(), functions.rows());
        gather_rows(rows, held, asked);
        math::gemm(math::Op::none, asked, math::Op::transpose, functions, x);
        for (std::size_t s = 0; s < strengths.size(); ++s) {
            terms.factors.clear();
            for (const double variance : variances) {
                const double own = strengths[s] * variance;
                terms.factors.push_back(static_cast<float>(0.5 * own / (1 + own)));
            }
            Matrix of_fold(held.size(), classes);
            add_axis_terms(x, terms, of_fold);
            for (std::size_t i = 0; i < held.size(); ++i)
                std::copy_n(of_fold.row(i), classes, result[s].row(held[i]));
        }
    }
    return result;
}

}  // namespace fearnet
