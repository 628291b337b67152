// Brain::suggest: the rows whose labels would help most.
#include "core/brain/brain_parts.hpp"
#include "core/brain/class_space.hpp"
#include "core/math/facility_location.hpp"

namespace fearnet {
namespace {

// Width of the similarity exp((cos - 1) / width): how far a row speaks for others.
constexpr double kWidth = 0.3;

// The rows of `x`, then those of `more`.
Matrix stacked(const Matrix& x, const Matrix& more) {
    Matrix both(x.rows() + more.rows(), x.cols());
    std::copy_n(x.data(), x.size(), both.data());
    std::copy_n(more.data(), more.size(), both.data() + x.size());
    return both;
}

}  // namespace

std::vector<std::size_t> Brain::suggest(MatrixView x, std::size_t count, MatrixView labeled) const {
    const Parts& p = *parts_;
    if (count == 0) throw Error("Brain::suggest: a count of 0 rows; ask for at least 1");
    const Matrix rows = p.question(x, "suggest", 0), before = p.question(labeled, "suggest", 0);
    if (rows.empty()) return {};
    const ClassSpace space = class_space(*p.learner, stacked(rows, before), "suggest");
    const MatrixView all = space.rows;
    return math::representative_rows(all.slice(0, rows.rows()), count, kWidth,
                                     all.slice(rows.rows(), before.rows()));
}

}  // namespace fearnet
