#include "fearnet/lab/omega.hpp"

#include <map>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet::lab {
namespace {

void check_above_zero(double offline, const char* which, std::size_t session) {
    if (!(offline > 0))
        throw Error("omega: the offline accuracy (" + std::string(which) + ") for session " +
                    std::to_string(session + 1) + " is " + std::to_string(offline) + "; must be above zero");
}

}  // namespace

OmegaScores omega(std::span<const SessionAccuracy> sessions, double offline_accuracy) {
    const std::vector<SessionAccuracy> constant(sessions.size(), {offline_accuracy, 1, offline_accuracy});
    return omega(sessions, constant);
}

OmegaScores omega(std::span<const SessionAccuracy> sessions, std::span<const SessionAccuracy> offline) {
    if (sessions.empty()) throw Error("omega: no session after the base session");
    if (sessions.size() != offline.size())
        throw Error("omega: " + std::to_string(sessions.size()) + " sessions but " +
                    std::to_string(offline.size()) + " offline accuracies");
    OmegaScores sum;
    for (std::size_t t = 0; t < sessions.size(); ++t) {
        check_above_zero(offline[t].base, "base", t);
        check_above_zero(offline[t].all, "all", t);
        sum.omega_base += sessions[t].base / offline[t].base;
        sum.omega_new += sessions[t].recent;
        sum.omega_all += sessions[t].all / offline[t].all;
    }
    const auto n = static_cast<double>(sessions.size());
    return {sum.omega_base / n, sum.omega_new / n, sum.omega_all / n};
}

double mean_class_accuracy(std::span<const ClassId> predicted, std::span<const ClassId> truth) {
    if (predicted.size() != truth.size())
        throw Error("mean_class_accuracy: " + std::to_string(predicted.size()) + " predictions but " +
                    std::to_string(truth.size()) + " labels");
    if (truth.empty()) throw Error("mean_class_accuracy: no rows");
    struct Count {
        std::size_t right = 0;
        std::size_t rows = 0;
    };
    std::map<ClassId, Count> counts;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        Count& count = counts[truth[i]];
        ++count.rows;
        if (predicted[i] == truth[i]) ++count.right;
    }
    double sum = 0;
    for (const auto& [id, count] : counts)
        sum += static_cast<double>(count.right) / static_cast<double>(count.rows);
    return sum / static_cast<double>(counts.size());
}

}  // namespace fearnet::lab
