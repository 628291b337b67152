#include "core/learners/plus/class_covariances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"

namespace fearnet {
namespace {

constexpr float kWhole = 127;
// Rows that a direction needs: with fewer it is chance.
constexpr std::size_t kRowsPerDirection = 3;
// Rows of a class in which its directions are looked for, if they are enough.
constexpr std::size_t kLookAt = 256;
// No class is likelier than others by more than this: a row so far away is nowhere.
constexpr double kMostLikelier = 1e30;
// Fewer rows than this are asked direction by direction; more through one matrix product.
constexpr std::size_t kFewRows = 8;
// Directions turned into float at a time.
constexpr std::size_t kClassesAtOnce = 64;
// At least so many columns to each thread.
constexpr std::size_t kColumns = 512;

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

// `count` of the rows, evenly spread, less the mean.
Matrix centered_sample(MatrixView m, std::span<const float> mean, std::size_t count) {
    Matrix sample(count, m.cols);
    for (std::size_t i = 0; i < count; ++i) {
        const float* from = m.row(i * m.rows / count);
        for (std::size_t j = 0; j < m.cols; ++j) sample(i, j) = from[j] - mean[j];
    }
    return sample;
}

}  // namespace

void ClassCovariances::learn(std::size_t column, MatrixView features, const SharedCovariance* metric) {
    if (column >= classes_.size()) classes_.resize(column + 1);
    Class made;
    const double ridge = metric ? metric->ridge() : 0;
    const std::size_t most = std::min(rank_, most_ / classes_.size()),
                      seen = std::min(features.rows, std::max(kLookAt, kRowsPerDirection * most)),
                      d = features.cols, wanted = std::min(most, seen / kRowsPerDirection);
    if (wanted > 0) {
        const std::vector<float> mean = mean_of(features);
        Matrix rows = centered_sample(features, mean, seen), gram(seen, seen);
        if (metric) metric->whiten(rows);
        math::gemm(math::Op::none, rows, math::Op::transpose, rows, gram);
        const std::vector<math::Eigenpair> pairs = math::leading_eigenvectors(gram, wanted);
        Matrix chosen(0, seen);
        for (const auto& [value, vector] : pairs) {
            if (!(value > 1e-6 * pairs[0].value) || !(value > 0)) break;  // rounding
            chosen.resize_rows(chosen.rows() + 1);
            const auto scale = static_cast<float>(1 / std::sqrt(value));
            for (std::size_t i = 0; i < seen; ++i) chosen(chosen.rows() - 1, i) = scale * vector[i];
        }
        Matrix functions(chosen.rows(), d);
        if (chosen.rows() > 0) {
            math::gemm(math::Op::none, chosen, math::Op::none, rows, functions);
            if (metric) metric->as_functions(functions);
        }
        made.quantized.resize(functions.size());
        for (std::size_t i = 0; i < functions.rows(); ++i) {
            const float* g = functions.row(i);
            Direction direction;
            for (std::size_t j = 0; j < d; ++j) direction.scale = std::max(direction.scale, std::abs(g[j]));
            direction.scale /= kWhole;
            if (!(direction.scale > 0) || !std::isfinite(direction.scale)) {
                made.quantized.resize(i * d);
                break;
            }
            std::int8_t* quantized = made.quantized.data() + i * d;
            double squares = 0;
            for (std::size_t j = 0; j < d; ++j) {
                quantized[j] = static_cast<std::int8_t>(std::nearbyint(g[j] / direction.scale));
                squares += static_cast<double>(quantized[j]) * static_cast<double>(quantized[j]);
            }
            direction.norm = static_cast<float>(squares * static_cast<double>(direction.scale) *
                                                static_cast<double>(direction.scale));
            // Of length one in units of the shared covariance, of which the ridge is a part.
            direction.shared =
                static_cast<float>(std::max(0.0, 1 - ridge * static_cast<double>(direction.norm)));
            direction.offset = direction.scale * math::dot(quantized, mean.data(), d);
            made.directions.push_back(direction);
        }
        find_own(made, features);
    }
    classes_[column] = std::move(made);
    trim(most_);
}

// The variances of all rows, not only of those looked at.
void ClassCovariances::find_own(Class& c, MatrixView features) {
    if (c.directions.empty()) return;
    Matrix g(c.directions.size(), features.cols), along(features.rows, g.rows());
    append_functions(c, g.data());
    math::gemm(math::Op::none, features, math::Op::transpose, g, along);
    for (std::size_t i = 0; i < g.rows(); ++i) {
        Direction& direction = c.directions[i];
        double squares = 0;
        for (std::size_t r = 0; r < features.rows; ++r) {
            const double off = static_cast<double>(along(r, i) - direction.offset);
            squares += off * off;
        }
        direction.own = static_cast<float>(squares / static_cast<double>(features.rows - 1));
    }
}

void ClassCovariances::leave_out(std::size_t column) {
    if (column >= classes_.size()) classes_.resize(column + 1);
    classes_[column] = {};
}

void ClassCovariances::meet(std::size_t column, MatrixView features, std::int64_t rows_before) {
    const auto before = static_cast<double>(rows_before), now = static_cast<double>(features.rows);
    Class& c = classes_[column];
    for (std::size_t i = 0; i < c.directions.size(); ++i) {
        Direction& direction = c.directions[i];
        double sum = 0, squares = 0;
        for (std::size_t r = 0; r < features.rows; ++r) {
            const double off =
                static_cast<double>(direction.scale * math::dot(c.quantized.data() + i * features.cols,
                                                                features.row(r), features.cols) -
                                    direction.offset);
            sum += off;
            squares += off * off;
        }
        const double all = before + now, shift = sum / all;
        direction.own = static_cast<float>(
            std::max(0.0, static_cast<double>(direction.own) * (before - 1) + squares - all * shift * shift) /
            (all - 1));
        direction.offset += static_cast<float>(shift);
    }
}

void ClassCovariances::center(std::size_t column, const float* mean, std::int64_t before, std::int64_t now) {
    Class& c = classes_[column];
    for (std::size_t i = 0; i < c.directions.size(); ++i) {
        Direction& direction = c.directions[i];
        const std::size_t d = c.quantized.size() / c.directions.size();
        const float at = direction.scale * math::dot(c.quantized.data() + i * d, mean, d),
                    off = direction.offset - at;
        // Its rows now are `off` from the mean of all, so those before are now / before times as far.
        direction.own += static_cast<float>(now) / static_cast<float>(before) * off * off;
        direction.offset = at;
    }
}

// So that all directions together stay below the limit, every class keeps its first ones.
void ClassCovariances::trim(std::size_t most) {
    if (directions() <= most) return;
    const std::size_t keep = most / classes_.size();
    for (Class& c : classes_) {
        if (c.directions.size() <= keep) continue;
        c.quantized.resize(c.quantized.size() / c.directions.size() * keep);
        c.quantized.shrink_to_fit();
        c.directions.resize(keep);
    }
}

void ClassCovariances::fit_into(std::size_t bytes) {
    if (this->bytes() > bytes) trim(bytes / (sizeof(Direction) + width()));
}

std::size_t ClassCovariances::width() const {
    for (const Class& c : classes_)
        if (!c.directions.empty()) return c.quantized.size() / c.directions.size();
    return 0;
}

std::size_t ClassCovariances::full() const {
    std::size_t full = 0;
    for (const Class& c : classes_) full = std::max(full, c.directions.size());
    return full;
}

std::size_t ClassCovariances::directions() const {
    std::size_t sum = 0;
    for (const Class& c : classes_) sum += c.directions.size();
    return sum;
}

Matrix ClassCovariances::functions(std::size_t first, std::size_t last, std::size_t width) const {
    std::size_t rows = 0;
    for (std::size_t c = first; c < last; ++c) rows += classes_[c].directions.size();
    Matrix result(rows, width);
    float* out = result.data();
    for (std::size_t c = first; c < last; ++c) out = append_functions(classes_[c], out);
    return result;
}

float* ClassCovariances::append_functions(const Class& c, float* out) {
    const std::int8_t* share = c.quantized.data();
    const std::size_t width = c.directions.empty() ? 0 : c.quantized.size() / c.directions.size();
    for (const Direction& direction : c.directions)
        for (std::size_t j = 0; j < width; ++j) *out++ = direction.scale * static_cast<float>(*share++);
    return out;
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
            for (Direction& direction : classes_[c].directions) {
                const double sum = std::inner_product(g.row(row), g.row(row) + d, turned.row(row), 0.0);
                direction.shared =
                    static_cast<float>(std::max(0.0, sum) / static_cast<double>(moments.rows()));
                ++row;
            }
    }
}

