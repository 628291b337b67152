#include "core/learners/plus/class_covariances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet {
namespace {

constexpr float kWhole = 127;
// Fewer rows than this are asked axis by axis; more through one matrix product.
constexpr std::size_t kFewRows = 8;
// Classes whose axes are turned into floats at a time.
constexpr std::size_t kClassesAtOnce = 128;
// At least so many columns to each thread.
constexpr std::size_t kColumns = 512;
// A sample gives so many times more axes than wanted; all rows of the class then choose among them.
constexpr std::size_t kSpare = 2;
// A direction with less than this share of the largest square is rounding.
constexpr double kRounding = 1e-6;

std::vector<float> mean_of(MatrixView m) {
    std::vector<double> sum(m.cols);
    std::vector<float> mean(m.cols);
    parallel_range(m.cols, kColumns, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 0; i < m.rows; ++i)
            for (std::size_t j = begin; j < end; ++j) sum[j] += static_cast<double>(m(i, j));
        for (std::size_t j = begin; j < end; ++j)
            mean[j] = static_cast<float>(sum[j] / static_cast<double>(m.rows));
    });
    return mean;
}

// Coordinates of the rows of a class, less those of its mean, along some axes.
Matrix coordinates(const AxisFit::Class& c, MatrixView functions) {
    Matrix along(c.features.rows, functions.rows), offsets(1, functions.rows);
    math::gemm(math::Op::none, c.features, math::Op::transpose, functions, along);
    math::gemm(math::Op::none, {c.mean.data(), 1, functions.cols}, math::Op::transpose, functions, offsets);
    for (std::size_t i = 0; i < along.rows(); ++i)
        for (std::size_t a = 0; a < along.cols(); ++a) along(i, a) -= offsets(0, a);
    return along;
}

// Rows of length one that are orthogonal to each other, in the span of these.
Matrix orthonormal(MatrixView rows) {
    Matrix products(rows.rows, rows.rows);
    math::gemm(math::Op::none, rows, math::Op::transpose, rows, products);
    const std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(products, rows.rows);
    Matrix turn(0, rows.rows);
    for (const auto& [value, vector] : pairs) {
        if (!(value > kRounding * pairs[0].value)) break;
        turn.resize_rows(turn.rows() + 1);
        for (std::size_t j = 0; j < rows.rows; ++j)
            turn(turn.rows() - 1, j) = vector[j] / static_cast<float>(std::sqrt(value));
    }
    Matrix result(turn.rows(), rows.cols);
    math::gemm(math::Op::none, turn, math::Op::none, rows, result);
    return result;
}

// The `most` axes of largest variance of all rows of a class, given those of a sample: one step of subspace
// iteration, and the best axes in the subspace (Rayleigh-Ritz).
Matrix refined(const AxisFit::Class& c, MatrixView functions, std::size_t most,
               const SharedCovariance& covariance) {
    if (functions.rows == 0) return Matrix(0, functions.cols);
    Matrix sums(functions.rows, functions.cols);
    math::gemm(math::Op::transpose, coordinates(c, functions), math::Op::none, c.features, sums);
    covariance.whiten(sums);
    Matrix basis = orthonormal(sums);
    covariance.as_functions(basis);
    const Matrix along = coordinates(c, basis);
    Matrix products(along.cols(), along.cols());
    math::gemm(math::Op::transpose, along, math::Op::none, along, products);
    const std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(products, most);
    Matrix turn(pairs.size(), along.cols()), result(pairs.size(), functions.cols);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        std::copy_n(pairs[i].vector.data(), along.cols(), turn.row(i));
    math::gemm(math::Op::none, turn, math::Op::none, basis, result);
    return result;
}

}  // namespace

void AxisFit::add(std::size_t column, MatrixView features, Matrix owned, std::size_t sample) {
    const std::size_t first = samples_.rows(), count = std::min(sample, features.rows), d = features.cols;
    Class added{column, features, std::move(owned), mean_of(features), first, count};
    if (first == 0) samples_ = Matrix(0, d);
    samples_.resize_rows(first + count);
    parallel_range(count, 32, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const float* from = features.row(i * features.rows / count);
            for (std::size_t j = 0; j < d; ++j) samples_(first + i, j) = from[j] - added.mean[j];
        }
    });
    classes_.push_back(std::move(added));
}

