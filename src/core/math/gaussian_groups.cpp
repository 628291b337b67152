#include "core/math/gaussian_groups.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/parallel.hpp"

namespace fearnet::math {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr std::size_t kSweeps = 10;

// The terms of the log-likelihood that depend on the number of rows alone, made once for each number.
class GroupModel {
  public:
    explicit GroupModel(std::span<const double> between) : between_(between) {}

    struct Size {
        double constant = 0;
        std::vector<double> weights;
    };
    // Not safe to call while another thread does; the references stay valid.
    const Size& of_size(double count) {
        Size& size = sizes_[count];
        if (size.weights.empty())
            for (const double b : between_) {
                size.constant -= 0.5 * std::log1p(count * b);
                size.weights.push_back(0.5 * b / (1 + count * b));
            }
        return size;
    }
    double likelihood(double count, const double* sums) {
        const Size& size = of_size(count);
        double result = size.constant;
        for (std::size_t j = 0; j < between_.size(); ++j) result += size.weights[j] * sums[j] * sums[j];
        return result;
    }
    static double of_union(const Size& size, const double* a, const double* b) {
        const double* weights = size.weights.data();
        double even = size.constant, odd = 0;
        std::size_t j = 0;
        for (; j + 1 < size.weights.size(); j += 2) {
            even += weights[j] * (a[j] + b[j]) * (a[j] + b[j]);
            odd += weights[j + 1] * (a[j + 1] + b[j + 1]) * (a[j + 1] + b[j + 1]);
        }
        if (j < size.weights.size()) even += weights[j] * (a[j] + b[j]) * (a[j] + b[j]);
        return even + odd;
    }

  private:
    std::span<const double> between_;
    std::map<double, Size> sizes_;
};

struct GroupSums {
    std::vector<double> counts, sums, likelihoods;  // `sums` has `width` numbers per group
    std::size_t width = 0;

