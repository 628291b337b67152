#include "core/nn/trainer.hpp"

#include <algorithm>
#include <cassert>

#include "core/math/gemm.hpp"

namespace fearnet::nn {

using math::gemm;
using math::Op;

Trainer::Trainer(Network& network, const TrainerOptions& options, std::size_t max_batch, Rng rng)
    : network_(network), options_(options), optimizer_(options.optimizer), rng_(rng) {
    std::size_t widest = 1;
    const auto make = [&](Dense& layer, bool hidden) {
        Slot slot;
        slot.layer = &layer;
        const std::size_t in = layer.inputs(), out = layer.outputs();
        slot.weight_gradient = Matrix(in, out);
        slot.bias_gradient = Matrix(1, out);
        slot.gradient = Matrix(max_batch, out);
        if (hidden) {
            slot.activation = Matrix(max_batch, out);
            slot.output = Matrix(max_batch, out);
            if (!network.decoder.empty() || options.anchor > 0) slot.extra = Matrix(max_batch, out);
        }
        widest = std::max(widest, out);
        return slot;
    };
    for (Dense& layer : network.encoder) encoder_.push_back(make(layer, true));
    for (Dense& layer : network.decoder) decoder_.push_back(make(layer, &layer != &network.decoder.back()));
    head_ = make(network.head, false);
    parts_ = Matrix(kParts, widest);
    const auto optimize = [&](Slot& slot, double rate) {
        optimizer_.add(slot.layer->weight, slot.weight_gradient, rate);
        optimizer_.add(slot.layer->bias, slot.bias_gradient, rate);
    };
    for (Slot& slot : encoder_) optimize(slot, options.rate);
    for (Slot& slot : decoder_) optimize(slot, options.decoder_rate);
    optimize(head_, options.rate);
}

StepLoss Trainer::step(MatrixView x, std::span<const std::int32_t> labels, MatrixView soft,
                       MatrixView anchor) {
    const StepLoss loss = compute_gradients(x, labels, soft, anchor);
    optimizer_.step(rate_share_);
    return loss;
}

void Trainer::forward(MatrixView x) {
    const auto hidden = [&](Slot& slot, MatrixView input) {
        slot.input = input;
        slot.dropout = Dropout::with(options_.dropout, rng_.next());
        slot.has_extra = false;
        gemm(Op::none, input, Op::none, slot.layer->weight, rows(slot.gradient));
        bias_elu_dropout(rows(slot.gradient), slot.layer->bias, slot.dropout, rows(slot.activation),
                         rows(slot.output));
        return MatrixView(rows(slot.output));
    };
    MatrixView at = x;
    for (Slot& slot : encoder_) at = hidden(slot, at);
    head_.input = at;
    gemm(Op::none, at, Op::none, head_.layer->weight, rows(head_.gradient));
    if (decoder_.empty()) return;
    for (std::size_t i = 0; i + 1 < decoder_.size(); ++i) at = hidden(decoder_[i], at);
    decoder_.back().input = at;
    gemm(Op::none, at, Op::none, decoder_.back().layer->weight, rows(decoder_.back().gradient));
}

double Trainer::classification_loss(std::span<const std::int32_t> labels, MatrixView soft) {
    const MutableMatrixView z = rows(head_.gradient);
    const Matrix& bias = head_.layer->bias;
    switch (options_.loss) {
        case Loss::softmax:
            return softmax_cross_entropy(z, bias, labels, soft, head_.bias_gradient, parts_);
        case Loss::logistic:
            return logistic_cross_entropy(z, bias, labels, head_.bias_gradient, parts_);
        case Loss::sigmoid:
            return sigmoid_cross_entropy(z, bias, labels, soft, head_.bias_gradient, parts_);
    }
    return 0;
}

// sum_j lambda_j MSE_j (Eq. 4 with the weights of the text). Leaves the gradients where the backward pass
// finds them.
double Trainer::reconstruction_loss(MatrixView x) {
    const auto lambda = [&](std::size_t j) {
        return j < options_.reconstruction.size() ? options_.reconstruction[j] : 0.0;
    };
    Slot& last = decoder_.back();
    double loss =
        linear_squared_error(rows(last.gradient), last.layer->bias, x, lambda(0), last.bias_gradient, parts_);
    // Decoder slot i reconstructs encoder layer j (1-based); without a code layer the code itself has no
    // counterpart.
    const std::size_t depth = encoder_.size();
    for (std::size_t i = 0; i + 1 < decoder_.size(); ++i) {
        const std::size_t j = network_.code_layer ? depth - i : depth - 1 - i;
        if (lambda(j) == 0) continue;
        Slot& up = encoder_[j - 1];
        Slot& down = decoder_[i];
        loss += squared_difference(rows(up.activation), rows(down.activation), lambda(j), rows(up.extra),
                                   rows(down.extra));
        up.has_extra = down.has_extra = true;
    }
    return loss;
}

// Adds to what the reconstruction of the code (with a code layer) may have left in the same place.
double Trainer::anchor_loss(std::span<const std::int32_t> labels, MatrixView anchor) {
    Slot& code = encoder_.back();
    const std::size_t units = code.activation.cols();
    const double per_unit = options_.anchor / static_cast<double>(batch_ * units);
    const float slope = static_cast<float>(2 * per_unit);
    double sum = 0;
    for (std::size_t i = 0; i < batch_; ++i) {
        float* extra = code.extra.row(i);
        if (!code.has_extra) std::fill_n(extra, units, 0.0f);
        if (labels[i] >= 0) continue;
        const float* at = code.activation.row(i);
        const float* target = anchor.row(i);
        float squares = 0;
        for (std::size_t j = 0; j < units; ++j) {
            const float d = at[j] - target[j];
            squares += d * d;
            extra[j] += slope * d;
        }
        sum += static_cast<double>(squares);
    }
    code.has_extra = true;
    return per_unit * sum;
}

// In: slot.gradient with respect to the layer's output. Out: gradients of z, weight and bias.
void Trainer::backward_layer(Slot& slot) {
    elu_dropout_backward(rows(slot.gradient), rows(slot.activation),
                         slot.has_extra ? MatrixView(rows(slot.extra)) : MatrixView(), slot.dropout,
                         slot.bias_gradient, parts_);
    gemm(Op::transpose, slot.input, Op::none, rows(slot.gradient), slot.weight_gradient);
}

StepLoss Trainer::compute_gradients(MatrixView x, std::span<const std::int32_t> labels, MatrixView soft,
                                    MatrixView anchor) {
    assert(x.rows > 0 && x.rows <= head_.gradient.rows() && labels.size() == x.rows &&
           x.cols == network_.inputs());
    batch_ = x.rows;
    forward(x);
    StepLoss loss;
    loss.classification = classification_loss(labels, soft);
    if (!decoder_.empty()) loss.reconstruction = reconstruction_loss(x);
    if (options_.anchor > 0 && anchor.rows > 0) loss.anchor = anchor_loss(labels, anchor);

    Slot& code = encoder_.back();
    gemm(Op::transpose, head_.input, Op::none, rows(head_.gradient), head_.weight_gradient);
    gemm(Op::none, rows(head_.gradient), Op::transpose, head_.layer->weight, rows(code.gradient));
    for (std::size_t i = decoder_.size(); i-- > 0;) {
        Slot& slot = decoder_[i];
        if (i + 1 == decoder_.size())
            gemm(Op::transpose, slot.input, Op::none, rows(slot.gradient), slot.weight_gradient);
        else
            backward_layer(slot);
        Slot& below = i == 0 ? code : decoder_[i - 1];
        gemm(Op::none, rows(slot.gradient), Op::transpose, slot.layer->weight, rows(below.gradient), i == 0);
    }
    for (std::size_t i = encoder_.size(); i-- > 0;) {
        Slot& slot = encoder_[i];
        backward_layer(slot);
        if (i > 0)
            gemm(Op::none, rows(slot.gradient), Op::transpose, slot.layer->weight,
                 rows(encoder_[i - 1].gradient));
    }
    return loss;
}

std::vector<const Matrix*> Trainer::gradients() const {
    std::vector<const Matrix*> all;
    const auto add = [&](const Slot& s) {
        all.push_back(&s.weight_gradient), all.push_back(&s.bias_gradient);
    };
    for (const Slot& s : encoder_) add(s);
    for (const Slot& s : decoder_) add(s);
    add(head_);
    return all;
}

std::vector<Matrix*> Trainer::parameters() {
    std::vector<Matrix*> all;
    const auto add = [&](Slot& s) { all.push_back(&s.layer->weight), all.push_back(&s.layer->bias); };
    for (Slot& s : encoder_) add(s);
    for (Slot& s : decoder_) add(s);
    add(head_);
    return all;
}

}  // namespace fearnet::nn
