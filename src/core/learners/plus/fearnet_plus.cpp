#include "core/learners/plus/fearnet_plus.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/gather_rows.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/review.hpp"
#include "core/learners/plus/suspects.hpp"

namespace fearnet {
namespace {

void report_share(const Progress& progress, std::string_view phase, double share, const char* where) {
    constexpr double kSteps = 1000;
    report(progress, {phase, static_cast<std::size_t>(kSteps * share), static_cast<std::size_t>(kSteps)},
           where);
}

std::vector<std::int32_t> first_columns(std::size_t count) {
    std::vector<std::int32_t> columns(count);
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

}  // namespace

// All is made anew, and put in place when nothing can throw any more: adding the recent rows is the last that
// can, and then adds none.
void FearNetPlus::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                        const Progress& progress) {
    const PlusRows rows{x, columns};
    std::size_t made = model_.random_features(), piece = model_.piece(), frames = 1;
    if (first_session()) {
        frames = frames_of(x.cols);
        piece = x.cols / frames;
        made = settings().transform == PlusTransform::random ? random_features(piece) : 0;
    }
    const std::size_t least = PlusModel::least_bytes(classes, x.cols, made > 0 ? piece : x.cols, made);
    if (budget() > 0 && least > budget())
        throw Error(
            "fearnet-plus::learn: " + std::to_string(classes) + " classes of " + std::to_string(x.cols) +
            " features" + (made > 0 ? ", seen as " + std::to_string(made) + " random ones," : "") +
            " need at least " + std::to_string(least) + " bytes but memory.budget is " +
            std::to_string(budget()) + "; raise it, " +
            (made > 0 ? "take fewer random ones (features.random), " : "") + "or forget a class first");
    if (first_session()) {
        PlusModel next = base(rows, classes, frames, progress);
        // One class says nothing of what sets classes apart: its rows wait for those of others.
        const bool waits = classes == 1 && within_budget(next, x);
        std::vector<std::int32_t> consolidated = first_columns(waits ? 0 : classes);
        keep_within_budget(next);
        if (waits) recent_.add(x, columns);
        model_ = std::move(next);
        consolidated_ = std::move(consolidated);
        return;
    }
    PlusModel next = model_.taught(rows, classes, [&](std::size_t step) {
        report(progress, {"learn", step, PlusModel::kLearnSteps}, "learn");
    });
    const bool keep_rows = within_budget(next, x);
    std::vector<std::int32_t> consolidated = keep_rows ? consolidated_ : first_columns(classes);
    keep_within_budget(next);
    if (keep_rows)
        recent_.add(x, columns);
    else
        recent_.clear();
    model_ = std::move(next);
    consolidated_ = std::move(consolidated);
}

std::size_t FearNetPlus::random_features(std::size_t width) const {
    return std::min(static_cast<std::size_t>(settings().random_features), kMostPerFeature * width);
}

bool FearNetPlus::within_budget(const PlusModel& model, MatrixView more) const {
    return budget() == 0 ||
           model.bytes() + recent_.bytes() + RowStore::bytes(more.rows, more.cols) <= budget();
}

std::size_t FearNetPlus::frames_of(std::size_t width) const {
    const PlusTransform transform = settings().transform;
    if (transform == PlusTransform::none || transform == PlusTransform::sqrt) return 1;
    const auto frames = static_cast<std::size_t>(settings().frames);
    if (width % frames != 0)
        throw Error("fearnet-plus::learn: rows of " + std::to_string(width) +
                    " features cannot be divided into features.frames = " + std::to_string(frames) +
                    " frames of the same size; set a divisor of " + std::to_string(width) +
                    ", or 1 for rows without frames");
    return frames;
}

// The feature maps to try, those that keep the least memory first.
std::vector<FearNetPlus::Candidate> FearNetPlus::candidates(std::size_t width, std::size_t classes,
                                                            std::size_t frames) const {
    const std::size_t piece = width / frames;
    const PlusTransform wanted = settings().transform;
    if (wanted == PlusTransform::random) {
        if (settings().random_features == 0)
            throw Error(
                "fearnet-plus::learn: features.transform is random but features.random is 0; set it, or "
                "another transform");
        return {{wanted, random_features(piece), frames}};
    }
    if (wanted != PlusTransform::automatic) return {{wanted}};
    std::vector<Candidate> result = {{PlusTransform::none}, {PlusTransform::sqrt}};
    // Of narrow rows, or pieces of rows, and with room for as many classes again, for their directions and
    // for recent rows.
    const auto add_random = [&](std::size_t of, std::size_t pieces) {
        const std::size_t count = random_features(of);
        if (kLeastPerFeature * of <= count &&
            (budget() == 0 || PlusModel::least_bytes(2 * classes, width, of, count) <= budget() / 2))
            result.push_back({PlusTransform::random, count, pieces});
    };
    if (frames > 1) add_random(piece, frames);
    add_random(width, 1);
    return result;
}

PlusModel FearNetPlus::base(const PlusRows& rows, std::size_t classes, std::size_t frames,
                            const Progress& progress) const {
    const std::vector<Candidate> tried = candidates(rows.x.cols, classes, frames);
    // Costs differ by orders of magnitude: a covariance of d features is made of n rows and factored.
    std::vector<double> cost_before{0};
    for (const Candidate& c : tried) {
        const auto d = static_cast<double>(c.random > 0 ? c.random : rows.x.cols);
        cost_before.push_back(cost_before.back() + d * d * (d + static_cast<double>(rows.x.rows)));
    }
    std::vector<std::int64_t> counts(classes);
    for (const std::int32_t c : rows.columns) ++counts[static_cast<std::size_t>(c)];
    const AskedRows asked(rows.columns, counts);
    std::optional<PlusModel> best;
    FirstRidges first;  // of a map, those that were best with the map before
    for (std::size_t k = 0; k < tried.size(); ++k) {
        // Without a wrong answer, or without any, nothing speaks for another map.
        if (best && std::count(best->answers().begin(), best->answers().end(), 0) == 0) break;
        FeatureMap map = tried[k].transform == PlusTransform::random
                             ? FeatureMap::random(rows.x, tried[k].random, fixed_rng(), tried[k].frames)
                             : FeatureMap(rows.x, tried[k].transform == PlusTransform::sqrt);
        PlusModel next =
            PlusModel::base(settings(), std::move(map), rows, classes, asked, first, [&](double share) {
                const double cost = cost_before[k] + share * (cost_before[k + 1] - cost_before[k]);
                report_share(progress, "base", cost / cost_before.back(), "learn");
            });
        if (!best || clearly_better(next.answers(), best->answers(), asked.weights)) best = std::move(next);
    }
    best->finish(rows, asked);
    report_share(progress, "base", 1, "learn");
    return *std::move(best);
}

void FearNetPlus::keep_within_budget(PlusModel& model) const {
    if (budget() > 0) model.fit_into(budget());
}

void FearNetPlus::do_sleep(const SleepEffort&, const Progress& progress) {
    if (recent_.size() == 0) return;
    PlusModel next = model_;
    std::set<std::int32_t> fresh(recent_.columns().begin(), recent_.columns().end());
    for (const std::int32_t c : consolidated_) fresh.erase(c);
    const PlusRows recent{recent_.x(), recent_.columns()};
    next.sleep(recent, fresh, [&](double share) { report_share(progress, "sleep", share, "sleep"); });
    keep_within_budget(next);
    std::vector<std::int32_t> consolidated = first_columns(class_count());
    model_ = std::move(next);
    consolidated_ = std::move(consolidated);
    recent_.clear();
}

std::vector<double> FearNetPlus::expected_accuracy() const {
    if (class_count() < 2) return {};
    const std::vector<double> by_column = model_.expected_accuracy({recent_.x(), recent_.columns()});
    std::vector<double> result;
    for (const std::size_t column : columns_in_order()) result.push_back(by_column[column]);
    return result;
}

std::vector<ClassReview> FearNetPlus::review() const {
    if (class_count() < 2) return {};
    const std::vector<PlusClassReview> by_column = review_classes(model_, {recent_.x(), recent_.columns()});
    const std::vector<ClassId> ids = classes();
    const std::vector<std::size_t> order = columns_in_order();
    std::vector<ClassId> of_column(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) of_column[order[k]] = ids[k];
    std::vector<ClassReview> result;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const PlusClassReview& c = by_column[order[k]];
        ClassReview entry{ids[k], c.accuracy, c.error, c.with_half, c.with_twice, {}};
        for (const auto& [column, share] : c.confusions)
            entry.confusions.push_back({of_column[column], share});
        result.push_back(std::move(entry));
    }
    return result;
}

