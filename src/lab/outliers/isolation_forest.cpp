#include "lab/outliers/isolation_forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/parallel.hpp"

namespace fearnet::lab {

// Children are found by 32-bit numbers.
constexpr std::size_t kMaxNodes = 0x7fffffff;

double IsolationForest::average_path(std::size_t n) {
    constexpr double kEuler = 0.577215664901532860606512;
    if (n <= 1) return 0;
    if (n == 2) return 1;
    const double m = static_cast<double>(n);
    return 2 * (std::log(m - 1) + kEuler) - 2 * (m - 1) / m;
}

// Grows one tree behind those there are.
struct IsolationForest::Grower {
    MatrixView rows;
    std::vector<Node>& nodes;
    Rng rng;
    std::size_t max_depth;
    std::vector<std::size_t> features = {};  // in an order that choose_split shuffles as far as it looks

    struct Split {
        std::int32_t feature = -1;
        float threshold = 0;
    };
    // A random feature among those that vary over `members`, and a random place between its ends; none when
    // all members are equal.
    Split choose_split(std::span<const std::size_t> members) {
        for (std::size_t tried = 0; tried < features.size(); ++tried) {
            std::swap(features[tried], features[tried + rng.below(features.size() - tried)]);
            const std::size_t f = features[tried];
            float low = rows(members[0], f), high = low;
            for (std::size_t m : members) {
                low = std::min(low, rows(m, f));
                high = std::max(high, rows(m, f));
            }
            if (!(low < high)) continue;
            const double place = rng.uniform();
            float threshold = static_cast<float>(
                static_cast<double>(low) + place * (static_cast<double>(high) - static_cast<double>(low)));
            if (!(threshold < high)) threshold = low;  // rounding must not send everything to the left
            return {static_cast<std::int32_t>(f), threshold};
        }
        return {};
    }

