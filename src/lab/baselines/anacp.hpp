// AnaCP (Momeni, Xiao, Liu, NeurIPS 2025): ridge regression on random features onto separated class means,
// then ridge regression on random features of the result, fitted on pseudo-rows.
#pragma once

#include <memory>
#include <mutex>

#include "core/learners/kit/linear_readout.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet::lab {

struct AnaCpOptions {
    std::int64_t size = 5000;
    std::int64_t heads = 3;
    std::int64_t pseudo_rows = 100;
    double lambda = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("anacp.size", size,
                 "Number of random features of each layer: a fixed Gaussian projection, then GELU.", 1,
                 65536);
        v.option("anacp.heads", heads, "Number of first layers, whose outputs are averaged.", 1, 64);
        v.option("anacp.pseudo_rows", pseudo_rows,
                 "Number of pseudo-rows per class on which the second layer is fitted.", 1, 1e6);
        v.option(
            "ridge.lambda", lambda,
            "Penalty on the squared weights of both layers, as a multiple of the mean diagonal of the Gram "
            "matrix. 0: chosen in the base session on a held-out fifth of its rows.",
            0, 1e6);
    }
    static std::vector<SearchRange> search_space() {
        return {{"ridge.lambda", {"0.003", "0.01", "0.03", "0.1", "0.3", "1"}}};
    }
};

// One target per class, classes x d, of length one: with the center c of the class means M, the shared
// covariance S and K = (M - c) S^-1 (M - c)^T,
//     c + (I + K^-1/2) (M - c) S^-1
// `covariance` is S, its lower triangle. Throws Error when S is not positive definite.
Matrix separated_targets(const Matrix& means, Matrix covariance);

// Added to the diagonal of S, which is inverted. Rows have length one.
inline constexpr double kAnaCpRidge = 1e-4;

// The second layer is fitted at the first prediction after a session: a fit costs far more than adding the
// rows of a session to the sums.
class AnaCp final : public ScoringLearner<AnaCp, AnaCpOptions> {
  public:
    explicit AnaCp(const AnaCpOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "anacp"; }
    MemoryUse memory() const override;

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    Matrix scores(MatrixView x) const override;
    double temperature() const override { return model()->temperature; }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

  private:
    struct Statistics {
        ClassMoments input;               // of the rows, scaled to length one
        std::vector<ClassMoments> heads;  // of the random features of each head
    };
    struct Model {
        std::vector<LinearReadout> heads;  // to one-hot targets; their scores are the weights of the targets
        Matrix target_products;            // classes x classes: products of the targets
        Matrix expanded;                   // classes x size: the targets, projected
        LinearReadout classifier;
        double temperature = 1;
    };
    void prepare(std::size_t width);
    void add(Statistics& statistics, MatrixView x, std::span<const std::int32_t> columns,
             std::size_t classes) const;
    double choose(const Statistics& statistics, MatrixView held, std::span<const std::int32_t> columns,
                  const Progress& progress) const;
    std::shared_ptr<const Model> model() const;
    std::shared_ptr<const Model> fit(const Statistics& statistics, double lambda) const;
    // The random features of the second layer.
    Matrix hidden(const Model& model, MatrixView rows) const;
    std::size_t size() const { return static_cast<std::size_t>(settings().size); }
    std::size_t heads() const { return static_cast<std::size_t>(settings().heads); }

    Statistics statistics_;
    double lambda_ = 0;                // as given or chosen; 0 before the base session
    std::vector<Matrix> projections_;  // d x size: one per head, then that of the second layer
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Model> model_;  // null until it is needed
};

}  // namespace fearnet::lab
