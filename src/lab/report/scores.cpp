#include "lab/report/scores.hpp"

#include <cmath>

namespace fearnet::lab {

std::vector<Column<ResultRun>> score_columns() {
    std::vector<Column<ResultRun>> scores = run_columns();
    std::erase_if(scores, [](const auto& c) {
        return c.optional || (c.unit != Unit::score && c.unit != Unit::accuracy);
    });
    return scores;
}

Statistics statistics(const std::vector<RunRecord>& runs, const Column<ResultRun>& column) {
    std::vector<double> values;
    for (const RunRecord& run : runs)
        if (const auto value = column.get(run); run.finished && value) values.push_back(*value);
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
