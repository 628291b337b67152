#include "learners/fearnet/replay.hpp"

#include <algorithm>
#include <cassert>

#include "base/parallel.hpp"

namespace fearnet {

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

void Replay::draw(std::span<const std::size_t> columns, std::span<const std::uint64_t> seeds,
                  MutableMatrixView codes) const {
    parallel_range(columns.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            math::sample(consolidated_.statistics()[columns[i]].codes, seeds[i], codes.row(i));
    });
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

void Replay::add_residuals(std::span<const std::size_t> columns, std::span<const std::uint64_t> seeds,
                           Matrix& x) const {
    parallel_range(x.rows(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            float* row = x.row(i);
            const Matrix& mean = consolidated_.statistics()[columns[i]].residual;
            for (std::size_t j = 0; j < mean.cols(); ++j) row[j] += mean.data()[j];
            if (residuals_.rows() == 0) continue;
            const float* residual = residuals_.row(mix64(seeds[i]) % residuals_.rows());
            for (std::size_t j = 0; j < x.cols(); ++j) row[j] += residual[j];
        }
    });
}

void Replay::fill(std::span<const std::size_t> items, std::size_t epoch, MutableMatrixView out,
                  std::span<Origin> origins) {
    const std::uint64_t round = mix64(rng_.seed() ^ mix64(options_.fresh ? epoch + 1 : 0));
    columns_.clear(), places_.clear(), seeds_.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i] < real_ * repeats_) {
            const std::size_t row = items[i] % real_;
            const std::size_t block =
                static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                                         starts_.begin()) -
                1;
            std::copy_n(blocks_[block].row(row - starts_[block]), out.cols, out.row(i));
            origins[i] = {true, block};
        } else {
            const std::size_t column = drawn_columns_[(items[i] - real_ * repeats_) / per_class_];
            origins[i] = {false, column};
            columns_.push_back(column);
            places_.push_back(i);
            seeds_.push_back(mix64(round + items[i]));
        }
    }
    if (columns_.empty()) return;
    codes_.resize(columns_.size(), consolidated_.network().code_size());
    draw(columns_, seeds_, codes_);
    Matrix* made = &codes_;
    if (!options_.codes || options_.borrow_residuals) {
        consolidated_.network().decode(codes_, decoded_);
        made = &decoded_;
        add_residuals(columns_, seeds_, decoded_);
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
    columns_.assign(count, column);
    seeds_.clear();
    const std::uint64_t round = mix64(~rng_.seed() ^ mix64(column));
    for (std::size_t i = 0; i < count; ++i) seeds_.push_back(mix64(round + i));
    codes_.resize(count, consolidated_.network().code_size());
    draw(columns_, seeds_, codes_);
    consolidated_.network().decode(codes_, out);
    add_residuals(columns_, seeds_, out);
}

}  // namespace fearnet
