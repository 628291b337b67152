// The network's loss once more, in double precision with plain loops: what the engine is checked against.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/math/vectorizable.hpp"
#include "core/nn/kernels.hpp"
#include "core/nn/trainer.hpp"

namespace fearnet::test {

using Rows = std::vector<std::vector<double>>;

struct ReferenceLayer {
    Rows weight;
    std::vector<double> bias;
};

inline ReferenceLayer copy_of(const nn::Dense& layer) {
    ReferenceLayer r;
    for (std::size_t i = 0; i < layer.inputs(); ++i)
        r.weight.emplace_back(layer.weight.row(i), layer.weight.row(i) + layer.outputs());
    r.bias.assign(layer.bias.data(), layer.bias.data() + layer.outputs());
    return r;
}

// Encoder, decoder, head in the order of Trainer::parameters, as doubles that a test may nudge.
struct ReferenceNetwork {
    std::vector<ReferenceLayer> encoder, decoder;
    ReferenceLayer head;
    bool code_layer = false;

    explicit ReferenceNetwork(const nn::Network& n) : head(copy_of(n.head)), code_layer(n.code_layer) {
        for (const nn::Dense& l : n.encoder) encoder.push_back(copy_of(l));
        for (const nn::Dense& l : n.decoder) decoder.push_back(copy_of(l));
    }

    // Parameter tensor `t`, element `i`, as Trainer::parameters numbers them.
    double& parameter(std::size_t t, std::size_t i) {
        std::vector<ReferenceLayer*> all;
        for (ReferenceLayer& l : encoder) all.push_back(&l);
        for (ReferenceLayer& l : decoder) all.push_back(&l);
        all.push_back(&head);
        ReferenceLayer& layer = *all[t / 2];
        if (t % 2 == 1) return layer.bias[i];
        return layer.weight[i / layer.bias.size()][i % layer.bias.size()];
    }
};

inline Rows dense(const ReferenceLayer& layer, const Rows& x) {
    Rows z;
    for (const auto& row : x) {
        std::vector<double> out = layer.bias;
        for (std::size_t i = 0; i < row.size(); ++i)
            for (std::size_t j = 0; j < out.size(); ++j) out[j] += row[i] * layer.weight[i][j];
        z.push_back(out);
    }
    return z;
}

inline Rows elu(Rows z) {
    for (auto& row : z)
        for (double& v : row) v = v > 0 ? v : std::exp(v) - 1;
    return z;
}

inline Rows drop(Rows a, const nn::Dropout& d) {
    if (d.threshold == 0) return a;
    std::uint32_t index = 0;
    for (auto& row : a)
        for (double& v : row)
            v = math::scatter(d.key, index++) >= d.threshold ? v * static_cast<double>(d.scale) : 0;
    return a;
}

inline double mean_square(const Rows& a, const Rows& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[i].size(); ++j) sum += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
    return sum / static_cast<double>(a.size() * a[0].size());
}

// The loss of one batch. `rng` is the trainer's: one draw per hidden layer gives its dropout key.
inline double reference_loss(const ReferenceNetwork& net, const nn::TrainerOptions& o, const Rows& x,
                             std::span<const std::int32_t> labels, const Rows& soft, const Rows& anchor,
                             Rng rng) {
    std::vector<Rows> up, down;
    Rows at = x;
    for (const ReferenceLayer& layer : net.encoder) {
        up.push_back(elu(dense(layer, at)));
        at = drop(up.back(), nn::Dropout::with(o.dropout, rng.next()));
    }
    const Rows z = dense(net.head, at);
    double loss = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        if (o.loss == nn::Loss::logistic) {
            const double t = (labels[i] == 1 ? 1 : -1) * z[i][0];
            loss += std::log1p(std::exp(-t));
            continue;
        }
        if (o.loss == nn::Loss::sigmoid) {
            for (std::size_t j = 0; j < z[i].size(); ++j) {
                const bool given = j < soft[i].size();
                const double target = given ? soft[i][j] : static_cast<std::size_t>(labels[i]) == j;
                const double p = 1 / (1 + std::exp(-z[i][j]));
                loss -= (target * std::log(p) + (1 - target) * std::log(1 - p)) /
                        static_cast<double>(z[i].size());
            }
            continue;
        }
        double mass = 0;
        for (double v : z[i]) mass += std::exp(v);
        for (std::size_t j = 0; j < z[i].size(); ++j) {
            const double target = labels[i] >= 0 ? (static_cast<std::size_t>(labels[i]) == j) : soft[i][j];
            loss -= target * (z[i][j] - std::log(mass));
        }
    }
    for (std::size_t i = 0; i < z.size(); ++i)
        for (std::size_t j = 0; o.anchor > 0 && labels[i] < 0 && j < anchor[i].size(); ++j) {
            const double d = up.back()[i][j] - anchor[i][j];
            loss += o.anchor * d * d / static_cast<double>(anchor[i].size());
        }
    loss /= static_cast<double>(z.size());
    if (net.decoder.empty()) return loss;
    const auto lambda = [&](std::size_t j) {
        return j < o.reconstruction.size() ? o.reconstruction[j] : 0.0;
    };
    for (std::size_t i = 0; i + 1 < net.decoder.size(); ++i) {
        down.push_back(elu(dense(net.decoder[i], at)));
        at = drop(down.back(), nn::Dropout::with(o.dropout, rng.next()));
    }
    loss += lambda(0) * mean_square(dense(net.decoder.back(), at), x);
    const std::size_t depth = net.encoder.size();
    for (std::size_t i = 0; i < down.size(); ++i) {
        const std::size_t j = net.code_layer ? depth - i : depth - 1 - i;
        loss += lambda(j) * mean_square(up[j - 1], down[i]);
    }
    return loss;
}

}  // namespace fearnet::test
