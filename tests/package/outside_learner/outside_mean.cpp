#include "outside_mean.hpp"

namespace outside {

using fearnet::Matrix;
using fearnet::MatrixView;

void Mean::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                 const fearnet::Progress& progress) {
    fearnet::report(progress, {"learn", 1, 1}, "learn");
    Matrix means = means_;
    if (means.cols() == 0) means.resize(0, x.cols);
    means.resize_rows(classes);
    std::vector<std::int64_t> counts = counts_;
    counts.resize(classes);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const auto c = static_cast<std::size_t>(columns[i]);
        const auto share = 1 / static_cast<float>(++counts[c]);
        for (std::size_t j = 0; j < x.cols; ++j) means(c, j) += share * (x(i, j) - means(c, j));
    }
    means_ = std::move(means);
    counts_ = std::move(counts);
}

Matrix Mean::scores(MatrixView x) const {
    Matrix result(x.rows, class_count());
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < class_count(); ++c) {
            double distance = 0;
            for (std::size_t j = 0; j < x.cols; ++j) {
                const double d = static_cast<double>(x(i, j)) - static_cast<double>(means_(c, j));
                distance += d * d;
            }
            result(i, c) = static_cast<float>(-settings().scale * distance);
        }
    return result;
}

void Mean::save_model(fearnet::State& state) const {
    state.set("means", means_, fearnet::ArrayKind::statistics);
    state.set("counts", counts_);
}

void Mean::load_model(const fearnet::State& state) {
    counts_ = state.integer("counts");
    if (counts_.size() != class_count())
        throw fearnet::Error("State: 'counts' has " + std::to_string(counts_.size()) + " numbers but " +
                             std::to_string(class_count()) + " are needed");
    means_ = state.finite("means", class_count(), width());
}

void register_mean() {
    fearnet::register_learner(
        fearnet::learner_type<Mean>(MeanOptions::kLearner, "the class of the nearest mean"));
}

}  // namespace outside