    std::size_t size() const { return counts.size(); }
    double* row(std::size_t g) { return sums.data() + g * width; }
    const double* row(std::size_t g) const { return sums.data() + g * width; }
    void add(double count, const float* mean, GroupModel& model) {
        for (std::size_t j = 0; j < width; ++j) sums.push_back(count * static_cast<double>(mean[j]));
        counts.push_back(count);
        likelihoods.push_back(model.likelihood(count, sums.data() + sums.size() - width));
    }
};

// Merges the rows of x, which are the first groups; the known classes follow.
class Agglomeration {
  public:
    Agglomeration(GroupSums groups, std::size_t rows, GroupModel& model)
        : groups_(std::move(groups)), rows_(rows), model_(model), gains_(groups_.size(), groups_.size()) {
        const std::size_t n = groups_.size();
        alive_.assign(n, 1), into_.resize(n), best_.assign(n, kNever), partner_.assign(n, 0);
        for (std::size_t g = 0; g < n; ++g) into_[g] = g;
        sizes_.resize(n);
        find_sizes(1);
        parallel_range(rows_, 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t g = begin; g < end; ++g)
                for (std::size_t h = 0; h < n; ++h) gains_(g, h) = gain(g, h);
        });
        for (std::size_t g = rows_; g < n; ++g)
            for (std::size_t h = 0; h < n; ++h) gains_(g, h) = h < rows_ ? gains_(h, g) : kNever;
        for (std::size_t g = 0; g < n; ++g) find_best(g);
    }
    // The group that each row ended in: a row, or rows + k for known class k.
    std::vector<std::size_t> run() {
        while (true) {
            const auto at = std::max_element(best_.begin(), best_.end());
            if (!(*at > 0)) break;
            const auto g = static_cast<std::size_t>(at - best_.begin()), h = partner_[g];
            merge(g < rows_ && (h >= rows_ || h < g) ? h : g, g < rows_ && (h >= rows_ || h < g) ? g : h);
        }
        std::vector<std::size_t> result(rows_);
        for (std::size_t i = 0; i < rows_; ++i) {
            std::size_t g = i;
            while (into_[g] != g) g = into_[g];
            result[i] = g;
        }
        return result;
    }

  private:
    void find_sizes(double more) {
        for (std::size_t h = 0; h < groups_.size(); ++h)
            if (alive_[h]) sizes_[h] = &model_.of_size(groups_.counts[h] + more);
    }
    // After find_sizes(the rows of g).
    float gain(std::size_t g, std::size_t h) const {
        if (g == h || !alive_[h] || (g >= rows_ && h >= rows_)) return kNever;
        return static_cast<float>(GroupModel::of_union(*sizes_[h], groups_.row(g), groups_.row(h)) -
                                  groups_.likelihoods[g] - groups_.likelihoods[h]);
    }
    void find_best(std::size_t g) {
        const float* row = gains_.row(g);
        const float* at = std::max_element(row, row + gains_.cols());
        best_[g] = *at, partner_[g] = static_cast<std::size_t>(at - row);
    }
    // Adds group `from` to group `to`.
    void merge(std::size_t to, std::size_t from) {
        const std::size_t n = groups_.size();
        for (std::size_t j = 0; j < groups_.width; ++j) groups_.row(to)[j] += groups_.row(from)[j];
        groups_.counts[to] += groups_.counts[from];
        groups_.likelihoods[to] = model_.likelihood(groups_.counts[to], groups_.row(to));
        into_[from] = to, alive_[from] = 0, best_[from] = kNever;
        find_sizes(groups_.counts[to]);
        parallel_range(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t h = begin; h < end; ++h) {
                gains_(to, h) = gain(to, h);
                gains_(h, to) = gains_(to, h), gains_(h, from) = kNever;
            }
        });
        for (std::size_t h = 0; h < n; ++h) {
            if (!alive_[h]) continue;
            if (h == to || partner_[h] == to || partner_[h] == from)
                find_best(h);
            else if (gains_(h, to) > best_[h])
                best_[h] = gains_(h, to), partner_[h] = to;
        }
    }

    GroupSums groups_;
    std::size_t rows_;
    GroupModel& model_;
    Matrix gains_;
    std::vector<char> alive_;
    std::vector<std::size_t> into_, partner_;
    std::vector<float> best_;
    std::vector<const GroupModel::Size*> sizes_;
};

// Moves rows between groups while that raises the likelihood. `groups` are those of the rows, the known
// classes last; a row without a group yet has the number groups.size().
void move_rows(MatrixView x, GroupSums& groups, std::vector<std::size_t>& of_row, GroupModel& model) {
    const std::size_t none = groups.size();
    std::vector<double> row(x.cols), rest(x.cols);
    for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
        bool moved = false;
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < x.cols; ++j) row[j] = static_cast<double>(x(i, j));
            const std::size_t from = of_row[i];
            // Alone, unless another group is better with the row than without it.
            std::size_t best = from;
            double gain = model.likelihood(1, row.data());
            const double alone = gain;
            if (from != none && groups.counts[from] > 1) {
                for (std::size_t j = 0; j < x.cols; ++j) rest[j] = groups.row(from)[j] - row[j];
                gain = groups.likelihoods[from] - model.likelihood(groups.counts[from] - 1, rest.data());
            }
            for (std::size_t g = 0; g < groups.size(); ++g) {
                if (g == from || !(groups.counts[g] > 0)) continue;
                const double with =
                    GroupModel::of_union(model.of_size(groups.counts[g] + 1), row.data(), groups.row(g)) -
                    groups.likelihoods[g];
                constexpr double kClearly = 1e-9;
                if (with > gain + kClearly && with > alone) gain = with, best = g;
            }
            if (best == from) continue;
            moved = true;
            const auto change = [&](std::size_t g, double sign) {
                for (std::size_t j = 0; j < x.cols; ++j) groups.row(g)[j] += sign * row[j];
                groups.counts[g] += sign;
                groups.likelihoods[g] = model.likelihood(groups.counts[g], groups.row(g));
            };
            if (from != none) change(from, -1);
            change(best, 1);
            of_row[i] = best;
        }
        if (!moved) break;
    }
}

