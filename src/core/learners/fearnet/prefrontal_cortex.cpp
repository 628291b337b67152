#include "core/learners/fearnet/prefrontal_cortex.hpp"

#include <algorithm>
#include <map>

#include "core/learners/fearnet/memory_budget.hpp"

namespace fearnet {

ClassStatistics class_statistics(MatrixView codes, Matrix residual, const StatisticsOptions& options) {
    ClassStatistics result;
    result.codes = math::fit_gaussian(codes, options.covariance == Covariance::diagonal,
                                      static_cast<std::size_t>(options.max_rank));
    if (options.mean_residual) result.residual = std::move(residual);
    result.examples = static_cast<std::int64_t>(codes.rows);
    return result;
}

ClassStatistics merge(const ClassStatistics& old, const ClassStatistics& fresh,
                      const StatisticsOptions& options) {
    const double kept = static_cast<double>(old.examples);
    const double added = options.recency * static_cast<double>(fresh.examples);
    ClassStatistics result;
    result.codes =
        math::merge(old.codes, kept, fresh.codes, added, static_cast<std::size_t>(options.max_rank));
    result.residual = old.residual;
    const float share = static_cast<float>(added / (kept + added));
    for (std::size_t j = 0; j < result.residual.cols(); ++j)
        result.residual(0, j) += share * (fresh.residual(0, j) - old.residual(0, j));
    result.examples = old.examples + fresh.examples;
    return result;
}

Matrix mean_difference(MatrixView x, MatrixView reconstruction) {
    Matrix mean(1, x.cols);
    const float share = 1.0f / static_cast<float>(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) mean(0, j) += share * (x(i, j) - reconstruction(i, j));
    return mean;
}

void PrefrontalCortex::fit(const LabeledView& base, const FearNetOptions& options, Rng rng,
                           const Progress& progress, const TimeLimit& limit) {
    std::map<ClassId, std::vector<std::size_t>> by_class;
    for (std::size_t i = 0; i < base.labels.size(); ++i) by_class[base.labels[i]].push_back(i);
    std::vector<ClassId> classes;
    std::map<ClassId, std::int32_t> column;
    for (const auto& [id, rows] : by_class) {
        column[id] = static_cast<std::int32_t>(classes.size());
        classes.push_back(id);
    }
    std::vector<std::int32_t> labels;
    for (ClassId id : base.labels) labels.push_back(column[id]);

    Rng initial = rng.fork(1);
    nn::Network network(network_shape(options, base.x.cols, classes.size(), true),
                        static_cast<float>(options.network.bias), initial);
    TrainingPhase phase;
    phase.name = "base";
    phase.batch = static_cast<std::size_t>(options.training.batch);
    phase.epochs =
        epochs_for(options.training.base_epochs, options.training.min_steps, base.x.rows, phase.batch);
    phase.decay = options.training.base_decay;
    phase.trainer = trainer_options(options, options.training.base_decoder_rate);

    StatisticsSize size{network.bytes(), network.code_size(), network.inputs(), {}};
    for (const auto& [id, indices] : by_class) size.rows.push_back(indices.size());
    const StatisticsOptions form = statistics_within_budget(options, size);
    const auto statistics_of = [&](const std::vector<std::size_t>& indices) {
        Matrix rows, codes, decoded;
        gather_rows(base.x, indices, rows);
        network.encode(rows, codes);
        network.decode(codes, decoded);
        return class_statistics(codes, mean_difference(rows, decoded), form);
    };
    if (limit.limited()) {
        const double start = limit.now();
        statistics_of(by_class.begin()->second);
        phase.limit = limit.sooner((limit.now() - start) * static_cast<double>(classes.size()));
    }
    train_on_rows(network, base.x, labels, phase, rng.fork(2), progress);

    std::vector<ClassStatistics> statistics;
    for (const auto& [id, indices] : by_class) statistics.push_back(statistics_of(indices));
    *this = PrefrontalCortex(std::move(network), std::move(classes), std::move(statistics));
}

PrefrontalCortex PrefrontalCortex::without(ClassId id) const {
    PrefrontalCortex result = *this;
    const auto it = std::find(classes_.begin(), classes_.end(), id);
    if (it == classes_.end()) return result;
    if (classes_.size() == 1) return {};
    const auto column = it - classes_.begin();
    nn::drop_output(result.network_.head, static_cast<std::size_t>(column));
    result.classes_.erase(result.classes_.begin() + column);
    result.statistics_.erase(result.statistics_.begin() + column);
    return result;
}

std::size_t PrefrontalCortex::statistics_bytes() const {
    std::size_t sum = 0;
    for (const ClassStatistics& s : statistics_) sum += s.bytes();
    return sum;
}

void PrefrontalCortex::save(State& state) const {
    network_.save(state, "prefrontal_cortex.network");
    std::vector<std::int64_t> ids, diagonal, examples;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        ids.push_back(index_of(classes_[c]));
        diagonal.push_back(statistics_[c].codes.diagonal);
        examples.push_back(statistics_[c].examples);
        const std::string key = "prefrontal_cortex.class." + std::to_string(ids.back());
        state.set(key + ".mean", statistics_[c].codes.mean, ArrayKind::statistics);
        state.set(key + ".factor", statistics_[c].codes.factor, ArrayKind::statistics);
        state.set(key + ".residual", statistics_[c].residual, ArrayKind::statistics);
    }
    state.set("prefrontal_cortex.classes", std::move(ids));
    state.set("prefrontal_cortex.diagonal", std::move(diagonal));
    state.set("prefrontal_cortex.examples", std::move(examples));
}

PrefrontalCortex PrefrontalCortex::load(const State& state) {
    const auto& ids = state.integer("prefrontal_cortex.classes");
    if (ids.empty()) return {};
    const auto& diagonal = state.integer("prefrontal_cortex.diagonal");
    const auto& examples = state.integer("prefrontal_cortex.examples");
    nn::Network network = nn::Network::load(state, "prefrontal_cortex.network");
    if (network.encoder.empty() || network.decoder.empty() || network.outputs() != ids.size() ||
        diagonal.size() != ids.size() || examples.size() != ids.size())
        throw Error("State: the prefrontal cortex has " + std::to_string(network.outputs()) +
                    " outputs but " + std::to_string(ids.size()) + " classes");
    std::vector<ClassId> classes;
    std::vector<ClassStatistics> statistics;
    for (std::size_t c = 0; c < ids.size(); ++c) {
        const std::string key = "prefrontal_cortex.class." + std::to_string(ids[c]);
        const Matrix& factor = state.matrix(key + ".factor");
        if (factor.cols() != network.code_size() || (diagonal[c] && factor.rows() != 1))
            throw Error("State: '" + key + ".factor' does not fit codes of " +
                        std::to_string(network.code_size()));
        if (examples[c] < 1)
            throw Error("State: '" + key + "' stands for " + std::to_string(examples[c]) + " examples");
        classes.push_back(static_cast<ClassId>(ids[c]));
        const Matrix& residual = state.matrix(key + ".residual");
        if (!residual.empty() && (residual.rows() != 1 || residual.cols() != network.inputs()))
            throw Error("State: '" + key + ".residual' does not fit rows of " +
                        std::to_string(network.inputs()));
        statistics.push_back({{state.matrix(key + ".mean", 1, network.code_size()), factor, diagonal[c] != 0},
                              residual,
                              examples[c]});
    }
    return {std::move(network), std::move(classes), std::move(statistics)};
}

}  // namespace fearnet