Matrix ClassCovariances::along(MatrixView features) const {
    const std::size_t d = features.cols;
    Matrix result(features.rows, directions());
    if (features.rows < kFewRows) {
        std::vector<std::size_t> first(classes_.size() + 1);  // of each class's directions
        for (std::size_t c = 0; c < classes_.size(); ++c)
            first[c + 1] = first[c] + classes_[c].directions.size();
        parallel_range(classes_.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = 0; r < features.rows; ++r)
                for (std::size_t c = begin; c < end; ++c)
                    for (std::size_t i = 0; i < classes_[c].directions.size(); ++i)
                        result(r, first[c] + i) =
                            classes_[c].directions[i].scale *
                            math::dot(classes_[c].quantized.data() + i * d, features.row(r), d);
        });
        return result;
    }
    std::size_t done = 0;
    for (std::size_t first = 0; first < classes_.size(); first += kClassesAtOnce) {
        const Matrix g = functions(first, std::min(classes_.size(), first + kClassesAtOnce), d);
        if (g.rows() == 0) continue;
        Matrix part(features.rows, g.rows());
        math::gemm(math::Op::none, features, math::Op::transpose, g, part);
        for (std::size_t r = 0; r < features.rows; ++r)
            std::copy_n(part.row(r), part.cols(), result.row(r) + done);
        done += g.rows();
    }
    return result;
}