std::vector<SuspectRow> FearNetPlus::do_suspect_rows(const LabeledView& session) const {
    ClassColumns all;  // as learn would make them
    std::vector<ClassId> by_column(class_count());
    const std::vector<std::size_t> order = columns_in_order();
    const std::vector<ClassId> ids = classes();
    for (std::size_t k = 0; k < ids.size(); ++k) by_column[order[k]] = ids[k];
    all.add(by_column);
    const std::vector<std::int32_t> labels = all.add(session.labels);
    const PlusRows rows{session.x, labels};
    if (all.size() < 2) return {};
    std::vector<PlusSuspect> found;
    if (first_session())
        found = find_suspects(base(rows, all.size(), frames_of(session.x.cols), {}), rows, all.size(), true);
    else
        found = find_suspects(model_, rows, all.size(), false);
    std::vector<SuspectRow> result;
    for (const PlusSuspect& s : found)
        result.push_back({s.row, all[static_cast<std::size_t>(s.looks_like)], s.probability});
    return result;
}

Matrix FearNetPlus::whitened_means() const {
    Matrix result;
    if (class_count() > 0) gather_rows(model_.whitened_means(), columns_in_order(), result);
    return result;
}

Matrix FearNetPlus::scores(MatrixView x) const {
    return model_.scores(x);
}

