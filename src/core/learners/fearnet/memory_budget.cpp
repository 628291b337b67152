#include "core/learners/fearnet/memory_budget.hpp"

#include <algorithm>
#include <string>

#include "core/learners/fearnet/training.hpp"

namespace fearnet {
namespace {

// One direction has as many bytes as a diagonal covariance. Fewer than kMinRank directions describe a class
// less well than a diagonal covariance.
constexpr std::size_t kMinRank = 4;

std::size_t rank_limit(const StatisticsOptions& form, const StatisticsSize& size, std::size_t rows) {
    if (form.covariance == Covariance::diagonal) return 1;
    const std::size_t rank = std::min(rows, size.code_size);
    return form.max_rank > 0 ? std::min(rank, static_cast<std::size_t>(form.max_rank)) : rank;
}

// The permitted forms from large to small; the first is that of the options.
std::vector<StatisticsOptions> forms(const StatisticsOptions& options, const StatisticsSize& size) {
    std::vector<StatisticsOptions> result{options};
    StatisticsOptions form = options;
    if (form.covariance == Covariance::full) {
        std::size_t rank = 0;
        for (std::size_t rows : size.rows) rank = std::max(rank, rank_limit(form, size, rows));
        while (rank-- > kMinRank) {
            form.max_rank = static_cast<std::int64_t>(rank);
            result.push_back(form);
        }
        form = options;
        form.covariance = Covariance::diagonal;
        result.push_back(form);
    }
    form.mean_residual = false;
    result.push_back(form);
    return result;
}

}  // namespace

std::size_t statistics_bytes(const StatisticsOptions& form, const StatisticsSize& size) {
    std::size_t floats = 0;
    for (std::size_t rows : size.rows)
        floats +=
            (1 + rank_limit(form, size, rows)) * size.code_size + (form.mean_residual ? size.inputs : 0);
    return floats * sizeof(float);
}

StatisticsOptions statistics_within_budget(const FearNetOptions& options, const StatisticsSize& size) {
    const std::size_t budget = static_cast<std::size_t>(options.memory.budget);
    if (budget == 0) return options.statistics;
    const std::size_t taken = size.networks + expected_router_bytes(options, size.inputs);
    const double free = budget > taken ? static_cast<double>(budget - taken) : 0;
    const double allowed = free * (1 - options.memory.recent_share);
    const std::vector<StatisticsOptions> all = forms(options.statistics, size);
    for (const StatisticsOptions& form : all)
        if (static_cast<double>(statistics_bytes(form, size)) <= allowed) return form;
    // The smallest form fits, but leaves less than memory.recent_share to recent examples.
    const std::size_t least = statistics_bytes(all.back(), size);
    if (size.networks + least <= budget) return all.back();
    throw Error("fearnet: memory.budget is " + std::to_string(budget) + " bytes but the networks take " +
                std::to_string(size.networks) + " and the least statistics of " +
                std::to_string(size.rows.size()) + " classes " + std::to_string(least) +
                "; raise memory.budget or use a smaller network.hidden");
}

std::size_t expected_router_bytes(const FearNetOptions& options, std::size_t inputs) {
    if (options.amygdala.kind != RouterKind::mlp) return 0;
    const bool codes = options.amygdala.input == RouterInput::codes;
    const std::size_t seen = codes ? static_cast<std::size_t>(options.network.hidden.back()) : inputs;
    return nn::bytes_of(network_shape(options, seen, 1, false));
}

void require_within_budget(std::size_t bytes, const FearNetOptions& options, bool can_sleep) {
    const std::size_t budget = static_cast<std::size_t>(options.memory.budget);
    if (budget == 0 || bytes <= budget) return;
    throw Error(
        "fearnet::learn: " + std::to_string(bytes) + " bytes would be kept but memory.budget is " +
        std::to_string(budget) +
        (can_sleep ? "; sleep first, or raise it" : "; raise it, or teach fewer rows before a sleep"));
}

}  // namespace fearnet