std::vector<float> ClassCovariances::factors(double strength) const {
    std::vector<float> factors;
    for (const Class& c : classes_)
        for (const Direction& d : c.directions) {
            const double s = static_cast<double>(d.shared) +
                             static_cast<double>(ridge_) * static_cast<double>(d.norm),
                         own = strength * static_cast<double>(d.own);
            factors.push_back(s > 0 ? static_cast<float>(0.5 * own / (s + own) / s) : 0);
        }
    return factors;
}

void ClassCovariances::add_corrections(const Matrix& along, double strength, Matrix& scores) const {
    if (!(strength > 0) || along.cols() == 0) return;
    const std::size_t full = this->full();
    const std::vector<float> factors = this->factors(strength);
    parallel_range(along.rows(), 16, [&](std::size_t begin, std::size_t end) {
        std::vector<double> more(classes_.size());
        for (std::size_t r = begin; r < end; ++r) {
            const float *at = along.row(r), *factor = factors.data();
            double of_full = 0;
            std::size_t fulls = 0;
            for (std::size_t c = 0; c < classes_.size(); ++c) {
                double sum = 0;
                for (const Direction& d : classes_[c].directions) {
                    const auto off = static_cast<double>(*at++ - d.offset);
                    sum += static_cast<double>(*factor++) * off * off;
                }
                more[c] = std::min(sum, kMostLikelier);
                if (classes_[c].directions.size() == full) of_full += more[c], ++fulls;
            }
            const double average = of_full / static_cast<double>(fulls);
            for (std::size_t c = 0; c < classes_.size(); ++c) {
                const auto lacking = static_cast<double>(full - classes_[c].directions.size());
                scores(r, c) += static_cast<float>(more[c] + lacking / static_cast<double>(full) * average);
            }
        }
    });
}

void ClassCovariances::correct(MatrixView features, Matrix& scores) const {
    if (strength_ > 0) add_corrections(along(features), static_cast<double>(strength_), scores);
}

std::vector<Matrix> ClassCovariances::corrected(MatrixView features, const Matrix& scores,
                                                std::span<const double> strengths) const {
    const Matrix coordinates = along(features);
    std::vector<Matrix> results;
    for (const double strength : strengths) {
        results.push_back(scores);
        add_corrections(coordinates, strength, results.back());
    }
    return results;
}

void ClassCovariances::formula(Matrix& directions, Matrix& offsets, Matrix& sums) const {
    const std::size_t all = strength_ > 0 ? this->directions() : 0, full = this->full();
    directions = all > 0 ? functions(0, classes_.size(), width()) : Matrix();
    offsets = Matrix(1, all);
    sums = Matrix(classes_.size(), all);
    if (all == 0) return;
    const std::vector<float> factors = this->factors(static_cast<double>(strength_));
    const auto fulls = static_cast<float>(std::count_if(
        classes_.begin(), classes_.end(), [&](const Class& c) { return c.directions.size() == full; }));
    std::size_t i = 0;
    for (std::size_t c = 0; c < classes_.size(); ++c)
        for (const Direction& d : classes_[c].directions) {
            const float root = std::sqrt(factors[i]);
            offsets(0, i) = root * d.offset;
            for (std::size_t j = 0; j < directions.cols(); ++j) directions(i, j) *= root;
            if (classes_[c].directions.size() == full)  // a part of what classes with fewer are given
                for (std::size_t other = 0; other < classes_.size(); ++other)
                    sums(other, i) = static_cast<float>(full - classes_[other].directions.size()) /
                                     static_cast<float>(full) / fulls;
            sums(c, i) += 1;
            ++i;
        }
}