ScoredRows FearNetPlus::do_scored(MatrixView x) const {
    ScoredRows result = model_.scored(x);
    result.scores = in_class_order(std::move(result.scores));
    return result;
}

Matrix FearNetPlus::do_class_p_values(MatrixView x) const {
    return in_class_order(model_.class_p_values(x));
}

void FearNetPlus::to_probabilities(std::span<float> scores) const {
    model_.calibration().apply(scores);
    ScoringLearner::to_probabilities(scores);
}

PlusFormula FearNetPlus::formula() const {
    PlusFormula formula = model_.formula();
    const std::vector<std::size_t> order = columns_in_order();
    for (Matrix* by_class : {&formula.weights, &formula.sums}) {
        Matrix ordered;
        gather_rows(*by_class, order, ordered);
        *by_class = std::move(ordered);
    }
    Matrix bias(1, order.size());
    for (std::size_t k = 0; k < order.size(); ++k) bias(0, k) = formula.bias(0, order[k]);
    formula.bias = std::move(bias);
    return formula;
}

void FearNetPlus::drop(std::size_t column) {
    PlusModel next = model_;
    RowStore recent;
    next.drop(column);
    const auto moved = [column](std::int32_t c) { return c - (static_cast<std::size_t>(c) > column); };
    for (std::size_t i = 0; i < recent_.size(); ++i) {
        const std::int32_t c = recent_.columns()[i];
        if (static_cast<std::size_t>(c) == column) continue;
        const std::int32_t left = moved(c);
        recent.add(recent_.x().slice(i, 1), {&left, 1});
    }
    std::vector<std::int32_t> consolidated;
    for (const std::int32_t c : consolidated_)
        if (static_cast<std::size_t>(c) != column) consolidated.push_back(moved(c));
    model_ = std::move(next);
    recent_ = std::move(recent);
    consolidated_ = std::move(consolidated);
}

MemoryUse FearNetPlus::memory() const {
    return {{"statistics", model_.statistics_bytes()},
            {"readout", model_.readout_bytes()},
            {"examples", recent_.bytes()}};
}

void FearNetPlus::save_model(State& state) const {
    model_.save(state);
    recent_.save(state, "examples");
    state.set("consolidated", std::vector<std::int64_t>(consolidated_.begin(), consolidated_.end()));
}

void FearNetPlus::load_model(const State& state) {
    PlusModel model = PlusModel::load(state, settings(), class_count(), width());
    std::vector<std::int64_t> rows(class_count());
    recent_ = RowStore::load(state, "examples", class_count(), width());
    if (recent_.size() > 0) state.finite("examples.x", recent_.size(), width());
    for (const std::int32_t c : recent_.columns())
        if (++rows[static_cast<std::size_t>(c)] > model.counts()[static_cast<std::size_t>(c)])
            throw Error("State: more recent rows of column " + std::to_string(c) + " than its " +
                        std::to_string(model.counts()[static_cast<std::size_t>(c)]) + " rows");
    for (const std::int64_t c : state.integer("consolidated")) {
        if (c < 0 || c >= static_cast<std::int64_t>(class_count()))
            throw Error("State: 'consolidated' names column " + std::to_string(c) + " of " +
                        std::to_string(class_count()));
        consolidated_.push_back(static_cast<std::int32_t>(c));
    }
    model_ = std::move(model);
}

}  // namespace fearnet
