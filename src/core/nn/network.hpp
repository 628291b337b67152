// The one network shape used here: an encoder, a head on its output and, for the autoencoder, a mirrored
// decoder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/dense.hpp"
#include "fearnet/state.hpp"

namespace fearnet::nn {

struct NetworkShape {
    std::size_t inputs = 0;
    std::vector<std::size_t> hidden;  // encoder layers; the last one is the code
    std::size_t outputs = 0;
    bool decoder = false;
    bool code_layer =
        false;  // a code -> code layer at the start of the decoder, so that the code has a reconstruction
};

// Of a network of that shape, as Network::bytes counts.
std::size_t bytes_of(const NetworkShape& shape);

// x -> ELU layers -> code -> head;  code -> ELU layers mirrored -> linear -> x. Const functions are
// thread-safe.
class Network {
  public:
    Network() = default;
    Network(const NetworkShape& shape, float bias, Rng& rng);

    std::size_t inputs() const { return encoder.empty() ? 0 : encoder.front().inputs(); }
    std::size_t code_size() const { return encoder.empty() ? 0 : encoder.back().outputs(); }
    std::size_t outputs() const { return head.outputs(); }
    std::size_t bytes() const;

    // No dropout: these are for answering and for sampling.
    void encode(MatrixView x, Matrix& code) const;         // n x inputs -> n x code_size
    void decode(MatrixView code, Matrix& x) const;         // n x code_size -> n x inputs
    void probabilities(MatrixView code, Matrix& p) const;  // n x code_size -> n x outputs, rows sum to one
    void scores(MatrixView code, Matrix& z) const;         // the head before softmax or logistic

    void save(State& state, const std::string& prefix) const;
    static Network load(const State& state, const std::string& prefix);

    std::vector<Dense> encoder;
    std::vector<Dense> decoder;  // empty without one
    Dense head;
    bool code_layer = false;
};

}  // namespace fearnet::nn