std::vector<Matrix> ClassCovariances::held_out_terms(MatrixView whitened,
                                                     std::span<const std::int32_t> columns,
                                                     std::size_t classes, std::size_t rank,
                                                     std::span<const double> strengths) {
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    std::vector<Matrix> terms(strengths.size());
    for (Matrix& of_strength : terms) of_strength = Matrix(whitened.rows, classes);
    Matrix fit, held;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
        ClassCovariances model(rank);
        std::vector<std::size_t> held_rows;
        for (std::size_t c = 0; c < classes; ++c) {
            std::vector<std::size_t> fit_rows;
            for (std::size_t i = 0; i < by_class[c].size(); ++i)
                (i % kFolds == fold ? held_rows : fit_rows).push_back(by_class[c][i]);
            gather_rows(whitened, fit_rows, fit);
            if (fit_rows.empty())
                model.leave_out(c);
            else
                model.learn(c, fit, nullptr);
        }
        if (held_rows.empty()) continue;
        gather_rows(whitened, held_rows, held);
        const std::vector<Matrix> of_fold = model.corrected(held, Matrix(held.rows(), classes), strengths);
        for (std::size_t s = 0; s < strengths.size(); ++s)
            for (std::size_t i = 0; i < held_rows.size(); ++i)
                std::copy_n(of_fold[s].row(i), classes, terms[s].row(held_rows[i]));
    }
    return terms;
}

std::size_t ClassCovariances::bytes() const {
    std::size_t sum = 0;
    for (const Class& c : classes_) sum += c.directions.size() * sizeof(Direction) + c.quantized.size();
    return sum;
}

void ClassCovariances::save(State& state) const {
    std::vector<std::int64_t> sizes;
    const std::size_t all = directions(), width = this->width();
    for (const Class& c : classes_) sizes.push_back(static_cast<std::int64_t>(c.directions.size()));
    Matrix numbers(all, 5);
    std::vector<std::int8_t> quantized;
    quantized.reserve(all * width);
    std::size_t row = 0;
    for (const Class& c : classes_) {
        quantized.insert(quantized.end(), c.quantized.begin(), c.quantized.end());
        for (const Direction& d : c.directions)
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
    ClassCovariances shapes(rank);
    const auto& sizes = state.integer("covariances.sizes");
    if (sizes.size() != classes)
        throw Error("State: 'covariances.sizes' has " + std::to_string(sizes.size()) +
                    " numbers but there are " + std::to_string(classes) + " classes");
    const std::vector<double>& settings = state.list<double>("covariances.settings", 2);
    shapes.ridge_ = static_cast<float>(settings[0]);
    shapes.strength_ = static_cast<float>(settings[1]);
    if (!(shapes.ridge_ >= 0) || !(shapes.strength_ >= 0) || !std::isfinite(shapes.ridge_ + shapes.strength_))
        throw Error("State: 'covariances.settings' must be two numbers that are not negative");
    const std::size_t all = state.matrix("covariances.numbers").rows();
    std::size_t row = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        if (sizes[c] < 0 || static_cast<std::size_t>(sizes[c]) > all - row)
            throw Error("State: 'covariances.sizes' has " + std::to_string(sizes[c]) +
                        " directions for column " + std::to_string(c));
        row += static_cast<std::size_t>(sizes[c]);
    }
    if (row != all)
        throw Error("State: 'covariances.numbers' has " + std::to_string(all) +
                    " rows but the classes have " + std::to_string(row) + " directions");
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
                throw Error("State: 'covariances.numbers' has a row that is no direction");
            one.directions.push_back({n[0], n[1], n[2], n[3], n[4]});
            const auto first = quantized.begin() + static_cast<std::ptrdiff_t>(row * width);
            one.quantized.insert(one.quantized.end(), first, first + static_cast<std::ptrdiff_t>(width));
        }
        shapes.classes_.push_back(std::move(one));
    }
    return shapes;
}

}  // namespace fearnet
