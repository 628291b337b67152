#include "core/learners/fearnet/amygdala.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <numeric>

#include "core/learners/fearnet/network_router.hpp"
#include "core/learners/fearnet/replay.hpp"
#include "core/learners/fearnet/shared_classes.hpp"
#include "core/learners/fearnet/training.hpp"
#include "core/nn/kernels.hpp"

namespace fearnet {
namespace {

struct Split {
    Hippocampus studied, held_out;
};

// Holds out `share` of the rows of each class from the router's training; at least one row per class stays.
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

// Candidate offsets of the router's logit.
constexpr double kLimit = 8, kStep = 0.25;
constexpr std::size_t kOffsets = static_cast<std::size_t>(2 * kLimit / kStep) + 1;
constexpr double offset_of(std::size_t i) {
    return static_cast<double>(i) * kStep - kLimit;
}

// By candidate: whether the row is classified correctly.
using Case = std::bitset<kOffsets>;

// The candidate with the best accuracy over held-out recent rows and pseudo-examples; the middle one of
// equals.
double best_offset(const std::vector<Case>& recent, const std::vector<Case>& old, double recent_weight) {
    double best = -1;
    std::vector<double> winners;
    for (std::size_t k = 0; k < kOffsets; ++k) {
        double found = 0, kept = 0;
        for (const Case& c : recent) found += c[k];
        for (const Case& c : old) kept += c[k];
        const double value = recent_weight * found / static_cast<double>(recent.size()) +
                             (1 - recent_weight) * kept / static_cast<double>(old.size());
        if (value > best + 1e-12) winners.clear();
        best = std::max(best, value);
        if (value >= best - 1e-12) winners.push_back(offset_of(k));
    }
    return winners[winners.size() / 2];
}

// Classifies rows with each offset.
class Trial {
  public:
    Trial(const Hippocampus& recent, const PrefrontalCortex& consolidated, const Router& router,
          bool sees_codes, const HippocampusOptions& options)
        : recent_(recent),
          consolidated_(consolidated),
          router_(router),
          sees_codes_(sees_codes),
          options_(options),
          shared_(shared_classes(recent, consolidated)) {}

    // Adds a case for each row, which is of the class in `ids`.
    void add(MatrixView rows, std::span<const ClassId> ids, std::vector<Case>& cases) const {
        Matrix codes, old;
        consolidated_.encode(rows, codes);
        consolidated_.probabilities_of_codes(codes, old);
        Matrix near = recent_.distances(rows);
        Hippocampus::to_probabilities(near, options_);
        const std::vector<double> logits = router_.logits(sees_codes_ ? MatrixView(codes) : rows);
        for (std::size_t i = 0; i < rows.rows; ++i)
            cases.push_back(try_row({near.row(i), near.cols()}, {old.row(i), old.cols()}, logits[i], ids[i]));
    }

  private:
    Case try_row(std::span<const float> near, std::span<const float> old, double logit, ClassId id) const {
        const auto best_near = std::max_element(near.begin(), near.end());
        const auto best_old = std::max_element(old.begin(), old.end());
        const bool near_right =
            recent_.contents()[static_cast<std::size_t>(best_near - near.begin())].id == id;
        const bool old_right =
            consolidated_.classes()[static_cast<std::size_t>(best_old - old.begin())] == id;
        const double p_near = static_cast<double>(*best_near), p_old = static_cast<double>(*best_old);
        // The psi rule: log max P_HC + logit A - log max P_mPFC is above 0.
        const double lead = std::log(p_near) + logit - std::log(std::max(1e-30, p_old));
        Case right;
        for (std::size_t k = 0; k < kOffsets; ++k) {
            right[k] = lead + offset_of(k) > 0 ? near_right : old_right;
            if (shared_.empty()) continue;
            const double a = nn::logistic(logit + offset_of(k));
            const SharedClass* s =
                passing_by_sum(shared_, near.data(), old.data(), a, std::max(a * p_near, (1 - a) * p_old));
            if (s) right[k] = recent_.contents()[s->recent].id == id;
        }
        return right;
    }

