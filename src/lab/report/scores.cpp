#include "lab/report/scores.hpp"

#include <cmath>

namespace fearnet::lab {
namespace {

// NaN stands for a score that is not defined.
std::optional<double> if_defined(double value) {
    if (std::isnan(value)) return std::nullopt;
    return value;
}

// Omega needs a session after the base session.
template <double OmegaScores::*field, OmegaScores RunRecord::*scores>
std::optional<double> omega_of(const RunRecord& run) {
    if (run.sessions.size() < 2) return std::nullopt;
    return if_defined(run.*scores.*field);
}

template <double OmegaScores::*field>
std::optional<double> oracle_of(const RunRecord& run) {
    if (!run.omega_oracle) return std::nullopt;
    return if_defined(*run.omega_oracle.*field);
}

std::optional<double> offline_of(const RunRecord& run) {
    if (run.sessions.empty()) return std::nullopt;
    return run.offline_accuracy;
}

std::optional<double> final_of(const RunRecord& run) {
    if (run.sessions.empty()) return std::nullopt;
    return run.final_accuracy;
}

}  // namespace

const std::vector<Score>& all_scores() {
    static const std::vector<Score> kScores{
        {"omega_base", omega_of<&OmegaScores::omega_base, &RunRecord::omega>},
        {"omega_new", omega_of<&OmegaScores::omega_new, &RunRecord::omega>},
        {"omega_all", omega_of<&OmegaScores::omega_all, &RunRecord::omega>},
        {"omega_restricted_base", omega_of<&OmegaScores::omega_base, &RunRecord::omega_restricted>},
        {"omega_restricted_new", omega_of<&OmegaScores::omega_new, &RunRecord::omega_restricted>},
        {"omega_restricted_all", omega_of<&OmegaScores::omega_all, &RunRecord::omega_restricted>},
        {"oracle_omega_base", oracle_of<&OmegaScores::omega_base>},
        {"oracle_omega_new", oracle_of<&OmegaScores::omega_new>},
        {"oracle_omega_all", oracle_of<&OmegaScores::omega_all>},
        {"offline_accuracy", offline_of},
        {"final_accuracy", final_of},
    };
    return kScores;
}

Statistics statistics(const std::vector<RunRecord>& runs, const Score& score) {
    std::vector<double> values;
    for (const RunRecord& run : runs)
        if (const auto value = score.of(run); run.finished && value) values.push_back(*value);
    return statistics(values);
}

Statistics statistics(const std::vector<double>& values) {
    if (values.empty()) return {};
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    const double n = static_cast<double>(values.size()), mean = sum / n;
    for (const double v : values) squares += (v - mean) * (v - mean);
    if (values.size() < 2) return {mean, std::nullopt};
    return {mean, std::sqrt(squares / (n - 1))};
}

}  // namespace fearnet::lab
