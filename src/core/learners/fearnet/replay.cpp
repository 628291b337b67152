#include "core/learners/fearnet/replay.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/base/parallel.hpp"

namespace fearnet {
namespace {

// Pseudo-examples whose codes are drawn at once.
constexpr std::size_t kAhead = 4096;

}  // namespace

Replay::Replay(const Hippocampus& recent, const PrefrontalCortex& consolidated, const ReplayOptions& options,
               Rng rng)
    : consolidated_(consolidated), options_(options), rng_(rng) {
    assert(!recent.empty() && !consolidated.empty());
    real_ = recent.size();
    const std::size_t classes = recent.contents().size();
    const std::size_t mean = (real_ + classes - 1) / classes;  // ceil(m)
    per_class_ = std::max(mean, options.min_pseudo_examples);
    repeats_ = (per_class_ + mean - 1) / mean;  // keeps new and old classes in balance
    for (std::size_t c = 0; c < consolidated.classes().size(); ++c)
        if (!options.only_old || !recent.holds(consolidated.classes()[c])) drawn_columns_.push_back(c);
    if (options.borrow_residuals) residuals_.resize(0, recent.contents().front().rows.cols());
    Matrix codes;
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        starts_.push_back(starts_.empty() ? 0 : starts_.back() + blocks_.back().rows);
        blocks_.push_back(c.rows);
        if (!options.codes && !options.borrow_residuals) continue;
        consolidated.network().encode(c.rows, codes);
        if (options.borrow_residuals) keep_residuals(c.rows, codes);
        if (options.codes) recent_codes_.push_back(codes);
    }
    for (std::size_t i = 0; i < recent_codes_.size(); ++i) blocks_[i] = recent_codes_[i];
}

std::size_t Replay::width() const {
    return blocks_.front().cols;
}

// Drawn class by class, so that each covariance is read once.
void Replay::draw(const Drawn& drawn, MutableMatrixView codes) const {
    std::vector<std::size_t> order(drawn.columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return drawn.columns[a] < drawn.columns[b]; });
    std::vector<std::uint64_t> seeds;
    std::vector<float*> rows;
    for (const std::size_t i : order) seeds.push_back(drawn.seeds[i]), rows.push_back(codes.row(i));
    const auto column = [&](std::size_t at) { return drawn.columns[order[at]]; };
    parallel_range(order.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin, last = begin; first < end; first = last) {
            while (last < end && column(last) == column(first)) ++last;
            math::sample(consolidated_.statistics()[column(first)].codes, {&seeds[first], last - first},
                         {&rows[first], last - first});
        }
    });
}

// Draws the codes of these items, and of some thousand later ones in the same pass.
void Replay::draw_items(std::span<const std::size_t> items, std::size_t epoch,
                        std::span<const std::size_t> coming) {
    const std::uint64_t round = mix64(rng_.seed() ^ mix64(options_.fresh ? epoch + 1 : 0));
    const auto find_drawn = [&](std::span<const std::size_t> some, Drawn& drawn) {
        for (const std::size_t item : some) {
            if (is_real(item)) continue;
            drawn.columns.push_back(drawn_columns_[(item - real_ * repeats_) / per_class_]);
            drawn.seeds.push_back(mix64(round + item));
        }
    };
    now_.clear();
    find_drawn(items, now_);
    const std::size_t count = now_.seeds.size();
    if (count == 0) return;
    const auto is_next = [&] {
        return next_ + count <= ahead_.seeds.size() &&
               std::equal(now_.seeds.begin(), now_.seeds.end(),
                          ahead_.seeds.begin() + static_cast<std::ptrdiff_t>(next_));
    };
    if (!is_next()) {
        ahead_ = now_;
        next_ = 0;
        while (!coming.empty() && ahead_.seeds.size() + count <= kAhead) {
            const std::size_t n = std::min(items.size(), coming.size());
            find_drawn(coming.first(n), ahead_);
            coming = coming.subspan(n);
        }
        ahead_codes_.resize(ahead_.seeds.size(), consolidated_.network().code_size());
        draw(ahead_, ahead_codes_);
    }
    codes_ = ahead_codes_.view().slice(next_, count);
    next_ += count;
}

void Replay::keep_residuals(MatrixView rows, MatrixView codes) {
    consolidated_.network().decode(codes, decoded_);
    const std::size_t first = residuals_.rows();
    residuals_.resize_rows(first + rows.rows);
    Matrix mean(1, rows.cols);
    const bool centered = !consolidated_.statistics().front().residual.empty();
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) {
            residuals_(first + i, j) = rows(i, j) - decoded_(i, j);
            mean(0, j) += residuals_(first + i, j) / static_cast<float>(rows.rows);
        }
    if (!centered) return;
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) residuals_(first + i, j) -= mean(0, j);
}

void Replay::add_residuals(const Drawn& drawn, Matrix& x) const {
    parallel_range(x.rows(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            float* row = x.row(i);
            const Matrix& mean = consolidated_.statistics()[drawn.columns[i]].residual;
            for (std::size_t j = 0; j < mean.cols(); ++j) row[j] += mean.data()[j];
            if (residuals_.rows() == 0) continue;
            const float* residual = residuals_.row(mix64(drawn.seeds[i]) % residuals_.rows());
            for (std::size_t j = 0; j < x.cols(); ++j) row[j] += residual[j];
        }
    });
}

void Replay::fill(std::span<const std::size_t> items, std::size_t epoch, MutableMatrixView out,
                  std::span<Origin> origins, std::span<const std::size_t> coming) {
    draw_items(items, epoch, coming);
    places_.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_real(items[i])) {
            const std::size_t row = items[i] % real_;
            const std::size_t block =
                static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                                         starts_.begin()) -
                1;
            std::copy_n(blocks_[block].row(row - starts_[block]), out.cols, out.row(i));
            origins[i] = {true, block};
        } else {
            origins[i] = {false, now_.columns[places_.size()]};
            places_.push_back(i);
        }
    }
    if (places_.empty()) return;
    Matrix* made = &codes_;
    if (!options_.codes || options_.borrow_residuals) {
        consolidated_.network().decode(codes_, decoded_);
        made = &decoded_;
        add_residuals(now_, decoded_);
        if (options_.codes) {
            consolidated_.network().encode(decoded_, codes_);
            made = &codes_;
        }
    }
    parallel_range(places_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::copy_n(made->row(i), out.cols, out.row(places_[i]));
    });
}

void Replay::pseudo_examples(std::size_t column, std::size_t count, Matrix& out) {
    now_.clear();
    const std::uint64_t round = mix64(~rng_.seed() ^ mix64(column));
    for (std::size_t i = 0; i < count; ++i)
        now_.columns.push_back(column), now_.seeds.push_back(mix64(round + i));
    codes_.resize(count, consolidated_.network().code_size());
    draw(now_, codes_);
    consolidated_.network().decode(codes_, out);
    add_residuals(now_, out);
}

}  // namespace fearnet
