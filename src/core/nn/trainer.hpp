// One training step of a Network: forward, losses, backward, update. Everything it needs is allocated in the
// constructor; a step allocates nothing.
#pragma once

#include <span>
#include <vector>

#include "core/nn/kernels.hpp"
#include "core/nn/nadam.hpp"
#include "core/nn/network.hpp"

namespace fearnet::nn {

enum class Loss { softmax, logistic, sigmoid };

struct TrainerOptions {
    Loss loss = Loss::softmax;
    double rate = 2e-3;
    double decoder_rate = 2e-3;
    double dropout = 0.25;
    // lambda_j: weights of the reconstruction terms; 0 is the input, j the j-th encoder layer. Beyond the
    // end: 0.
    std::vector<double> reconstruction = {};
    double anchor = 0;  // weight of the mean squared distance between a row's code and its anchor
    NAdamOptions optimizer = {};
};

struct StepLoss {
    double classification = 0;
    double reconstruction = 0;
    double anchor = 0;
    double total() const { return classification + reconstruction + anchor; }
};

class Trainer {
  public:
    // `network` must outlive the trainer and keep its shape.
    Trainer(Network& network, const TrainerOptions& options, std::size_t max_batch, Rng rng);

    // One batch of at most max_batch rows. labels and soft: see softmax_, logistic_ and
    // sigmoid_cross_entropy. With an anchor (and options.anchor > 0), rows that have soft targets are also
    // held near these codes.
    StepLoss step(MatrixView x, std::span<const std::int32_t> labels, MatrixView soft = {},
                  MatrixView anchor = {});
    // Scales the learning rates of the steps to come.
    void set_rate_share(double share) { rate_share_ = share; }

    // Forward and backward without the update: for tests and benchmarks.
    StepLoss compute_gradients(MatrixView x, std::span<const std::int32_t> labels, MatrixView soft = {},
                               MatrixView anchor = {});
    // Gradients of the last batch, in the order encoder, decoder, head; weight then bias.
    std::vector<const Matrix*> gradients() const;
    std::vector<Matrix*> parameters();

  private:
    // A layer's part of the workspace.
    struct Slot {
        Dense* layer = nullptr;
        Matrix weight_gradient, bias_gradient;
        Matrix activation;  // after ELU, before dropout
        Matrix output;      // after dropout: what the next layer sees
        Matrix gradient;    // with respect to z
        Matrix extra;       // reconstruction gradient with respect to the activation
        Dropout dropout;
        MatrixView input;  // of the present batch
        bool has_extra = false;
    };
    void forward(MatrixView x);
    double classification_loss(std::span<const std::int32_t> labels, MatrixView soft);
    double reconstruction_loss(MatrixView x);
    double anchor_loss(std::span<const std::int32_t> labels, MatrixView anchor);
    void backward_layer(Slot& slot);
    MutableMatrixView rows(Matrix& m) const { return {m.data(), batch_, m.cols()}; }

    Network& network_;
    TrainerOptions options_;
    std::vector<Slot> encoder_, decoder_;
    Slot head_;
    Matrix parts_;
    NAdam optimizer_;
    Rng rng_;
    double rate_share_ = 1;
    std::size_t batch_ = 0;  // rows of the present batch
};

}  // namespace fearnet::nn
