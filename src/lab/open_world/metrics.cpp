#include <algorithm>
#include <cassert>
#include <cmath>

#include "fearnet/lab/open_world.hpp"

namespace fearnet::lab {
namespace {

// The set of confidence 90 % has the classes above this p-value.
constexpr float kSetThreshold = 0.1f;

// Mean of `value` over the sessions that have it.
template <class Value>
double mean_of(std::span<const OpenWorldRecord> sessions, const Value& value) {
    double sum = 0;
    std::size_t count = 0;
    for (const OpenWorldRecord& session : sessions)
        if (const double v = value(session); !std::isnan(v)) sum += v, ++count;
    return count == 0 ? kNotMeasured : sum / static_cast<double>(count);
}

template <class Value>
double largest_deviation(std::span<const OpenWorldRecord> sessions, double nominal, const Value& value) {
    double largest = kNotMeasured;
    for (const OpenWorldRecord& session : sessions)
        if (const double v = value(session); !std::isnan(v))
            largest = std::fmax(largest, std::abs(v - nominal));
    return largest;
}

}  // namespace

double auroc(std::span<const double> known, std::span<const double> unknown) {
    if (known.empty() || unknown.empty()) return kNotMeasured;
    std::vector<double> sorted(unknown.begin(), unknown.end());
    std::sort(sorted.begin(), sorted.end());
    double pairs = 0;
    for (const double score : known) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
        pairs += static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
    }
    return pairs / (static_cast<double>(known.size()) * static_cast<double>(unknown.size()));
}

double false_positive_rate(std::span<const double> known, std::span<const double> unknown, double recall) {
    if (known.empty() || unknown.empty()) return kNotMeasured;
    std::vector<double> sorted(known.begin(), known.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    // The tolerance keeps 0.95 * 20 = 19.000000000000004 from asking for the 20th.
    const double wanted = std::ceil(recall * static_cast<double>(known.size()) - 1e-9);
    const auto accepted = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, known.size());
    return share_at_least(unknown, sorted[accepted - 1]);
}

double share_at_least(std::span<const double> values, double threshold) {
    if (values.empty()) return kNotMeasured;
    const auto count = std::count_if(values.begin(), values.end(), [&](double v) { return v >= threshold; });
    return static_cast<double>(count) / static_cast<double>(values.size());
}

std::vector<ReliabilityBin> reliability_bins(std::span<const double> confidence,
                                             const std::vector<bool>& right, std::size_t bins) {
    assert(confidence.size() == right.size() && bins > 0);
    std::vector<ReliabilityBin> result(bins);
    for (std::size_t i = 0; i < confidence.size(); ++i) {
        const double last = static_cast<double>(bins - 1);
        const double place = std::ceil(confidence[i] * static_cast<double>(bins)) - 1;
        ReliabilityBin& bin = result[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
        bin.confidence += confidence[i], bin.accuracy += right[i] ? 1 : 0, bin.share += 1;
    }
    for (ReliabilityBin& bin : result) {
        if (bin.share == 0) continue;
        bin.confidence /= bin.share, bin.accuracy /= bin.share;
        bin.share /= static_cast<double>(confidence.size());
    }
    return result;
}

double calibration_error(std::span<const ReliabilityBin> bins) {
    double error = 0, share = 0;
    for (const ReliabilityBin& bin : bins)
        error += bin.share * std::abs(bin.confidence - bin.accuracy), share += bin.share;
    return share > 0 ? error : kNotMeasured;
}

void cover_by_sets(MatrixView p_values, std::span<const ClassId> classes, std::span<const ClassId> truth,
                   Coverage& coverage) {
    assert(p_values.rows == truth.size() && p_values.cols == classes.size());
    if (p_values.rows == 0) return;
    std::size_t covered = 0, members = 0, empty = 0;
    for (std::size_t i = 0; i < p_values.rows; ++i) {
        std::size_t size = 0;
        for (std::size_t c = 0; c < p_values.cols; ++c) {
            if (!(p_values(i, c) > kSetThreshold)) continue;
            ++size;
            if (classes[c] == truth[i]) ++covered;
        }
        members += size;
        if (size == 0) ++empty;
    }
    const auto rows = static_cast<double>(p_values.rows);
    coverage.set_90 = static_cast<double>(covered) / rows;
    coverage.set_size = static_cast<double>(members) / rows;
    coverage.set_empty = static_cast<double>(empty) / rows;
}

OpenWorldSummary summarize_open_world(std::span<const OpenWorldRecord> sessions) {
    OpenWorldSummary summary;
    for (std::size_t d = 0; d < kDetectors; ++d)
        for (const auto field : {&Detection::auroc, &Detection::fpr95, &Detection::auroc_noise,
                                 &Detection::auroc_uniform, &Detection::auroc_far_data})
            summary.detection[d].*field =
                mean_of(sessions, [&](const OpenWorldRecord& s) { return s.detection[d].*field; });
    for (const auto field : {&Coverage::familiar_95, &Coverage::familiar_99, &Coverage::set_90,
                             &Coverage::set_size, &Coverage::set_empty})
        summary.coverage.*field =
            mean_of(sessions, [&](const OpenWorldRecord& s) { return s.coverage.*field; });
    for (const auto& [field, nominal] :
         {std::pair{&Coverage::familiar_95, 0.95}, {&Coverage::familiar_99, 0.99}, {&Coverage::set_90, 0.9}})
        summary.deviation.*field = largest_deviation(
            sessions, nominal, [&f = field](const OpenWorldRecord& s) { return s.coverage.*f; });
    summary.calibration_error =
        mean_of(sessions, [](const OpenWorldRecord& s) { return s.calibration_error; });
    if (!sessions.empty()) summary.reliability = sessions.back().reliability;
    return summary;
}

}  // namespace fearnet::lab
