#include "report/scores.hpp"

#include <cmath>

namespace fearnet {
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
    double sum = 0, squares = 0;
    std::size_t n = 0;
    for (const RunRecord& run : runs)
        if (const auto value = score.of(run); run.finished && value) sum += *value, ++n;
    if (n == 0) return {};
    const double mean = sum / static_cast<double>(n);
    for (const RunRecord& run : runs)
        if (const auto value = score.of(run); run.finished && value)
            squares += (*value - mean) * (*value - mean);
    if (n < 2) return {mean, std::nullopt};
    return {mean, std::sqrt(squares / static_cast<double>(n - 1))};
}

}  // namespace fearnet