void ClassCovariances::learn(const AxisFit& fit, const SharedCovariance& covariance) {
    if (fit.classes().empty()) return;
    for (const AxisFit::Class& c : fit.classes()) classes_.resize(std::max(classes_.size(), c.column + 1));
    const std::size_t most = std::min(rank_, most_ / classes_.size()), count = fit.classes().size();
    std::vector<Matrix> products(count);
    std::vector<PrincipalAxes> axes(count);
    std::vector<std::size_t> first(count + 1);
    for (std::size_t k = 0; k < count; ++k) {
        const MatrixView rows = fit.samples_of(fit.classes()[k]);
        if (std::min(most, rows.rows / kRowsPerAxis) == 0) continue;
        products[k].resize(rows.rows, rows.rows);
        math::gemm(math::Op::none, rows, math::Op::transpose, rows, products[k]);
    }
    parallel_range(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            if (!products[k].empty())
                axes[k] = principal_axes(products[k], fit.is_sampled(k) ? kSpare * most : most);
    });
    for (std::size_t k = 0; k < count; ++k) first[k + 1] = first[k] + axes[k].variances.size();
    Matrix functions(first[count], fit.classes()[0].features.cols);
    for (std::size_t k = 0; k < count; ++k)
        if (const std::size_t size = axes[k].variances.size(); size > 0)
            math::gemm(math::Op::none, axes[k].coefficients, math::Op::none, fit.samples_of(fit.classes()[k]),
                       MutableMatrixView{functions.row(first[k]), size, functions.cols()});
    if (functions.rows() > 0) covariance.as_functions(functions);
    parallel_range(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const AxisFit::Class& c = fit.classes()[k];
            const MatrixView own = functions.view().slice(first[k], first[k + 1] - first[k]);
            classes_[c.column] = quantized(
                c, fit.is_sampled(k) ? refined(c, own, most, covariance).view() : own, covariance.ridge());
        }
    });
    trim(most_);
}

ClassCovariances::Class ClassCovariances::quantized(const AxisFit::Class& of, MatrixView functions,
                                                    double ridge) {
    Class made;
    const std::size_t d = functions.cols;
    made.quantized.resize(functions.rows * d);
    for (std::size_t i = 0; i < functions.rows; ++i) {
        const float* g = functions.row(i);
        Axis axis;
        for (std::size_t j = 0; j < d; ++j) axis.scale = std::max(axis.scale, std::abs(g[j]));
        axis.scale /= kWhole;
        if (!(axis.scale > 0) || !std::isfinite(axis.scale)) {
            made.quantized.resize(i * d);
            break;
        }
        std::int8_t* quantized = made.quantized.data() + i * d;
        double squares = 0;
        for (std::size_t j = 0; j < d; ++j) {
            quantized[j] = static_cast<std::int8_t>(std::nearbyint(g[j] / axis.scale));
            squares += static_cast<double>(quantized[j]) * static_cast<double>(quantized[j]);
        }
        axis.norm =
            static_cast<float>(squares * static_cast<double>(axis.scale) * static_cast<double>(axis.scale));
        // Of length one in units of the shared covariance, of which the ridge is a part.
        axis.shared = static_cast<float>(std::max(0.0, 1 - ridge * static_cast<double>(axis.norm)));
        axis.offset = axis.scale * math::dot(quantized, of.mean.data(), d);
        made.axes.push_back(axis);
    }
    find_own(made, of.features);
    return made;
}

// The variances of all rows, not only of those looked at.
void ClassCovariances::find_own(Class& c, MatrixView features) {
    if (c.axes.empty()) return;
    Matrix g(c.axes.size(), features.cols), along(features.rows, g.rows());
    write_functions(c, g, 0);
    math::gemm(math::Op::none, features, math::Op::transpose, g, along);
    for (std::size_t i = 0; i < g.rows(); ++i) {
        Axis& axis = c.axes[i];
        double squares = 0;
        for (std::size_t r = 0; r < features.rows; ++r) {
            const double off = static_cast<double>(along(r, i) - axis.offset);
            squares += off * off;
        }
        axis.own = static_cast<float>(squares / static_cast<double>(features.rows - 1));
    }
}