    void grow(std::size_t node, std::span<std::size_t> members, std::size_t depth) {
        const Split split = depth < max_depth && members.size() > 1 ? choose_split(members) : Split{};
        if (split.feature < 0) {
            const double path = static_cast<double>(depth) + average_path(members.size());
            nodes[node] = {-1, 0, static_cast<float>(path)};
            return;
        }
        const auto middle = std::partition(members.begin(), members.end(), [&](std::size_t m) {
            return rows(m, static_cast<std::size_t>(split.feature)) <= split.threshold;
        });
        const std::size_t left = nodes.size(), count = static_cast<std::size_t>(middle - members.begin());
        nodes[node] = {split.feature, static_cast<std::int32_t>(left), split.threshold};
        nodes.resize(left + 2);
        grow(left, members.first(count), depth + 1);
        grow(left + 1, members.subspan(count), depth + 1);
    }
};

IsolationForest IsolationForest::fit(MatrixView rows, const IsolationForestOptions& options, Rng rng,
                                     const Progress& progress) {
    IsolationForest forest;
    const std::size_t subsample = std::min(options.subsample, rows.rows);
    if (options.trees > kMaxNodes / (2 * subsample))
        throw Error("FearNet::learn: an isolation forest of " + std::to_string(options.trees) + " trees on " +
                    std::to_string(subsample) +
                    " rows each is too large; lower amygdala.trees or amygdala.subsample");
    forest.width_ = rows.cols;
    forest.subsample_ = subsample;
    Grower grower{rows, forest.nodes_, rng, 0};
    for (std::size_t reach = 1; reach < std::max<std::size_t>(subsample, 2); reach *= 2) ++grower.max_depth;
    grower.features.resize(rows.cols);
    std::iota(grower.features.begin(), grower.features.end(), std::size_t{0});
    std::vector<std::size_t> order(rows.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t tree = 0; tree < options.trees; ++tree) {
        for (std::size_t i = 0; i < subsample; ++i)
            std::swap(order[i], order[i + grower.rng.below(order.size() - i)]);
        forest.roots_.push_back(static_cast<std::int32_t>(forest.nodes_.size()));
        forest.nodes_.emplace_back();
        std::vector<std::size_t> members(order.begin(),
                                         order.begin() + static_cast<std::ptrdiff_t>(subsample));
        grower.grow(forest.nodes_.size() - 1, members, 0);
        report(progress, {"router", tree + 1, options.trees, 0}, "learn");
    }
    std::vector<double> fitting = forest.scores(rows);
    forest.threshold_ = float_above(quantile(std::move(fitting), 1 - options.contamination));
    return forest;
}

std::vector<double> IsolationForest::scores(MatrixView rows) const {
    std::vector<double> result(rows.rows);
    const double normal_path = average_path(subsample_);
    parallel_range(rows.rows, 16, [&](std::size_t begin, std::size_t end) {
        // Tree by tree, so that a tree is in the cache while all rows pass.
        for (const std::int32_t root : roots_)
            for (std::size_t i = begin; i < end; ++i) {
                const Node* node = &nodes_[static_cast<std::size_t>(root)];
                while (node->feature >= 0)
                    node = &nodes_[static_cast<std::size_t>(
                        node->left + (rows(i, static_cast<std::size_t>(node->feature)) > node->value))];
                result[i] += static_cast<double>(node->value);
            }
        for (std::size_t i = begin; i < end; ++i) {
            const double path = result[i] / static_cast<double>(roots_.size());
            // A tree of one row separates nothing: every row is as usual as any other.
            result[i] = normal_path > 0 ? std::exp2(-path / normal_path) : 0.5;
        }
    });
    return result;
}

std::vector<double> IsolationForest::decision(MatrixView rows) const {
    std::vector<double> result = scores(rows);
    for (double& v : result) v = static_cast<double>(threshold_) - v;
    return result;
}

std::size_t IsolationForest::bytes() const {
    return nodes_.size() * sizeof(Node) + roots_.size() * sizeof(std::int32_t);
}

void IsolationForest::save(State& state, const std::string& prefix) const {
    std::vector<std::int64_t> links;
    Matrix values(1, nodes_.size() + 1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        links.push_back(nodes_[i].feature);
        links.push_back(nodes_[i].left);
        values(0, i) = nodes_[i].value;
    }
    values(0, nodes_.size()) = threshold_;
    state.set(prefix + ".nodes", std::move(links));
    state.set(prefix + ".values", std::move(values), ArrayKind::networks);
    state.set(prefix + ".roots", std::vector<std::int64_t>(roots_.begin(), roots_.end()));
    state.set(prefix + ".sizes", std::vector<std::int64_t>{static_cast<std::int64_t>(width_),
                                                           static_cast<std::int64_t>(subsample_)});
}

IsolationForest IsolationForest::load(const State& state, const std::string& prefix) {
    const auto& sizes = state.integer(prefix + ".sizes");
    const auto& links = state.integer(prefix + ".nodes");
    const auto& roots = state.integer(prefix + ".roots");
    const std::int64_t count = static_cast<std::int64_t>(links.size() / 2);
    const auto damaged = [&](const char* what) {
        return Error("State: '" + prefix + "' is not an isolation forest: " + what);
    };
    if (sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1) throw damaged("its sizes");
    if (links.empty() || links.size() % 2 || roots.empty()) throw damaged("its trees");
    const Matrix& values = state.matrix(prefix + ".values", 1, static_cast<std::size_t>(count) + 1);
    IsolationForest forest;
    forest.width_ = static_cast<std::size_t>(sizes[0]);
    forest.subsample_ = static_cast<std::size_t>(sizes[1]);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t feature = links[static_cast<std::size_t>(2 * i)];
        const std::int64_t left = links[static_cast<std::size_t>(2 * i + 1)];
        // Children behind their parent: every walk ends.
        if (feature >= sizes[0] || (feature >= 0 && (left <= i || left + 1 >= count)))
            throw damaged("a node");
        forest.nodes_.push_back({static_cast<std::int32_t>(feature < 0 ? -1 : feature),
                                 static_cast<std::int32_t>(feature < 0 ? 0 : left),
                                 values(0, static_cast<std::size_t>(i))});
    }
    for (const std::int64_t root : roots) {
        if (root < 0 || root >= count) throw damaged("a root");
        forest.roots_.push_back(static_cast<std::int32_t>(root));
    }
    forest.threshold_ = values(0, static_cast<std::size_t>(count));
    return forest;
}

}  // namespace fearnet::lab
