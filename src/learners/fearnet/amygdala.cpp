#include "learners/fearnet/amygdala.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/fearnet/network_router.hpp"
#include "learners/fearnet/outlier_router.hpp"
#include "learners/fearnet/replay.hpp"
#include "learners/fearnet/training.hpp"
#include "nn/kernels.hpp"

namespace fearnet {
namespace {

struct Split {
    Hippocampus studied, held_out;
};

// Keeps `share` of each class's rows from the router's training; a class always studies at least one.
Split hold_out(const Hippocampus& recent, double share, Rng rng) {
    Split split;
    std::vector<std::size_t> order;
    Matrix rows;
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        order.resize(c.rows.rows());
        std::iota(order.begin(), order.end(), std::size_t{0});
        rng.shuffle<std::size_t>(order);
        const std::size_t held =
            std::min(order.size() - 1,
                     static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size()))));
        const auto put = [&](Hippocampus& into, std::span<const std::size_t> which) {
            if (which.empty()) return;
            gather_rows(c.rows, which, rows);
            into.store({rows, std::vector<ClassId>(which.size(), c.id)});
        };
        put(split.held_out, {order.data(), held});
        put(split.studied, {order.data() + held, order.size() - held});
    }
    return split;
}

// One row as the psi rule sees it: log max P_HC + logit A - log max P_mPFC, and whether each memory would be
// right.
struct Case {
    double lead;
    bool right;  // of the memory that should answer
};

// The offset of the logit that makes the psi rule answer best, over held-out recent rows that should go to
// the recent memory and pseudo-examples that should not; the middle one of equals.
double best_offset(const std::vector<Case>& recent, const std::vector<Case>& old, double recent_weight) {
    constexpr double kLimit = 8, kStep = 0.25;
    double best = -1;
    std::vector<double> winners;
    for (double offset = -kLimit; offset <= kLimit; offset += kStep) {
        double found = 0, kept = 0;
        for (const Case& c : recent) found += c.right && c.lead + offset > 0;
        for (const Case& c : old) kept += c.right && c.lead + offset <= 0;
        const double value = recent_weight * found / static_cast<double>(recent.size()) +
                             (1 - recent_weight) * kept / static_cast<double>(old.size());
        if (value > best + 1e-12) winners.clear();
        best = std::max(best, value);
        if (value >= best - 1e-12) winners.push_back(offset);
    }
    return winners[winners.size() / 2];
}

// All rows of the recent memory, class by class, as the router sees them.
Matrix rows_of(const Hippocampus& recent, const PrefrontalCortex& consolidated, bool codes) {
    Matrix all, part;
    all.resize(0, codes ? consolidated.network().code_size() : consolidated.network().inputs());
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        const std::size_t first = all.rows();
        if (codes) consolidated.encode(c.rows, part);
        const MatrixView rows = codes ? MatrixView(part) : MatrixView(c.rows);
        all.resize_rows(first + rows.rows);
        for (std::size_t i = 0; i < rows.rows; ++i) std::copy_n(rows.row(i), rows.cols, all.row(first + i));
    }
    return all;
}

std::unique_ptr<Router> fit_router(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                                   const FearNetOptions& options, Rng rng, const Progress& progress) {
    if (options.amygdala.kind == RouterKind::mlp)
        return std::make_unique<NetworkRouter>(recent, consolidated, options, rng, progress);
    const bool codes = options.amygdala.input == RouterInput::codes;
    return std::make_unique<OutlierRouter>(rows_of(recent, consolidated, codes), options.amygdala,
                                           rng.fork(1), progress);
}

std::unique_ptr<Router> load_router(const State& state, const FearNetOptions& options) {
    if (options.amygdala.kind == RouterKind::mlp) return std::make_unique<NetworkRouter>(state);
    return std::make_unique<OutlierRouter>(state, options.amygdala);
}

