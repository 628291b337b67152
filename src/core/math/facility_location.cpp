#include "core/math/facility_location.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"

namespace fearnet::math {
namespace {

Matrix of_unit_length(MatrixView x) {
    Matrix unit(x);
    for (std::size_t i = 0; i < unit.rows(); ++i) {
        double squares = 0;
        for (std::size_t j = 0; j < unit.cols(); ++j)
            squares += static_cast<double>(unit(i, j)) * static_cast<double>(unit(i, j));
        const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
        for (std::size_t j = 0; j < unit.cols(); ++j)
            unit(i, j) = static_cast<float>(scale * static_cast<double>(unit(i, j)));
    }
    return unit;
}

// exp((cos - 1) / width) of every row of x and every row of y, which have unit length.
Matrix similarities(const Matrix& x, const Matrix& y, double width) {
    Matrix result(x.rows(), y.rows());
    if (x.cols() > 0) gemm(Op::none, x, Op::transpose, y, result);
    const auto inverse = static_cast<float>(1 / width);
    parallel_range(result.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            result.data()[i] = std::exp((result.data()[i] - 1) * inverse);
    });
    return result;
}

// The similarity of each row to the given row that is most like it; 0 if none is given.
std::vector<float> covered_by(const Matrix& given, const Matrix& rows, double width) {
    constexpr std::size_t kBlock = 512;
    std::vector<float> covered(rows.rows());
    for (std::size_t first = 0; first < given.rows(); first += kBlock) {
        const Matrix block(given.view().slice(first, std::min(kBlock, given.rows() - first)));
        const Matrix similar = similarities(block, rows, width);
        for (std::size_t k = 0; k < similar.rows(); ++k)
            for (std::size_t i = 0; i < covered.size(); ++i) covered[i] = std::max(covered[i], similar(k, i));
    }
    return covered;
}

double gain(const Matrix& similar, const std::vector<float>& covered, std::size_t candidate) {
    const float* row = similar.row(candidate);
    double sum = 0;
    for (std::size_t i = 0; i < covered.size(); ++i)
        sum += static_cast<double>(std::max(row[i] - covered[i], 0.0f));
    return sum;
}

struct Bound {
    double gain;
    std::size_t row;
    bool operator<(const Bound& other) const {
        return gain != other.gain ? gain < other.gain : row > other.row;
    }
};

// Gains only fall as rows are selected, so an old gain is a bound: the candidate on top whose gain is up to
// date is the best (Minoux 1978).
std::vector<std::size_t> greedy(const Matrix& similar, std::vector<float> covered, std::size_t count) {
    const std::size_t n = similar.rows();
    std::vector<Bound> bounds(n);
    parallel_range(n, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) bounds[i] = {gain(similar, covered, i), i};
    });
    std::priority_queue<Bound> queue({}, std::move(bounds));
    std::vector<std::size_t> selected;
    while (selected.size() < count) {
        Bound top = queue.top();
        queue.pop();
        top.gain = gain(similar, covered, top.row);
        if (!queue.empty() && top < queue.top()) {
            queue.push(top);
            continue;
        }
        selected.push_back(top.row);
        const float* row = similar.row(top.row);
        for (std::size_t i = 0; i < n; ++i) covered[i] = std::max(covered[i], row[i]);
    }
    return selected;
}

}  // namespace

std::vector<std::size_t> representative_rows(MatrixView x, std::size_t count, double width, MatrixView given,
                                             std::size_t most) {
    const std::size_t n = std::min(x.rows, std::max<std::size_t>(most, 1));
    if (n == 0) return {};
    std::vector<std::size_t> which(n);
    for (std::size_t i = 0; i < n; ++i) which[i] = i * x.rows / n;
    Matrix rows;
    gather_rows(x, which, rows);
    rows = of_unit_length(rows);
    std::vector<std::size_t> result = greedy(
        similarities(rows, rows, width), covered_by(of_unit_length(given), rows, width), std::min(count, n));
    for (std::size_t& i : result) i = which[i];
    std::vector<char> candidate(x.rows);
    for (const std::size_t i : which) candidate[i] = 1;
    for (std::size_t i = 0; i < x.rows && result.size() < count; ++i)
        if (!candidate[i]) result.push_back(i);
    return result;
}

}  // namespace fearnet::math
