#include "core/nn/network.hpp"

#include <cassert>

#include "core/math/gemm.hpp"
#include "core/nn/kernels.hpp"

namespace fearnet::nn {
namespace {

using math::gemm;
using math::Op;

void dense(const Dense& layer, MatrixView x, Matrix& z) {
    z.resize(x.rows, layer.outputs());
    gemm(Op::none, x, Op::none, layer.weight, z);
}

void dense_elu(const Dense& layer, MatrixView x, Matrix& out) {
    dense(layer, x, out);
    bias_elu_dropout(out, layer.bias, {}, out, out);
}

}  // namespace

Network::Network(const NetworkShape& shape, float bias, Rng& rng) : code_layer(shape.code_layer) {
    assert(!shape.hidden.empty());
    std::vector<std::size_t> sizes{shape.inputs};
    sizes.insert(sizes.end(), shape.hidden.begin(), shape.hidden.end());
    for (std::size_t i = 1; i < sizes.size(); ++i)
        encoder.push_back(make_dense(sizes[i - 1], sizes[i], bias, rng));
    head = make_dense(sizes.back(), shape.outputs, bias, rng);
    if (!shape.decoder) return;
    if (code_layer) decoder.push_back(make_dense(sizes.back(), sizes.back(), bias, rng));
    for (std::size_t i = sizes.size() - 1; i > 0; --i)
        decoder.push_back(make_dense(sizes[i], sizes[i - 1], bias, rng));
}

std::size_t bytes_of(const NetworkShape& shape) {
    std::size_t floats = 0, last = shape.inputs;
    for (std::size_t units : shape.hidden) {
        floats += (last + 1) * units;
        if (shape.decoder) floats += (units + 1) * last;
        last = units;
    }
    floats += (last + 1) * shape.outputs;
    if (shape.decoder && shape.code_layer) floats += (last + 1) * last;
    return floats * sizeof(float);
}

std::size_t Network::bytes() const {
    std::size_t sum = head.bytes();
    for (const Dense& layer : encoder) sum += layer.bytes();
    for (const Dense& layer : decoder) sum += layer.bytes();
    return sum;
}

void Network::encode(MatrixView x, Matrix& code) const {
    assert(x.cols == inputs());
    Matrix hidden[2];
    for (std::size_t i = 0; i < encoder.size(); ++i) {
        Matrix& out = i + 1 == encoder.size() ? code : hidden[i % 2];
        dense_elu(encoder[i], i == 0 ? x : hidden[(i - 1) % 2].view(), out);
    }
}

void Network::decode(MatrixView code, Matrix& x) const {
    assert(!decoder.empty() && code.cols == code_size());
    Matrix hidden[2];
    for (std::size_t i = 0; i + 1 < decoder.size(); ++i)
        dense_elu(decoder[i], i == 0 ? code : hidden[(i - 1) % 2].view(), hidden[i % 2]);
    dense(decoder.back(), decoder.size() == 1 ? code : hidden[decoder.size() % 2].view(), x);
    add_bias(x, decoder.back().bias);
}

void Network::scores(MatrixView code, Matrix& z) const {
    dense(head, code, z);
    add_bias(z, head.bias);
}

void Network::probabilities(MatrixView code, Matrix& p) const {
    dense(head, code, p);
    bias_softmax(p, head.bias);
}

namespace {

void save_layer(State& state, const std::string& key, const Dense& layer) {
    state.set(key + ".weight", layer.weight, ArrayKind::networks);
    state.set(key + ".bias", layer.bias, ArrayKind::networks);
}

Dense load_layer(const State& state, const std::string& key) {
    const Matrix& weight = state.matrix(key + ".weight");
    return {weight, state.matrix(key + ".bias", 1, weight.cols())};
}

}  // namespace

void Network::save(State& state, const std::string& prefix) const {
    state.set(prefix + ".layers",
              std::vector<std::int64_t>{static_cast<std::int64_t>(encoder.size()),
                                        static_cast<std::int64_t>(decoder.size()), code_layer});
    for (std::size_t i = 0; i < encoder.size(); ++i)
        save_layer(state, prefix + ".encoder" + std::to_string(i), encoder[i]);
    for (std::size_t i = 0; i < decoder.size(); ++i)
        save_layer(state, prefix + ".decoder" + std::to_string(i), decoder[i]);
    save_layer(state, prefix + ".head", head);
}

Network Network::load(const State& state, const std::string& prefix) {
    const auto& layers = state.integer(prefix + ".layers");
    if (layers.size() != 3 || layers[0] < 0 || layers[1] < 0 || layers[0] > 64 || layers[1] > 65)
        throw Error("State: '" + prefix + ".layers' does not describe a network");
    Network net;
    net.code_layer = layers[2] != 0;
    for (std::int64_t i = 0; i < layers[0]; ++i)
        net.encoder.push_back(load_layer(state, prefix + ".encoder" + std::to_string(i)));
    for (std::int64_t i = 0; i < layers[1]; ++i)
        net.decoder.push_back(load_layer(state, prefix + ".decoder" + std::to_string(i)));
    net.head = load_layer(state, prefix + ".head");
    const auto fits = [&](const Dense& a, const Dense& b) {
        if (a.outputs() != b.inputs())
            throw Error("State: the layers of '" + prefix + "' do not fit together");
    };
    for (std::size_t i = 1; i < net.encoder.size(); ++i) fits(net.encoder[i - 1], net.encoder[i]);
    if (!net.encoder.empty()) fits(net.encoder.back(), net.head);
    if (!net.encoder.empty() && !net.decoder.empty()) fits(net.encoder.back(), net.decoder.front());
    for (std::size_t i = 1; i < net.decoder.size(); ++i) fits(net.decoder[i - 1], net.decoder[i]);
    if (!net.decoder.empty() && net.decoder.back().outputs() != net.inputs())
        throw Error("State: the decoder of '" + prefix + "' does not end at the input's width");
    return net;
}

}  // namespace fearnet::nn