void ClassCovariances::leave_out(std::size_t column) {
    if (column >= classes_.size()) classes_.resize(column + 1);
    classes_[column] = {};
}

void ClassCovariances::meet(std::size_t column, MatrixView features, std::int64_t rows_before) {
    const auto before = static_cast<double>(rows_before), now = static_cast<double>(features.rows);
    Class& c = classes_[column];
    for (std::size_t i = 0; i < c.axes.size(); ++i) {
        Axis& axis = c.axes[i];
        double sum = 0, squares = 0;
        for (std::size_t r = 0; r < features.rows; ++r) {
            const double off =
                static_cast<double>(axis.scale * math::dot(c.quantized.data() + i * features.cols,
                                                           features.row(r), features.cols) -
                                    axis.offset);
            sum += off;
            squares += off * off;
        }
        const double all = before + now, shift = sum / all;
        axis.own = static_cast<float>(
            std::max(0.0, static_cast<double>(axis.own) * (before - 1) + squares - all * shift * shift) /
            (all - 1));
        axis.offset += static_cast<float>(shift);
    }
}

void ClassCovariances::center(std::size_t column, const float* mean, std::int64_t before, std::int64_t now) {
    Class& c = classes_[column];
    for (std::size_t i = 0; i < c.axes.size(); ++i) {
        Axis& axis = c.axes[i];
        const std::size_t d = c.quantized.size() / c.axes.size();
        const float at = axis.scale * math::dot(c.quantized.data() + i * d, mean, d), off = axis.offset - at;
        // Its rows now are `off` from the mean of all, so those before are now / before times as far.
        axis.own += static_cast<float>(now) / static_cast<float>(before) * off * off;
        axis.offset = at;
    }
}

// So that all axes together stay below the limit, every class keeps its first ones.
void ClassCovariances::trim(std::size_t most) {
    if (axes() <= most) return;
    const std::size_t keep = most / classes_.size();
    for (Class& c : classes_) {
        if (c.axes.size() <= keep) continue;
        c.quantized.resize(c.quantized.size() / c.axes.size() * keep);
        c.quantized.shrink_to_fit();
        c.axes.resize(keep);
    }
}

void ClassCovariances::fit_into(std::size_t bytes) {
    if (this->bytes() > bytes) trim(bytes / (sizeof(Axis) + width()));
}

std::size_t ClassCovariances::width() const {
    for (const Class& c : classes_)
        if (!c.axes.empty()) return c.quantized.size() / c.axes.size();
    return 0;
}

std::size_t ClassCovariances::full() const {
    std::size_t full = 0;
    for (const Class& c : classes_) full = std::max(full, c.axes.size());
    return full;
}

std::size_t ClassCovariances::axes() const {
    std::size_t sum = 0;
    for (const Class& c : classes_) sum += c.axes.size();
    return sum;
}

Matrix ClassCovariances::functions(std::size_t first, std::size_t last, std::size_t width) const {
    std::vector<std::size_t> rows{0};  // before each class
    for (std::size_t c = first; c < last; ++c) rows.push_back(rows.back() + classes_[c].axes.size());
    Matrix result;
    result.resize(rows.back(), width);
    parallel_range(last - first, 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) write_functions(classes_[first + k], result, rows[k]);
    });
    return result;
}

void ClassCovariances::write_functions(const Class& c, Matrix& out, std::size_t row) {
    math::vectorized([&] {
        const std::int8_t* from = c.quantized.data();
        for (const Axis& axis : c.axes) {
            float* to = out.row(row++);
            for (std::size_t j = 0; j < out.cols(); ++j) to[j] = axis.scale * static_cast<float>(*from++);
        }
    })();
}

