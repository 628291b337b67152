#include "learners/baselines/fecam.hpp"

#include <bit>

#include "learners/baselines/class_moments.hpp"
#include "learners/baselines/power_transform.hpp"

namespace fearnet {

Matrix FeCam::mapped(MatrixView x) const {
    Matrix result(x);
    power_transform(result, settings().power);
    return result;
}

std::shared_ptr<const FeCam::Class> FeCam::make(LowRankCovariance covariance) const {
    MahalanobisDistance distance(covariance, {settings().gamma1, settings().gamma2, settings().correlation});
    return std::make_shared<const Class>(Class{std::move(covariance), std::move(distance)});
}

void FeCam::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                  const Progress& progress) {
    std::vector<std::shared_ptr<const Class>> next = classes_;
    next.resize(classes);
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    std::size_t done = 0, total = 0;
    for (const auto& rows : by_class) total += !rows.empty();
    for (std::size_t c = 0; c < classes; ++c) {
        if (by_class[c].empty()) continue;
        Matrix rows(by_class[c].size(), x.cols);
        for (std::size_t i = 0; i < rows.rows(); ++i) std::copy_n(x.row(by_class[c][i]), x.cols, rows.row(i));
        LowRankCovariance covariance = low_rank_covariance(mapped(rows), max_rank());
        if (next[c]) covariance = merged(next[c]->covariance, covariance, max_rank());
        next[c] = make(std::move(covariance));
        report(progress, {"learn", ++done, total}, "learn");
    }
    classes_ = std::move(next);
}

Matrix FeCam::scores(MatrixView x) const {
    const Matrix rows = mapped(x);
    Matrix result(x.rows, classes_.size()), work, projected;
    std::vector<double> distance(x.rows);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        classes_[c]->distance(rows, distance, work, projected);
        for (std::size_t i = 0; i < x.rows; ++i) result(i, c) = static_cast<float>(-0.5 * distance[i]);
    }
    return result;
}

MemoryUse FeCam::memory() const {
    std::size_t statistics = 0, readout = 0;
    for (const auto& c : classes_) statistics += c->covariance.bytes(), readout += c->distance.bytes();
    return {{"statistics", statistics}, {"readout", readout}};
}

void FeCam::save_model(State& state) const {
    std::vector<std::int64_t> counts, rest;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const LowRankCovariance& kept = classes_[c]->covariance;
        const std::string key = "class" + std::to_string(c);
        state.set(key + ".mean", kept.mean);
        state.set(key + ".factor", kept.factor);
        counts.push_back(kept.count);
        rest.push_back(std::bit_cast<std::int64_t>(kept.rest));  // a double's exact value
    }
    state.set("counts", std::move(counts));
    state.set("rest", std::move(rest));
}

void FeCam::load_model(const State& state) {
    const std::vector<std::int64_t>&counts = state.integer("counts"), &rest = state.integer("rest");
    if (counts.size() != taught() || rest.size() != taught())
        throw Error("State: 'counts' and 'rest' have " + std::to_string(counts.size()) + " and " +
                    std::to_string(rest.size()) + " numbers but there are " + std::to_string(taught()) +
                    " classes");
    std::vector<std::shared_ptr<const Class>> classes;
    for (std::size_t c = 0; c < taught(); ++c) {
        const std::string key = "class" + std::to_string(c);
        LowRankCovariance kept;
        kept.count = counts[c];
        kept.rest = std::bit_cast<double>(rest[c]);
        kept.mean = state.matrix(key + ".mean", 1, width());
        kept.factor = state.matrix(key + ".factor");
        if (kept.factor.cols() != width() || kept.count < 1 || !(kept.rest >= 0) || !std::isfinite(kept.rest))
            throw Error("State: '" + key + "' has a factor of " + std::to_string(kept.factor.cols()) +
                        " features, " + std::to_string(kept.count) +
                        " rows or a rest that do not fit rows of " + std::to_string(width()));
        classes.push_back(make(std::move(kept)));
    }
    classes_ = std::move(classes);
}

}  // namespace fearnet
