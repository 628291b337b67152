#include "lab/baselines/icarl.hpp"

#include <algorithm>
#include <numeric>

#include "core/learners/fearnet/training.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/nn/kernels.hpp"
#include "lab/baselines/herding.hpp"

namespace fearnet::lab {
namespace {

Matrix unit_codes(const nn::Network& network, MatrixView x) {
    Matrix codes;
    network.encode(x, codes);
    normalize_rows(codes);
    return codes;
}

// x and the exemplars below one another; for both the labels.
Exemplars joined(MatrixView x, std::span<const std::int32_t> columns, const Exemplars& old) {
    Exemplars all;
    all.rows = Matrix(x.rows + old.rows.rows(), x.cols);
    for (std::size_t i = 0; i < all.rows.rows(); ++i)
        std::copy_n(i < x.rows ? x.row(i) : old.rows.row(i - x.rows), x.cols, all.rows.row(i));
    all.columns.assign(columns.begin(), columns.end());
    all.columns.insert(all.columns.end(), old.columns.begin(), old.columns.end());
    return all;
}

// Row numbers by class; a class without rows has an empty list.
std::vector<std::vector<std::size_t>> rows_by_class(std::span<const std::int32_t> columns) {
    std::vector<std::vector<std::size_t>> rows;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto c = static_cast<std::size_t>(columns[i]);
        if (c >= rows.size()) rows.resize(c + 1);
        rows[c].push_back(i);
    }
    return rows;
}

// One mean per class; every class has exemplars.
Matrix class_means(const nn::Network& network, const Exemplars& exemplars) {
    const Matrix codes = unit_codes(network, exemplars.rows);
    Matrix means(static_cast<std::size_t>(exemplars.columns.back()) + 1, codes.cols());
    for (std::size_t first = 0, last = 0; first < codes.rows(); first = last) {
        while (last < codes.rows() && exemplars.columns[last] == exemplars.columns[first]) ++last;
        unit_mean(codes.view().slice(first, last - first),
                  means.row(static_cast<std::size_t>(exemplars.columns[first])));
    }
    return means;
}

TrainingPhase training_phase(const IcarlOptions& o, bool first, std::size_t rows) {
    TrainingPhase phase;
    phase.name = first ? "base" : "learn";
    phase.batch = static_cast<std::size_t>(o.batch);
    phase.epochs = first ? epochs_for(o.base_epochs, o.base_min_steps, rows, phase.batch)
                         : static_cast<std::size_t>(o.epochs);
    phase.decay = o.falling_rate ? RateDecay::linear : RateDecay::none;
    phase.trainer.loss = nn::Loss::sigmoid;
    phase.trainer.rate = o.rate;
    phase.trainer.dropout = o.dropout;
    return phase;
}

}  // namespace

Matrix sigmoid_outputs(const nn::Network& network, MatrixView x) {
    Matrix codes, outputs(x.rows, network.outputs());
    network.encode(x, codes);
    math::gemm(math::Op::none, codes, math::Op::none, network.head.weight, outputs);
    nn::bias_sigmoid(outputs, network.head.bias);
    return outputs;
}

nn::Network Icarl::grown_network(std::size_t inputs, std::size_t classes) const {
    Rng rng = session_rng().fork(1);
    if (first_session()) {
        nn::NetworkShape shape;
        shape.inputs = inputs;
        for (const std::int64_t units : settings().hidden)
            shape.hidden.push_back(static_cast<std::size_t>(units));
        shape.outputs = classes;
        return nn::Network(shape, 0, rng);
    }
    nn::Network network = network_;
    if (classes > network.outputs()) nn::grow_outputs(network.head, classes, 0, rng);
    return network;
}

// New exemplars for the classes of the session, from its rows and their previous exemplars; the other classes
// keep theirs.
Exemplars Icarl::choose_exemplars(const nn::Network& network, MatrixView x,
                                  std::span<const std::int32_t> columns) const {
    const Exemplars all = joined(x, columns, exemplars_);
    const auto by_class = rows_by_class(all.columns);
    std::vector<bool> taught_now(by_class.size(), false);
    for (const std::int32_t c : columns) taught_now[static_cast<std::size_t>(c)] = true;
    std::vector<std::size_t> kept;
    Exemplars result;
    for (std::size_t c = 0; c < by_class.size(); ++c) {
        if (!taught_now[c]) {
            kept.insert(kept.end(), by_class[c].begin(), by_class[c].end());
        } else {
            Matrix rows;
            gather_rows(all.rows, by_class[c], rows);
            for (const std::size_t i :
                 herd(unit_codes(network, rows), static_cast<std::size_t>(settings().exemplars)))
                kept.push_back(by_class[c][i]);
        }
        result.columns.resize(kept.size(), static_cast<std::int32_t>(c));
    }
    gather_rows(all.rows, kept, result.rows);
    return result;
}

void Icarl::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                  const Progress& progress) {
    nn::Network network = grown_network(x.cols, classes);
    const Exemplars study = joined(x, columns, exemplars_);
    Matrix distilled;
    if (!first_session() && settings().distill) distilled = sigmoid_outputs(network_, study.rows);
    train_on_rows(network, study.rows, study.columns,
                  training_phase(settings(), first_session(), study.rows.rows()), session_rng().fork(2),
                  progress, distilled);
    Exemplars exemplars = choose_exemplars(network, x, columns);
    means_ = class_means(network, exemplars);
    network_ = std::move(network);
    exemplars_ = std::move(exemplars);
}

// Minus the squared distance to each class mean, up to a constant that all classes share.
Matrix Icarl::scores(MatrixView x) const {
    const Matrix codes = unit_codes(network_, x);
    Matrix result(x.rows, means_.rows());
    math::gemm(math::Op::none, codes, math::Op::transpose, means_, result);
    for (std::size_t c = 0; c < means_.rows(); ++c) {
        const float norm = math::squared_norm(means_.row(c), means_.cols());
        for (std::size_t i = 0; i < x.rows; ++i) result(i, c) = 2 * result(i, c) - norm;
    }
    return result;
}

MemoryUse Icarl::memory() const {
    return {{"networks", network_.bytes()},
            {"examples", exemplars_.rows.bytes()},
            {"statistics", means_.bytes()}};
}

void Icarl::save_model(State& state) const {
    network_.save(state, "network");
    state.set("exemplars", exemplars_.rows, ArrayKind::examples);
    state.set("exemplar_columns",
              std::vector<std::int64_t>(exemplars_.columns.begin(), exemplars_.columns.end()));
}

void Icarl::load_model(const State& state) {
    network_ = nn::Network::load(state, "network");
    if (network_.inputs() != width() || network_.outputs() != class_count())
        throw Error("State: the network goes from " + std::to_string(network_.inputs()) + " to " +
                    std::to_string(network_.outputs()) + " but there are " + std::to_string(width()) +
                    " features and " + std::to_string(class_count()) + " classes");
    const auto& columns = state.integer("exemplar_columns");
    exemplars_.rows = state.matrix("exemplars", columns.size(), width());
    std::int64_t at = -1;
    for (const std::int64_t c : columns) {
        if (c != at && c != at + 1) throw Error("State: 'exemplar_columns' leaves out or repeats a class");
        at = c;
        exemplars_.columns.push_back(static_cast<std::int32_t>(c));
    }
    if (at + 1 != static_cast<std::int64_t>(class_count()))
        throw Error("State: exemplars of " + std::to_string(at + 1) + " classes but " +
                    std::to_string(class_count()) + " were taught");
    means_ = class_means(network_, exemplars_);
}

}  // namespace fearnet::lab
