#include "core/learners/kit/class_moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/math/gram.hpp"

namespace fearnet {
namespace {

// At least so many to each thread.
constexpr std::size_t kColumns = 512, kRows = 64;

std::vector<double> mean_of(MatrixView x, const std::vector<std::size_t>& rows) {
    std::vector<double> mean(x.cols);
    parallel_range(x.cols, kColumns, [&](std::size_t begin, std::size_t end) {
        for (const std::size_t i : rows)
            for (std::size_t j = begin; j < end; ++j) mean[j] += static_cast<double>(x(i, j));
        for (std::size_t j = begin; j < end; ++j) mean[j] /= static_cast<double>(rows.size());
    });
    return mean;
}

}  // namespace

std::vector<std::vector<std::size_t>> rows_by_class(std::span<const std::int32_t> columns,
                                                    std::size_t classes) {
    std::vector<std::vector<std::size_t>> rows(classes);
    for (std::size_t i = 0; i < columns.size(); ++i) rows[static_cast<std::size_t>(columns[i])].push_back(i);
    return rows;
}

std::int64_t ClassMoments::rows() const {
    return std::accumulate(counts.begin(), counts.end(), gone);
}

std::size_t ClassMoments::bytes() const {
    return counts.size() * sizeof(counts[0]) + means.bytes() + scatter.bytes();
}

void ClassMoments::add(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                       bool with_scatter) {
    if (means.cols() == 0) means.resize(0, x.cols);
    if (with_scatter && scatter.empty()) scatter = Matrix(x.cols, x.cols);
    means.resize_rows(classes);
    counts.resize(classes);
    // Two portions of one class: their scatters add up, plus one row along the difference of their means.
    Matrix centered;
    if (with_scatter) centered.resize(x.rows + classes, x.cols);
    std::size_t extra = x.rows;
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    for (std::size_t c = 0; c < classes; ++c) {
        if (by_class[c].empty()) continue;
        const std::vector<double> mean = mean_of(x, by_class[c]);
        const double before = static_cast<double>(counts[c]), now = static_cast<double>(by_class[c].size());
        const double share = now / (before + now), weight = std::sqrt(before * share);
        for (std::size_t j = 0; j < x.cols; ++j) {
            const double step = mean[j] - static_cast<double>(means(c, j));
            if (with_scatter && before > 0) centered(extra, j) = static_cast<float>(weight * step);
            means(c, j) = static_cast<float>(static_cast<double>(means(c, j)) + share * step);
        }
        extra += with_scatter && before > 0;
        counts[c] += static_cast<std::int64_t>(by_class[c].size());
        if (!with_scatter) continue;
        parallel_range(by_class[c].size(), kRows, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t i = by_class[c][k];
                for (std::size_t j = 0; j < x.cols; ++j)
                    centered(i, j) = static_cast<float>(static_cast<double>(x(i, j)) - mean[j]);
            }
        });
    }
    if (!with_scatter) return;
    const MatrixView used = centered.view().slice(0, extra);
    math::add_gram(used, scatter);
}

void ClassMoments::remove(MatrixView x, std::span<const std::int32_t> columns) {
    // What they are on their own, then the reverse of adding them: the means first, since the step between
    // the means is that of what stays.
    ClassMoments part;
    part.add(x, columns, classes(), true);
    Matrix steps(classes(), width());
    for (std::size_t c = 0; c < classes(); ++c) {
        if (part.counts[c] == 0) continue;
        const double all = static_cast<double>(counts[c]), taken = static_cast<double>(part.counts[c]);
        const double stay = all - taken, weight = std::sqrt(stay * taken / all);
        for (std::size_t j = 0; j < width(); ++j) {
            const double mean =
                (all * static_cast<double>(means(c, j)) - taken * static_cast<double>(part.means(c, j))) /
                stay;
            steps(c, j) = static_cast<float>(weight * (static_cast<double>(part.means(c, j)) - mean));
            means(c, j) = static_cast<float>(mean);
        }
        counts[c] -= part.counts[c];
    }
    math::add_gram(steps, part.scatter);
    for (std::size_t i = 0; i < scatter.size(); ++i) scatter.data()[i] -= part.scatter.data()[i];
}

void ClassMoments::drop(std::size_t column) {
    gone += counts[column];
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(column));
    means = without_row(means, column);
}

Matrix without_row(const Matrix& m, std::size_t row) {
    Matrix result(m.rows() - 1, m.cols());
    for (std::size_t i = 0; i < result.rows(); ++i)
        std::copy_n(m.row(i + (i >= row)), m.cols(), result.row(i));
    return result;
}

void ClassMoments::save(State& state) const {
    state.set("counts", counts);
    if (gone > 0) state.set("counts.gone", std::vector<std::int64_t>{gone});
    state.set("means", means, ArrayKind::statistics);
    if (!scatter.empty()) state.set("scatter", scatter, ArrayKind::statistics);
}

ClassMoments ClassMoments::load(const State& state, std::size_t classes, std::size_t width,
                                bool with_scatter) {
    constexpr std::int64_t kMostRows = std::int64_t{1} << 40;  // of a class: sums stay far from overflow
    ClassMoments moments;
    moments.counts = state.integer("counts");
    if (moments.counts.size() != classes ||
        std::any_of(moments.counts.begin(), moments.counts.end(),
                    [](std::int64_t n) { return n < 1 || n > kMostRows; }))
        throw Error("State: 'counts' has " + std::to_string(moments.counts.size()) + " numbers but " +
                    std::to_string(classes) + ", all positive, are needed");
    if (state.has("counts.gone")) {
        const std::vector<std::int64_t>& gone = state.integer("counts.gone");
        if (gone.size() != 1 || gone[0] < 0 || gone[0] > kMostRows)
            throw Error("State: 'counts.gone' must be one number of rows, not negative");
        moments.gone = gone[0];
    }
    moments.means = state.finite("means", classes, width);
    if (with_scatter) moments.scatter = state.matrix("scatter", width, width);
    return moments;
}

}  // namespace fearnet
