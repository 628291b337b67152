#include <limits>
#include <numeric>

#include "core/learners/fearnet/training.hpp"
#include "core/math/gemm.hpp"
#include "fearnet/lab/engine_benchmark.hpp"
#include "lab/protocol/stopwatch.hpp"

namespace fearnet::lab {
namespace {

using math::Op;

// The supplement's column for CIFAR-100, whatever the preset has become since: the peer is measured on the
// same.
constexpr std::size_t kFeatures = 2048, kClasses = 50, kBatch = 450;
constexpr double kRate = 2e-3, kDecoderRate = kRate / 100, kDropout = 0.25;

nn::NetworkShape shape() {
    nn::NetworkShape s;
    s.inputs = kFeatures;
    s.hidden = {140, 130};
    s.outputs = kClasses;
    s.decoder = true;
    return s;
}

// Shuffled batches gathered by row number, as train_on_rows has them, with everything allocated before the
// clock runs.
class Training {
  public:
    Training(std::size_t count, Rng rng)
        : x_(unit_rows(count, kFeatures, rng.fork(1))),
          shuffler_(rng.fork(2)),
          initial_(rng.fork(3)),
          network_(shape(), 0, initial_),
          trainer_(network_, options(), kBatch, rng.fork(4)),
          batch_(kBatch, kFeatures),
          order_(count),
          labels_(count),
          targets_(kBatch) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        for (std::int32_t& label : labels_) label = static_cast<std::int32_t>(shuffler_.below(kClasses));
    }

    void epoch() {
        shuffler_.shuffle<std::size_t>(order_);
        for (std::size_t first = 0; first < order_.size(); first += kBatch) {
            const std::size_t n = std::min(kBatch, order_.size() - first);
            const std::span<const std::size_t> picked(order_.data() + first, n);
            gather_rows(x_, picked, MutableMatrixView(batch_.data(), n, kFeatures));
            for (std::size_t i = 0; i < n; ++i) targets_[i] = labels_[picked[i]];
            trainer_.step({batch_.data(), n, kFeatures}, {targets_.data(), n});
        }
    }

  private:
    static nn::TrainerOptions options() {
        nn::TrainerOptions t;
        t.rate = kRate;
        t.decoder_rate = kDecoderRate;
        t.dropout = kDropout;
        t.reconstruction = {1e4, 1.0};
        return t;
    }
    Matrix x_;
    Rng shuffler_, initial_;
    nn::Network network_;
    nn::Trainer trainer_;
    Matrix batch_;
    std::vector<std::size_t> order_;
    std::vector<std::int32_t> labels_, targets_;
};

// The 14 matrix products of one step of Trainer, in its order and on matrices of their own.
class Products {
  public:
    explicit Products(Rng rng) {
        const nn::NetworkShape s = shape();
        const std::size_t h = s.hidden[0], code = s.hidden[1];
        const Node x = node(kFeatures, rng), h1 = node(h, rng), h2 = node(code, rng),
                   answer = node(kClasses, rng), d1 = node(h, rng), rebuilt = node(kFeatures, rng);
        const Layer encoder1 = layer(x, h1, rng), encoder2 = layer(h1, h2, rng),
                    head = layer(h2, answer, rng), decoder1 = layer(h2, d1, rng),
                    decoder2 = layer(d1, rebuilt, rng);
        for (const Layer& l : {encoder1, encoder2, head, decoder1, decoder2}) forward(l);
        weight_gradient(head), input_gradient(head);
        weight_gradient(decoder2), input_gradient(decoder2);
        weight_gradient(decoder1), input_gradient(decoder1, true);
        weight_gradient(encoder2), input_gradient(encoder2);
        weight_gradient(encoder1);
    }

    void step() const {
        for (const Product& p : products_) math::gemm(p.op_a, p.a, p.op_b, p.b, p.c, p.accumulate);
    }

  private:
    struct Node {
        MutableMatrixView value, gradient;  // batch x units
    };
    struct Layer {
        Node from, to;
        MutableMatrixView weight, gradient;  // inputs x outputs
    };
    struct Product {
        Op op_a;
        MatrixView a;
        Op op_b;
        MatrixView b;
        MutableMatrixView c;
        bool accumulate;
    };

    // Small numbers: they must not grow out of range where a product is added to itself again and again.
    MutableMatrixView matrix(std::size_t rows, std::size_t cols, Rng& rng) {
        storage_.emplace_back(rows, cols);
        Matrix& m = storage_.back();
        for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(0.01 * rng.normal());
        return m;
    }
    Node node(std::size_t units, Rng& rng) {
        return {matrix(kBatch, units, rng), matrix(kBatch, units, rng)};
    }
    Layer layer(const Node& from, const Node& to, Rng& rng) {
        const std::size_t in = from.value.cols, out = to.value.cols;
        return {from, to, matrix(in, out, rng), matrix(in, out, rng)};
    }
    void forward(const Layer& l) {
        products_.push_back({Op::none, l.from.value, Op::none, l.weight, l.to.value, false});
    }
    void weight_gradient(const Layer& l) {
        products_.push_back({Op::transpose, l.from.value, Op::none, l.to.gradient, l.gradient, false});
    }
    void input_gradient(const Layer& l, bool accumulate = false) {
        products_.push_back({Op::none, l.to.gradient, Op::transpose, l.weight, l.from.gradient, accumulate});
    }

    std::vector<Matrix> storage_;  // moving a Matrix leaves its numbers where they are
    std::vector<Product> products_;
};

}  // namespace

TrainingBenchmark benchmark_training(const TrainingBenchmarkOptions& options) {
    require_positive("benchmark_training", "rounds", options.rounds);
    require_positive("benchmark_training", "rows", options.rows);
    const ThreadsForNow threads(options.threads);
    Training training(options.rows, Rng(1));
    const Products products(Rng(2));
    const std::size_t steps = (options.rows + kBatch - 1) / kBatch;
    double whole = std::numeric_limits<double>::infinity(), bare = whole;
    for (std::size_t round = 0; round < options.rounds; ++round) {
        whole = std::min(whole, seconds_of([&] { training.epoch(); }));
        bare = std::min(bare, seconds_of([&] {
                            for (std::size_t step = 0; step < steps; ++step) products.step();
                        }));
    }
    TrainingBenchmark result;
    result.threads = options.threads;
    result.backend = math::gemm_backend();
    result.samples_per_second = static_cast<double>(options.rows) / whole;
    result.gemm_bound = static_cast<double>(steps * kBatch) / bare;
    return result;
}

}  // namespace fearnet::lab
