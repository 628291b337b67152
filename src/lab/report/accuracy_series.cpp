#include "lab/report/accuracy_series.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace fearnet::lab {

std::vector<const RunRecord*> runs_to_show(const std::vector<RunRecord>& runs) {
    std::vector<const RunRecord*> finished, stopped;
    for (const RunRecord& run : runs) {
        if (run.sessions.empty()) continue;
        (run.finished ? finished : stopped).push_back(&run);
    }
    return finished.empty() ? stopped : finished;
}

Series collect(const std::vector<const RunRecord*>& runs,
               const std::function<std::optional<double>(const SessionRecord&)>& value) {
    std::map<std::size_t, std::vector<double>> by_session;
    for (const RunRecord* run : runs)
        for (const SessionRecord& s : run->sessions)
            if (const auto v = value(s)) by_session[s.session].push_back(*v);
    Series series;
    for (const auto& [session, values] : by_session) {
        if (values.size() < runs.size()) continue;
        series.session.push_back(session);
        series.mean.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size()));
        series.low.push_back(*std::min_element(values.begin(), values.end()));
        series.high.push_back(*std::max_element(values.begin(), values.end()));
    }
    return series;
}

Series running_mean(const Series& series, std::size_t width) {
    Series smooth = series;
    const std::size_t half = width / 2;
    for (std::size_t i = 0; i < series.mean.size(); ++i) {
        const std::size_t first = i < half ? 0 : i - half;
        const std::size_t end = std::min(series.mean.size(), i + half + 1);
        smooth.mean[i] = std::accumulate(series.mean.begin() + static_cast<std::ptrdiff_t>(first),
                                         series.mean.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                         static_cast<double>(end - first);
    }
    return smooth;
}

}  // namespace fearnet::lab
