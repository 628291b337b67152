// The mixture that sleep and the router learn from: the recent memory's rows and pseudo-examples of every
// consolidated class (Sec. 3.2). Their codes are drawn some thousand at once and decoded batch by batch; the
// whole set never exists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"

namespace fearnet {

struct ReplayOptions {
    bool borrow_residuals = false;
    bool fresh = true;                    // new draws in every epoch
    std::size_t min_pseudo_examples = 0;  // per class, should ceil(m) be smaller
    bool codes = false;                   // yield codes instead of features
    bool only_old = false;                // no pseudo-examples of classes that the recent memory holds too
};

class Replay {
  public:
    // Both memories must outlive the replay and stay as they are.
    Replay(const Hippocampus& recent, const PrefrontalCortex& consolidated, const ReplayOptions& options,
           Rng rng);

    // Rows per epoch, real ones first.
    std::size_t size() const { return real_ * repeats_ + per_class_ * drawn_columns_.size(); }
    std::size_t width() const;
    std::size_t pseudo_per_class() const { return per_class_; }

    // Where row i of a batch came from: a class of the recent memory's contents(), or a column of the
    // consolidated one.
    struct Origin {
        bool real = false;
        std::size_t index = 0;
    };
    // Item numbers (each below size()) to rows. The same item of the same epoch is always the same row. It is
    // faster when the items that come next are named.
    void fill(std::span<const std::size_t> items, std::size_t epoch, MutableMatrixView out,
              std::span<Origin> origins, std::span<const std::size_t> coming = {});
    // `count` pseudo-examples of one class, as features, not among those that fill draws.
    void pseudo_examples(std::size_t column, std::size_t count, Matrix& out);
    // The codes they were decoded from.
    const Matrix& drawn_codes() const { return codes_; }

  private:
    // Pseudo-examples: the columns of their classes, and what their chance comes from.
    struct Drawn {
        std::vector<std::size_t> columns;
        std::vector<std::uint64_t> seeds;
        void clear() { columns.clear(), seeds.clear(); }
    };
    bool is_real(std::size_t item) const { return item < real_ * repeats_; }
    void draw(const Drawn& drawn, MutableMatrixView codes) const;
    void draw_items(std::span<const std::size_t> items, std::size_t epoch,
                    std::span<const std::size_t> coming);
    void keep_residuals(MatrixView rows, MatrixView codes);
    void add_residuals(const Drawn& drawn, Matrix& x) const;

    const PrefrontalCortex& consolidated_;
    ReplayOptions options_;
    Rng rng_;
    std::size_t real_ = 0, repeats_ = 1, per_class_ = 0;
    std::vector<std::size_t> drawn_columns_;  // the classes that have pseudo-examples
    std::vector<MatrixView> blocks_;          // the recent memory's rows by class (or their codes)
    std::vector<std::size_t> starts_;         // first row number of each block
    std::vector<Matrix> recent_codes_;
    Matrix
        residuals_;  // x - decode(encode(x)) of every recent row, less its class's mean where means are kept
    Matrix codes_, decoded_;  // one batch
    Drawn now_, ahead_;       // of the batch; of it and some that come
    Matrix ahead_codes_;
    std::size_t next_ = 0;  // of `ahead_`
    std::vector<std::size_t> places_;
};

}  // namespace fearnet