void ClassCovariances::set_shared(const ClassMoments& moments) {
    const std::size_t d = moments.width();
    for (std::size_t first = 0; first < classes_.size(); first += kClassesAtOnce) {
        const std::size_t last = std::min(classes_.size(), first + kClassesAtOnce);
        const Matrix g = functions(first, last, d);
        Matrix turned(g.rows(), d);
        if (g.rows() > 0) math::gemm(math::Op::none, g, math::Op::none, moments.scatter, turned);
        std::size_t row = 0;
        for (std::size_t c = first; c < last; ++c)
            for (Axis& axis : classes_[c].axes) {
                const double sum = std::inner_product(g.row(row), g.row(row) + d, turned.row(row), 0.0);
                axis.shared = static_cast<float>(std::max(0.0, sum) / static_cast<double>(moments.rows()));
                ++row;
            }
    }
}

Matrix ClassCovariances::along(MatrixView features) const {
    const std::size_t d = features.cols;
    Matrix result;
    result.resize(features.rows, axes());
    if (features.rows < kFewRows) {
        std::vector<std::size_t> first(classes_.size() + 1);  // of each class's axes
        for (std::size_t c = 0; c < classes_.size(); ++c) first[c + 1] = first[c] + classes_[c].axes.size();
        parallel_range(classes_.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = 0; r < features.rows; ++r)
                for (std::size_t c = begin; c < end; ++c)
                    for (std::size_t i = 0; i < classes_[c].axes.size(); ++i)
                        result(r, first[c] + i) =
                            classes_[c].axes[i].scale *
                            math::dot(classes_[c].quantized.data() + i * d, features.row(r), d);
        });
        return result;
    }
    std::size_t done = 0;
    for (std::size_t first = 0; first < classes_.size(); first += kClassesAtOnce) {
        const Matrix g = functions(first, std::min(classes_.size(), first + kClassesAtOnce), d);
        if (g.rows() == 0) continue;
        math::gemm(math::Op::none, features, math::Op::transpose, g,
                   MutableMatrixView{result.data() + done, features.rows, g.rows(), result.cols()});
        done += g.rows();
    }
    return result;
}

AxisTerms ClassCovariances::terms(double strength) const {
    AxisTerms terms;
    for (const Class& c : classes_) {
        terms.sizes.push_back(c.axes.size());
        for (const Axis& d : c.axes) {
            const double s = static_cast<double>(d.shared) +
                             static_cast<double>(ridge_) * static_cast<double>(d.norm),
                         own = strength * static_cast<double>(d.own);
            terms.offsets.push_back(d.offset);
            terms.factors.push_back(s > 0 ? static_cast<float>(0.5 * own / (s + own) / s) : 0);
        }
    }
    return terms;
}

void ClassCovariances::correct(MatrixView features, Matrix& scores) const {
    if (strength_ > 0 && axes() > 0)
        add_axis_terms(along(features), terms(static_cast<double>(strength_)), scores);
}

void ClassCovariances::formula(Matrix& directions, Matrix& offsets, Matrix& sums) const {
    const std::size_t all = strength_ > 0 ? this->axes() : 0, full = this->full();
    directions = all > 0 ? functions(0, classes_.size(), width()) : Matrix();
    offsets = Matrix(1, all);
    sums = Matrix(classes_.size(), all);
    if (all == 0) return;
    const std::vector<float> factors = terms(static_cast<double>(strength_)).factors;
    const auto fulls = static_cast<float>(std::count_if(
        classes_.begin(), classes_.end(), [&](const Class& c) { return c.axes.size() == full; }));
    std::size_t i = 0;
    for (std::size_t c = 0; c < classes_.size(); ++c)
        for (const Axis& d : classes_[c].axes) {
            const float root = std::sqrt(factors[i]);
            offsets(0, i) = root * d.offset;
            for (std::size_t j = 0; j < directions.cols(); ++j) directions(i, j) *= root;
            if (classes_[c].axes.size() == full)  // a part of what classes with fewer are given
                for (std::size_t other = 0; other < classes_.size(); ++other)
                    sums(other, i) = static_cast<float>(full - classes_[other].axes.size()) /
                                     static_cast<float>(full) / fulls;
            sums(c, i) += 1;
            ++i;
        }
}