// A verdict that stands alone has no offset to choose, so nothing is kept from its fit.
double held_out_share(const AmygdalaOptions& options) {
    return options.kind != RouterKind::mlp && options.rejection ? 0 : options.held_out;
}

}  // namespace

void Amygdala::fit(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                   const FearNetOptions& options, Rng rng, const Progress& progress) {
    const Split split = hold_out(recent, held_out_share(options.amygdala), rng.fork(5));
    router_ = fit_router(split.studied, consolidated, options, rng, progress);
    sees_codes_ = options.amygdala.input == RouterInput::codes;
    if (!split.held_out.empty()) calibrate(split.studied, split.held_out, consolidated, options, rng.fork(6));
}

void Amygdala::calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                         const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng) {
    const auto cases = [&](MatrixView rows, auto recent_should_answer, auto label_is_right) {
        Matrix codes, old;
        consolidated.encode(rows, codes);
        consolidated.probabilities_of_codes(codes, old);
        Matrix near = studied.distances(rows);
        Hippocampus::to_probabilities(near, options.hippocampus);
        const std::vector<double> logits = router_->logits(sees_codes_ ? MatrixView(codes) : rows);
        std::vector<Case> result;
        for (std::size_t i = 0; i < rows.rows; ++i) {
            const auto best_old = std::max_element(old.row(i), old.row(i) + old.cols());
            const auto best_near = std::max_element(near.row(i), near.row(i) + near.cols());
            const double lead = std::log(static_cast<double>(*best_near)) + logits[i] -
                                std::log(std::max(1e-30, static_cast<double>(*best_old)));
            const ClassId answer =
                recent_should_answer
                    ? studied.contents()[static_cast<std::size_t>(best_near - near.row(i))].id
                    : consolidated.classes()[static_cast<std::size_t>(best_old - old.row(i))];
            result.push_back({lead, label_is_right(answer)});
        }
        return result;
    };
    std::vector<Case> recent, old;
    for (const Hippocampus::ClassExamples& c : held_out.contents())
        for (const Case& k : cases(c.rows, true, [&](ClassId answer) { return answer == c.id; }))
            recent.push_back(k);

    // About as many pseudo-examples as there are held-out rows, but enough for a smooth choice, spread over
    // the classes.
    const std::size_t classes = consolidated.classes().size();
    const std::size_t per_class = (std::max<std::size_t>(held_out.size(), 1000) + classes - 1) / classes;
    ReplayOptions mixture;
    mixture.borrow_residuals = options.sleep.borrow_residuals;
    Replay replay(studied, consolidated, mixture, rng);
    Matrix rows;
    for (std::size_t column = 0; column < classes; ++column) {
        replay.pseudo_examples(column, per_class, rows);
        const ClassId id = consolidated.classes()[column];
        for (const Case& k : cases(rows, false, [&](ClassId answer) { return answer == id; }))
            old.push_back(k);
    }
    router_->shift(best_offset(recent, old, options.amygdala.recent_weight));
}

std::vector<double> Amygdala::recent_probability(MatrixView input) const {
    std::vector<double> result = router_->logits(input);
    for (double& v : result) v = nn::logistic(v);
    return result;
}

void Amygdala::save(State& state) const {
    state.set("amygdala.trained", std::vector<std::int64_t>{trained(), sees_codes_});
    if (trained()) router_->save(state);
}

Amygdala Amygdala::load(const State& state, const PrefrontalCortex& consolidated,
                        const FearNetOptions& options) {
    const auto& flags = state.integer("amygdala.trained");
    Amygdala result;
    if (flags.size() != 2 || !flags[0]) return result;
    result.router_ = load_router(state, options);
    result.sees_codes_ = flags[1] != 0;
    const nn::Network& network = consolidated.network();
    const std::size_t needed = result.sees_codes_ ? network.code_size() : network.inputs();
    if (result.router_->width() != needed)
        throw Error("State: the router takes rows of " + std::to_string(result.router_->width()) +
                    " numbers but it would get " + std::to_string(needed));
    return result;
}

}  // namespace fearnet