    const Hippocampus& recent_;
    const PrefrontalCortex& consolidated_;
    const Router& router_;
    bool sees_codes_;
    const HippocampusOptions& options_;
    std::vector<SharedClass> shared_;
};

// Approximate number of rows per batch.
constexpr std::size_t kRowsAtOnce = 1024;

void append_rows(MatrixView rows, Matrix& to) {
    const std::size_t first = to.rows();
    to.resize_rows(first + rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) std::copy_n(rows.row(i), rows.cols, to.row(first + i));
}

// All rows of the recent memory, class by class, as the router sees them.
Matrix detector_rows(const Hippocampus& recent, const PrefrontalCortex& consolidated, bool codes) {
    Matrix all, part;
    all.resize(0, codes ? consolidated.network().code_size() : consolidated.network().inputs());
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        if (codes) consolidated.encode(c.rows, part);
        append_rows(codes ? MatrixView(part) : MatrixView(c.rows), all);
    }
    return all;
}

constexpr std::size_t kRouterKinds = 4;

// By RouterKind. Written at program start, then only read.
std::array<RouterType, kRouterKinds>& router_types() {
    static std::array<RouterType, kRouterKinds> types{};
    return types;
}

const RouterType& registered(RouterKind kind) {
    const RouterType& type = router_types()[static_cast<std::size_t>(kind)];
    if (type.fit == nullptr)
        throw Error(
            "amygdala.kind: this program has only the router 'mlp'; the outlier detectors are in "
            "fearnet::lab, "
            "whose register_learners() adds them");
    return type;
}

std::unique_ptr<Router> fit_router(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                                   const FearNetOptions& options, Rng rng, const Progress& progress) {
    if (options.amygdala.kind == RouterKind::mlp)
        return std::make_unique<NetworkRouter>(recent, consolidated, options, rng, progress);
    const bool codes = options.amygdala.input == RouterInput::codes;
    return registered(options.amygdala.kind)
        .fit(detector_rows(recent, consolidated, codes), options.amygdala, rng.fork(1), progress);
}

std::unique_ptr<Router> load_router(const State& state, const FearNetOptions& options) {
    if (options.amygdala.kind == RouterKind::mlp) return std::make_unique<NetworkRouter>(state);
    return registered(options.amygdala.kind).load(state, options.amygdala);
}

bool any_only_old(const Hippocampus& recent, const PrefrontalCortex& consolidated) {
    return std::any_of(consolidated.classes().begin(), consolidated.classes().end(),
                       [&](ClassId id) { return !recent.holds(id); });
}

// Either memory may answer for a class that both hold. Its rows count as recent if some class is only in the
// long-term memory; otherwise its pseudo-examples count as consolidated.
Hippocampus evidence(Hippocampus recent, const PrefrontalCortex& consolidated) {
    if (!any_only_old(recent, consolidated))
        for (ClassId id : consolidated.classes()) recent.remove(id);
    return recent;
}

// A detector whose verdict selects the memory alone has no offset to choose, so no rows are held out.
double held_out_share(const AmygdalaOptions& options) {
    return options.kind != RouterKind::mlp && options.rejection ? 0 : options.held_out;
}

}  // namespace

void register_router(RouterKind kind, RouterType type) {
    router_types().at(static_cast<std::size_t>(kind)) = type;
}

bool Amygdala::needed(const Hippocampus& recent, const PrefrontalCortex& consolidated) {
    if (recent.empty() || consolidated.empty()) return false;
    return any_only_old(recent, consolidated) ||
           std::any_of(recent.contents().begin(), recent.contents().end(),
                       [&](const Hippocampus::ClassExamples& c) { return !consolidated.holds(c.id); });
}

void Amygdala::fit(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                   const FearNetOptions& options, Rng rng, const Progress& progress) {
    if (!needed(recent, consolidated)) {
        clear();
        return report(progress, {"router", 1, 1, 0}, "learn");
    }
    const Split split = hold_out(recent, held_out_share(options.amygdala), rng.fork(5));
    router_ = fit_router(evidence(split.studied, consolidated), consolidated, options, rng, progress);
    sees_codes_ = options.amygdala.input == RouterInput::codes;
    if (!split.held_out.empty()) calibrate(split.studied, split.held_out, consolidated, options, rng.fork(6));
}

void Amygdala::calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                         const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng) {
    const Trial trial(studied, consolidated, *router_, sees_codes_, options.hippocampus);
    std::vector<Case> recent, old;
    const LabeledRows held = held_out.examples();
    trial.add(held.x, held.labels, recent);

    // About as many pseudo-examples as there are held-out rows, but enough for a smooth choice, spread over
    // the classes.
    const std::size_t classes = consolidated.classes().size();
    const std::size_t per_class = (std::max<std::size_t>(held_out.size(), 1000) + classes - 1) / classes;
    ReplayOptions mixture;
    mixture.borrow_residuals = options.sleep.borrow_residuals;
    Replay replay(studied, consolidated, mixture, rng);
    // Large batches, since each batch reads the whole recent memory.
    Matrix drawn;
    LabeledRows batch;
    batch.x.resize(0, consolidated.network().inputs());
    for (std::size_t column = 0; column < classes; ++column) {
        replay.pseudo_examples(column, per_class, drawn);
        append_rows(drawn, batch.x);
        batch.labels.insert(batch.labels.end(), per_class, consolidated.classes()[column]);
        if (batch.labels.size() < kRowsAtOnce && column + 1 < classes) continue;
        trial.add(batch.x, batch.labels, old);
        batch.x.resize_rows(0);
        batch.labels.clear();
    }
    router_->shift(best_offset(recent, old, options.amygdala.recent_weight));
}

std::vector<double> Amygdala::recent_probability(MatrixView input) const {
    if (!router_) return std::vector<double>(input.rows, 0.5);
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