std::size_t ClassCovariances::bytes() const {
    std::size_t sum = 0;
    for (const Class& c : classes_) sum += c.axes.size() * sizeof(Axis) + c.quantized.size();
    return sum;
}

void ClassCovariances::save(State& state) const {
    std::vector<std::int64_t> sizes;
    const std::size_t all = axes(), width = this->width();
    for (const Class& c : classes_) sizes.push_back(static_cast<std::int64_t>(c.axes.size()));
    Matrix numbers(all, 5);
    std::vector<std::int8_t> quantized;
    quantized.reserve(all * width);
    std::size_t row = 0;
    for (const Class& c : classes_) {
        quantized.insert(quantized.end(), c.quantized.begin(), c.quantized.end());
        for (const Axis& d : c.axes)
            std::copy_n(std::array{d.scale, d.offset, d.own, d.shared, d.norm}.begin(), 5,
                        numbers.row(row++));
    }
    state.set("covariances.settings",
              std::vector<double>{static_cast<double>(ridge_), static_cast<double>(strength_)});
    state.set("covariances.sizes", std::move(sizes));
    state.set("covariances.numbers", std::move(numbers), ArrayKind::statistics);
    state.set("covariances.quantized", std::move(quantized), ArrayKind::statistics);
}

ClassCovariances ClassCovariances::load(const State& state, std::size_t classes, std::size_t width,
                                        std::size_t rank) {
    ClassCovariances covariances(rank);
    const auto& sizes = state.integer("covariances.sizes");
    if (sizes.size() != classes)
        throw Error("State: 'covariances.sizes' has " + std::to_string(sizes.size()) +
                    " numbers but there are " + std::to_string(classes) + " classes");
    const std::vector<double>& settings = state.list<double>("covariances.settings", 2);
    covariances.ridge_ = static_cast<float>(settings[0]);
    covariances.strength_ = static_cast<float>(settings[1]);
    if (!(covariances.ridge_ >= 0) || !(covariances.strength_ >= 0) ||
        !std::isfinite(covariances.ridge_ + covariances.strength_))
        throw Error("State: 'covariances.settings' must be two numbers that are not negative");
    const std::size_t all = state.matrix("covariances.numbers").rows();
    std::size_t row = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        if (sizes[c] < 0 || static_cast<std::size_t>(sizes[c]) > all - row)
            throw Error("State: 'covariances.sizes' has " + std::to_string(sizes[c]) + " axes for column " +
                        std::to_string(c));
        row += static_cast<std::size_t>(sizes[c]);
    }
    if (row != all)
        throw Error("State: 'covariances.numbers' has " + std::to_string(all) +
                    " rows but the classes have " + std::to_string(row) + " axes");
    const Matrix& numbers = state.matrix("covariances.numbers", all, 5);
    const std::vector<std::int8_t>& quantized = state.list<std::int8_t>("covariances.quantized", all * width);
    if (std::any_of(quantized.begin(), quantized.end(), [](std::int8_t q) { return q < -kWhole; }))
        throw Error("State: 'covariances.quantized' has a number below -" +
                    std::to_string(static_cast<int>(kWhole)));
    row = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        Class one;
        for (std::int64_t i = 0; i < sizes[c]; ++i, ++row) {
            const float* n = numbers.row(row);
            if (!(n[0] > 0) || !(n[2] >= 0) || !(n[3] >= 0) || !(n[4] >= 0) ||
                !std::all_of(n, n + 5, [](float v) { return std::isfinite(v); }))
                throw Error("State: 'covariances.numbers' has a row that is no axis");
            one.axes.push_back({n[0], n[1], n[2], n[3], n[4]});
            const auto first = quantized.begin() + static_cast<std::ptrdiff_t>(row * width);
            one.quantized.insert(one.quantized.end(), first, first + static_cast<std::ptrdiff_t>(width));
        }
        covariances.classes_.push_back(std::move(one));
    }
    return covariances;
}

}  // namespace fearnet
