// Brain::discover: groups of rows that are of no taught class.
#include <cmath>
#include <map>

#include "core/base/gather_rows.hpp"
#include "core/brain/brain_parts.hpp"
#include "core/brain/class_space.hpp"
#include "core/math/distances.hpp"
#include "core/math/gaussian_groups.hpp"

namespace fearnet {
namespace {

void check(const DiscoverOptions& options) {
    if (!(options.below >= 0) || !(options.below <= 1))
        throw Error("Brain::discover: options.below is " + std::to_string(options.below) +
                    "; it must be from 0 to 1");
    if (options.min_rows == 0) throw Error("Brain::discover: options.min_rows is 0; it must be at least 1");
}

// The mean of the group and, along every direction, the mean square distance from it.
DiscoveredGroup described(std::vector<std::size_t> members, const ClassSpace& space, std::size_t& nearest) {
    const std::size_t width = space.rows.cols();
    std::vector<float> mean(width);
    for (std::size_t j = 0; j < width; ++j) {
        double sum = 0;
        for (const std::size_t i : members) sum += static_cast<double>(space.rows(i, j));
        mean[j] = static_cast<float>(sum / static_cast<double>(members.size()));
    }
    double squares = 0;
    for (const std::size_t i : members)
        squares += static_cast<double>(math::squared_distance(space.rows.row(i), mean.data(), width));
    const double freedom = static_cast<double>(members.size() - 1) * static_cast<double>(width);
    float least = 0;
    for (std::size_t c = 0; c < space.means.rows(); ++c) {
        const float distance = math::squared_distance(space.means.row(c), mean.data(), width);
        if (c == 0 || distance < least) least = distance, nearest = c;
    }
    return {std::move(members), freedom > 0 ? std::sqrt(squares / freedom) : 0, ""};
}

}  // namespace

std::vector<DiscoveredGroup> Brain::discover(MatrixView x, const DiscoverOptions& options) const {
    check(options);
    const Parts& p = *parts_;
    std::vector<std::size_t> strange;  // rows of x
    const std::size_t most = rows_at_once();
    for (std::size_t first = 0; first == 0 || first < x.rows; first += most) {
        const Matrix rows = p.question(x.slice(first, std::min(most, x.rows - first)), "discover", first);
        if (rows.empty()) return {};
        if (first == 0) require_whitened(p.learner->whitened(rows.view().slice(0, 1)), *p.learner, "discover");
        const std::vector<double> familiarity = p.learner->familiarity(rows);
        for (std::size_t i = 0; i < familiarity.size(); ++i)
            if (familiarity[i] < options.below) strange.push_back(first + i);
    }
    if (strange.empty()) return {};
    Matrix rows;
    gather_rows(x, strange, rows);
    rows = p.prepared(rows, "discover");
    const ClassSpace space = class_space(*p.learner, rows, "discover");
    std::vector<double> counts;
    for (const NamedClass& c : p.content.classes)
        counts.push_back(static_cast<double>(std::max<std::int64_t>(1, c.examples)));
    const std::vector<std::ptrdiff_t> groups =
        math::gaussian_groups(space.rows, space.between, {space.means, counts});
    std::map<std::ptrdiff_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] >= 0) members[groups[i]].push_back(i);
    std::vector<DiscoveredGroup> result;
    const std::vector<ClassId> ids = p.learner->classes();
    for (auto& [number, of_group] : members) {
        if (of_group.size() < options.min_rows) continue;
        std::size_t nearest = 0;
        DiscoveredGroup group = described(std::move(of_group), space, nearest);
        for (std::size_t& i : group.rows) i = strange[i];
        group.nearest = p.name_of(ids[nearest]);
        result.push_back(std::move(group));
    }
    return result;
}

}  // namespace fearnet
