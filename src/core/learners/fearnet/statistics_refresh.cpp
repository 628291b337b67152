#include "core/learners/fearnet/statistics_refresh.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/learners/fearnet/memory_budget.hpp"

namespace fearnet {

StatisticsRefresh::StatisticsRefresh(const PrefrontalCortex& before, const Hippocampus& recent,
                                     const std::vector<std::size_t>& column_of_recent, std::size_t classes,
                                     Replay& replay, const FearNetOptions& options,
                                     const nn::Network& network)
    : before_(before), rows_(classes, nullptr), replay_(replay) {
    for (std::size_t k = 0; k < column_of_recent.size(); ++k)
        rows_[column_of_recent[k]] = &recent.contents()[k].rows;
    samples_ = options.statistics.refresh_samples > 0
                   ? static_cast<std::size_t>(options.statistics.refresh_samples)
                   : replay.pseudo_per_class();
    StatisticsSize size{network.bytes(), network.code_size(), network.inputs(), {}};
    for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t old = is_old(c) ? samples_ : 0, fresh = rows_[c] ? rows_[c]->rows() : 0;
        size.rows.push_back(old + fresh + (old > 0 && fresh > 0));  // merging adds a direction
    }
    options_ = statistics_within_budget(options, size);
}

double StatisticsRefresh::estimate(const nn::Network& network, const TimeLimit& limit) {
    const double start = limit.now();
    prepare(0, 1, network);
    finish(0);
    return (limit.now() - start) * static_cast<double>(rows_.size());
}

std::vector<ClassStatistics> StatisticsRefresh::run(const nn::Network& network, const Progress& progress) {
    // A few classes at a time: their eigen decompositions, which take longest, run side by side.
    constexpr std::size_t kAtOnce = 8;
    std::vector<ClassStatistics> statistics(rows_.size());
    for (std::size_t first = 0; first < rows_.size(); first += kAtOnce) {
        const std::size_t n = std::min(kAtOnce, rows_.size() - first);
        prepare(first, n, network);
        parallel_blocks(n, n, [&](std::size_t i, std::size_t, std::size_t) {
            statistics[first + i] = finish(first + i);
        });
        report(progress, {"statistics", first + n, rows_.size(), 0}, "sleep");
    }
    return statistics;
}

StatisticsRefresh::Source StatisticsRefresh::remembered(std::size_t column, const nn::Network& network) {
    Matrix codes, residual, rows, decoded;
    replay_.pseudo_examples(column, samples_, rows);
    network.encode(rows, codes);
    network.decode(codes, decoded);
    if (options_.refresh == Refresh::reencode) return {std::move(codes), mean_difference(rows, decoded)};
    // The sampled codes are what the class was; an encoder that had not moved would leave them where they
    // are, where re-encoding would shrink them a little in every sleep.
    Matrix old_codes, old_decoded;
    before_.network().encode(rows, old_codes);
    before_.network().decode(old_codes, old_decoded);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes.data()[i] += replay_.drawn_codes().data()[i] - old_codes.data()[i];
    residual = mean_difference(old_decoded, decoded);
    const Matrix& old = before_.statistics()[column].residual;
    for (std::size_t j = 0; j < old.cols(); ++j) residual(0, j) += old(0, j);
    return {std::move(codes), std::move(residual)};
}

StatisticsRefresh::Source StatisticsRefresh::stored(const Matrix& rows, const nn::Network& network) {
    Matrix codes, decoded;
    network.encode(rows, codes);
    network.decode(codes, decoded);
    Matrix residual = mean_difference(rows, decoded);
    return {std::move(codes), std::move(residual)};
}

void StatisticsRefresh::prepare(std::size_t first, std::size_t count, const nn::Network& network) {
    first_ = first;
    old_.resize(count), fresh_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t c = first + i;
        if (is_old(c)) old_[i] = remembered(c, network);
        if (rows_[c]) fresh_[i] = stored(*rows_[c], network);
    }
}

ClassStatistics StatisticsRefresh::finish(std::size_t column) {
    Source &old = old_[column - first_], &fresh = fresh_[column - first_];
    ClassStatistics added;
    if (rows_[column]) added = class_statistics(fresh.codes, std::move(fresh.residual), options_);
    if (!is_old(column)) return added;
    ClassStatistics kept = class_statistics(old.codes, std::move(old.residual), options_);
    kept.examples = before_.statistics()[column].examples;
    return rows_[column] ? merge(kept, added, options_) : kept;
}

}  // namespace fearnet