// Numbers the groups 0 .. groups - 1 from the largest; rows without a group get one each.
std::vector<std::ptrdiff_t> numbered(const std::vector<std::size_t>& of_row, std::size_t groups,
                                     std::size_t known) {
    struct Entry {
        std::size_t rows = 0, first = 0;
    };
    std::map<std::size_t, Entry> entries;
    std::vector<std::size_t> keys(of_row.size());
    for (std::size_t i = 0; i < of_row.size(); ++i) {
        keys[i] = of_row[i] < groups + known ? of_row[i] : groups + known + i;
        const auto [at, fresh] = entries.emplace(keys[i], Entry{0, i});
        ++at->second.rows;
    }
    std::vector<std::pair<std::size_t, Entry>> order;
    for (const auto& entry : entries)
        if (entry.first < groups || entry.first >= groups + known) order.push_back(entry);
    std::sort(order.begin(), order.end(), [](const auto& l, const auto& r) {
        return l.second.rows != r.second.rows ? l.second.rows > r.second.rows
                                              : l.second.first < r.second.first;
    });
    std::map<std::size_t, std::ptrdiff_t> numbers;
    for (const auto& [key, entry] : order) numbers.emplace(key, static_cast<std::ptrdiff_t>(numbers.size()));
    std::vector<std::ptrdiff_t> result;
    for (const std::size_t key : keys)
        result.push_back(key >= groups && key < groups + known
                             ? -1 - static_cast<std::ptrdiff_t>(key - groups)
                             : numbers.at(key));
    return result;
}

}  // namespace

double log_likelihood_of_group(double count, std::span<const double> sums, std::span<const double> between) {
    return GroupModel(between).likelihood(count, sums.data());
}

std::vector<std::ptrdiff_t> gaussian_groups(MatrixView x, std::span<const double> between,
                                            const KnownClasses& known, std::size_t most_merged) {
    assert(x.rows == 0 || x.cols == between.size());
    if (x.rows == 0) return {};
    GroupModel model(between);
    // The rows to merge: all, or evenly spaced ones.
    const std::size_t merged = std::min(x.rows, std::max<std::size_t>(most_merged, 1));
    std::vector<std::size_t> which(merged);
    GroupSums start;
    start.width = x.cols;
    for (std::size_t i = 0; i < merged; ++i) {
        which[i] = i * x.rows / merged;
        start.add(1, x.row(which[i]), model);
    }
    const std::size_t classes = known.counts.size();
    for (std::size_t c = 0; c < classes; ++c) start.add(known.counts[c], known.means.row(c), model);
    const std::vector<std::size_t> ended = Agglomeration(std::move(start), merged, model).run();

    // The groups without the gaps that merging left, then the known classes.
    std::map<std::size_t, std::size_t> kept;
    for (const std::size_t g : ended)
        if (g < merged) kept.emplace(g, kept.size());
    const std::size_t groups = kept.size();
    std::vector<std::size_t> of_row(x.rows, groups + classes);
    GroupSums sums;
    sums.width = x.cols;
    sums.sums.resize(groups * x.cols), sums.counts.resize(groups), sums.likelihoods.resize(groups);
    for (std::size_t c = 0; c < classes; ++c) sums.add(known.counts[c], known.means.row(c), model);
    for (std::size_t i = 0; i < merged; ++i) {
        const std::size_t g = ended[i] < merged ? kept.at(ended[i]) : groups + (ended[i] - merged);
        of_row[which[i]] = g;
        for (std::size_t j = 0; j < x.cols; ++j) sums.row(g)[j] += static_cast<double>(x(which[i], j));
        ++sums.counts[g];
    }
    for (std::size_t g = 0; g < sums.size(); ++g)
        sums.likelihoods[g] = model.likelihood(sums.counts[g], sums.row(g));
    move_rows(x, sums, of_row, model);
    return numbered(of_row, groups, classes);
}

}  // namespace fearnet::math
