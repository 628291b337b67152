#include "core/learners/plus/plus_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/learners/plus/temperature.hpp"
#include "core/math/gram.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPortion = 4096;
// Rows that sleep checks itself on at a time.
constexpr std::size_t kCheckedAtOnce = 1024;
// Rows of a class that settings are tried with.
constexpr std::size_t kRowsToTry = 128;
// With so many rows held out the settings are told apart well enough: fewer folds do.
constexpr std::size_t kEnoughHeld = 8000;

// Calls with the column and the features (what `map` makes of the rows) of every class that has some of these
// rows; at most `most` of them, evenly spread.
template <class Map, class Function>
void for_each_class(const Map& map, const PlusRows& rows, std::span<const std::size_t> which,
                    std::size_t classes, std::size_t most, const Function& function) {
    std::vector<std::vector<std::size_t>> by_class(classes);
    for (const std::size_t i : which) by_class[static_cast<std::size_t>(rows.columns[i])].push_back(i);
    Matrix part;
    for (std::size_t c = 0; c < classes; ++c) {
        std::vector<std::size_t>& mine = by_class[c];
        if (mine.empty()) continue;
        if (mine.size() > most) {
            for (std::size_t i = 0; i < most; ++i) mine[i] = mine[i * mine.size() / most];
            mine.resize(most);
        }
        if (mine.size() == rows.x.rows) return function(c, map(rows.x));
        gather_rows(rows.x, mine, part);
        function(c, map(part));
    }
}

std::vector<std::pair<std::size_t, Matrix>> some_of_each_class(const FeatureMap& map, const PlusRows& rows,
                                                               std::span<const std::size_t> which,
                                                               std::size_t classes) {
    std::vector<std::pair<std::size_t, Matrix>> result;
    for_each_class(map, rows, which, classes, kRowsToTry, [&](std::size_t column, Matrix features) {
        result.emplace_back(column, std::move(features));
    });
    return result;
}

std::vector<std::size_t> all_of(const PlusRows& rows) {
    std::vector<std::size_t> all(rows.x.rows);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

// What is known without the rows that are held out, and these as features.
struct Fold {
    Fold(const FeatureMap& map, const PlusRows& rows, std::span<const std::size_t> held,
         const ClassMoments& all)
        : moments(all) {
        Matrix part;
        gather_rows(rows.x, held, part);
        features = map(part);
        for (const std::size_t i : held) columns.push_back(rows.columns[i]);
        if (!columns.empty()) moments.remove(features, columns);
    }
    ClassMoments moments;
    Matrix features;
    std::vector<std::int32_t> columns;
};

void require_finite(const ClassMoments& moments, bool random) {
    for (std::size_t j = 0; j < moments.width(); ++j)
        if (!std::isfinite(moments.scatter(j, j)))
            throw Error("fearnet-plus::learn: " +
                        (random ? "the rows are so large that their variance is no number"
                                : "feature " + std::to_string(j) + " of " + std::to_string(moments.width()) +
                                      " is so large that its variance is no number") +
                        "; scale the rows");
}

std::size_t folds_for(const PlusRows& rows, std::size_t classes) {
    const std::size_t held = hold_out(rows.columns, classes).held.size();
    return held == 0 ? 1 : std::clamp<std::size_t>((kEnoughHeld + held - 1) / held, 1, kFolds);
}

}  // namespace

PlusModel::PlusModel(const PlusOptions& options, FeatureMap map)
    : map_(std::move(map)),
      shapes_(static_cast<std::size_t>(options.shape_rank), static_cast<std::size_t>(options.shape_most)),
      choices_(options, map_.is_random()) {}

Matrix PlusModel::count(const PlusRows& rows, std::size_t classes) {
    Matrix features;
    for (std::size_t first = 0; first < rows.x.rows; first += kPortion) {
        const std::size_t n = std::min(kPortion, rows.x.rows - first);
        features = map_(rows.x.slice(first, n));
        moments_.add(features, rows.columns.subspan(first, n), classes, true);
    }
    require_finite(moments_, map_.is_random());
    if (features.rows() < rows.x.rows) return {};
    return features;
}

// Classes of `by_class` are looked at anew in this metric; the other shapes are as they were.
PlusModel::Trial PlusModel::trial(const ClassMoments& moments, const ByClass& by_class,
                                  double shrinkage) const {
    const SharedMetric metric(moments, shrinkage);
    const std::vector<double>& doubts = choices_.doubts();
    const bool doubted = std::any_of(doubts.begin(), doubts.end(), [](double doubt) { return doubt > 0; });
    Trial made{PosteriorMeans(moments, metric.readout(moments), metric, doubted), shapes_};
    for (const auto& [column, features] : by_class) made.shapes.learn(column, features, metric);
    made.shapes.set_ridge(metric.ridge());
    return made;
}

// The accuracy of every combination of settings on the held-out rows.
std::vector<double> PlusModel::accuracies(const ClassMoments& moments, const ByClass& by_class,
                                          const PlusRows& held, const PlusShare& share) const {
    std::vector<double> right;
    for (std::size_t s = 0; s < choices_.shrinkages().size(); ++s) {
        share(static_cast<double>(s) / static_cast<double>(choices_.shrinkages().size()));
        if (choices_.hopeless(s)) {
            right.resize(right.size() + choices_.per_shrinkage());
            continue;
        }
        const Trial tried = trial(moments, by_class, choices_.shrinkages()[s]);
        std::vector<double> strengths;
        for (const PlusKind& kind : choices_.kinds()) strengths.push_back(kind.strength);
        std::vector<Matrix> corrections;  // what the strength of each kind adds
        for (const double doubt : choices_.doubts())
            for (std::size_t k = 0; k < strengths.size(); ++k) {
                Matrix scores = tried.means.readout(doubt, choices_.kinds()[k].pull).scores(held.x);
                if (corrections.empty())
                    corrections =
                        tried.shapes.corrected(held.x, Matrix(scores.rows(), scores.cols()), strengths);
                for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] += corrections[k].data()[i];
                ClassAccuracy accuracy(scores.cols());
                accuracy.add(scores, held.columns);
                right.push_back(accuracy.mean());
            }
    }
    return right;
}

void PlusModel::find_temperature(const ClassMoments& moments, const ByClass& by_class, const PlusRows& held) {
    const PlusSettings best = choices_.best(moments.rows());
    const Trial tried = trial(moments, by_class, best.shrinkage);
    const double strengths[] = {best.kind.strength};
    const Matrix plain = tried.means.readout(best.doubt, best.kind.pull).scores(held.x);
    temperature_ = static_cast<float>(
        likeliest_temperature(tried.shapes.corrected(held.x, plain, strengths)[0], held.columns));
}

void PlusModel::look(std::size_t column, MatrixView features, const SharedMetric& metric, double strength) {
    if (strength > 0)
        shapes_.learn(column, features, metric);
    else
        shapes_.leave_out(column);
}

void PlusModel::settle(const SharedMetric& metric, const PlusSettings& settings) {
    readout_ = PosteriorMeans(moments_, metric.readout(moments_), metric, settings.doubt > 0)
                   .readout(settings.doubt, settings.kind.pull);
    shapes_.set_ridge(metric.ridge());
    shapes_.set_strength(settings.kind.strength);
    if (!(settings.kind.strength > 0)) shapes_.fit_into(0);
}

PlusModel PlusModel::base(const PlusOptions& options, FeatureMap map, const PlusRows& rows,
                          std::size_t classes, const PlusShare& share) {
    PlusModel model(options, std::move(map));
    model.chosen_with_ = classes;
    model.count(rows, classes);
    model.moments_.scatter = PackedSymmetric(model.moments_.scatter).unpacked();  // as it will be kept
    const std::size_t folds = folds_for(rows, classes);
    // What is left after the folds takes about as long as two shrinkages of one.
    const double per_fold = static_cast<double>(model.choices_.shrinkages().size()),
                 all = per_fold * static_cast<double>(folds) + 2;
    for (std::size_t f = 0; f < folds; ++f) {
        const double before = per_fold * static_cast<double>(f);
        share(before / all);
        const HeldOutSplit split = hold_out(rows.columns, classes, f);
        if (split.held.empty() || classes < 2) continue;
        const Fold fold(model.map_, rows, split.held, model.moments_);
        const ByClass fit = some_of_each_class(model.map_, rows, split.fit, classes);
        const PlusRows held{fold.features, fold.columns};
        const std::vector<double> right = model.accuracies(
            fold.moments, fit, held, [&](double of_fold) { share((before + per_fold * of_fold) / all); });
        model.choices_.add(right, split.held.size(), fold.moments.rows(), classes);
        if (f + 1 == folds) model.find_temperature(fold.moments, fit, held);
    }
    share(1 - 1 / all);
    const PlusSettings best = model.choices_.best(model.moments_.rows());
    const SharedMetric metric(model.moments_, best.shrinkage);
    for_each_class(model.map_, rows, all_of(rows), classes, rows.x.rows,
                   [&](std::size_t column, const Matrix& features) {
                       model.look(column, features, metric, best.kind.strength);
                   });
    model.settle(metric, best);
    model.scatter_ = PackedSymmetric(model.moments_.scatter);
    model.moments_.scatter = Matrix();
    share(1);
    return model;
}

PlusModel PlusModel::taught(const PlusRows& rows, std::size_t classes, const PlusSteps& steps) const {
    const std::size_t known = moments_.classes();
    PlusModel next;  // the scatter and the read-out are made anew
    next.map_ = map_, next.moments_ = moments_, next.shapes_ = shapes_, next.choices_ = choices_;
    next.temperature_ = temperature_, next.chosen_with_ = chosen_with_;
    next.moments_.scatter = scatter_.unpacked();
    const Matrix counted = next.count(rows, classes);
    next.scatter_ = PackedSymmetric(next.moments_.scatter);
    steps(1);
    const PlusSettings best = choices_.best(next.moments_.rows());
    const SharedMetric metric(std::move(next.moments_.scatter), next.moments_.rows(), best.shrinkage,
                              [&] { return next.scatter_.unpacked(); });
    next.moments_.scatter = Matrix();
    steps(2);
    const auto add = [&](std::size_t column, MatrixView features) {
        const auto rows_now = static_cast<std::int64_t>(features.rows),
                   before = column < known ? next.moments_.counts[column] - rows_now : 0;
        if (rows_now > before) {
            next.look(column, features, metric, best.kind.strength);
            if (before > 0) next.shapes_.center(column, next.moments_.means.row(column), before, rows_now);
        } else
            next.shapes_.meet(column, features, before);
    };
    const auto as_it_is = [](MatrixView features) { return features; };
    if (best.kind.strength > 0 && !counted.empty())
        for_each_class(as_it_is, {counted, rows.columns}, all_of(rows), classes, rows.x.rows, add);
    else if (best.kind.strength > 0)
        for_each_class(map_, rows, all_of(rows), classes, rows.x.rows, add);
    else
        for (std::size_t c = known; c < classes; ++c) next.shapes_.leave_out(c);
    next.settle(metric, best);
    steps(3);
    return next;
}

void PlusModel::sleep(const PlusRows& recent, const std::set<std::int32_t>& fresh, const PlusShare& share) {
    constexpr double kReady = 0.1, kChosen = 0.7;
    const std::size_t classes = moments_.classes();
    moments_.scatter = scatter_.unpacked();
    math::mirror_lower(moments_.scatter);
    shapes_.set_shared(moments_);
    const auto only_fresh = [&](std::span<const std::size_t> which) {
        std::vector<std::size_t> result;
        for (const std::size_t i : which)
            if (fresh.contains(recent.columns[i])) result.push_back(i);
        return result;
    };
    share(kReady);
    const HeldOutSplit split = hold_out(recent.columns, classes);
    if (!split.held.empty() && fresh.size() > chosen_with_) {
        const Fold fold(map_, recent, split.held, moments_);
        const ByClass fit = some_of_each_class(map_, recent, only_fresh(split.fit), classes);
        const PlusRows held{fold.features, fold.columns};
        const std::vector<double> right = accuracies(
            fold.moments, fit, held, [&](double part) { share(kReady + (kChosen - kReady) * part); });
        choices_.add(right, split.held.size(), fold.moments.rows(), classes);
        find_temperature(fold.moments, fit, held);
        chosen_with_ = classes;
    }
    share(kChosen);
    const PlusSettings best = choices_.best(moments_.rows());
    const SharedMetric metric(moments_, best.shrinkage);
    for_each_class(map_, recent, only_fresh(all_of(recent)), classes, recent.x.rows,
                   [&](std::size_t column, const Matrix& features) {
                       look(column, features, metric, best.kind.strength);
                   });
    settle(metric, best);
    moments_.scatter = Matrix();
    share(1);
}

void PlusModel::drop(std::size_t column) {
    moments_.drop(column);
    readout_.weights = without_row(readout_.weights, column);
    readout_.bias.erase(readout_.bias.begin() + static_cast<std::ptrdiff_t>(column));
    shapes_.drop(column);
}

std::size_t PlusModel::least_bytes(std::size_t classes, std::size_t piece, std::size_t random) {
    const std::size_t width = random > 0 ? random : piece, row = width * sizeof(float);
    const std::size_t map = FeatureMap::bytes(piece, width, random > 0),
                      moments = classes * (sizeof(std::int64_t) + row),
                      scatter = row + width * (width - 1) / 2 * sizeof(std::int16_t),
                      readout = classes * (row + sizeof(float));
    return map + moments + scatter + readout;
}

void PlusModel::fit_into(std::size_t bytes) {
    const std::size_t others = this->bytes() - shapes_.bytes();
    shapes_.fit_into(bytes > others ? bytes - others : 0);
}

double PlusModel::check(const PlusRows& recent) const {
    ClassAccuracy accuracy(moments_.classes());
    std::vector<bool> seen(moments_.classes());
    for (const std::int32_t c : recent.columns) seen[static_cast<std::size_t>(c)] = true;
    std::vector<std::int32_t> others;
    for (std::size_t c = 0; c < seen.size(); ++c)
        if (!seen[c]) others.push_back(static_cast<std::int32_t>(c));
    // The recent rows as they are, then as those of the other classes, which get one each at least.
    const std::size_t moved = others.empty() ? 0 : std::max(recent.x.rows, others.size());
    const auto check_some = [&](std::size_t first, std::size_t rows, bool as_others) {
        std::vector<std::size_t> which;
        std::vector<std::int32_t> columns;
        for (std::size_t i = first; i < first + rows; ++i) {
            which.push_back(i % recent.x.rows);
            columns.push_back(as_others ? others[i % others.size()] : recent.columns[i]);
        }
        Matrix part;
        gather_rows(recent.x, which, part);
        Matrix features = map_(part);
        for (std::size_t i = 0; as_others && i < rows; ++i) {
            const float *from = moments_.means.row(static_cast<std::size_t>(recent.columns[which[i]])),
                        *to = moments_.means.row(static_cast<std::size_t>(columns[i]));
            for (std::size_t j = 0; j < features.cols(); ++j) features(i, j) += to[j] - from[j];
        }
        accuracy.add(scores_of(features), columns);
    };
    for (const bool as_others : {false, true}) {
        const std::size_t all = as_others ? moved : recent.x.rows;
        for (std::size_t first = 0; first < all; first += kCheckedAtOnce)
            check_some(first, std::min(kCheckedAtOnce, all - first), as_others);
    }
    return accuracy.mean();
}

PlusFormula PlusModel::formula() const {
    PlusFormula formula;
    formula.root = map_.root();
    if (map_.is_random()) {
        formula.given_center = map_.given_center();
        formula.frames = map_.frames();
        formula.random = map_.weights(), formula.random_bias = map_.bias();
    }
    formula.center = map_.center();
    formula.weights = readout_.weights;
    formula.bias = Matrix(1, readout_.bias.size());
    std::copy(readout_.bias.begin(), readout_.bias.end(), formula.bias.data());
    shapes_.formula(formula.directions, formula.offsets, formula.sums);
    const auto times = [](Matrix& m, float factor) {
        for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] *= factor;
    };
    times(formula.weights, map_.scale() / temperature_);
    times(formula.directions, map_.scale());
    times(formula.bias, 1 / temperature_);
    times(formula.sums, 1 / temperature_);
    return formula;
}

Matrix PlusModel::scores_of(MatrixView features) const {
    Matrix result = readout_.scores(features);
    shapes_.correct(features, result);
    return result;
}

Matrix PlusModel::scores(MatrixView x) const {
    return scores_of(map_(x));
}

std::size_t PlusModel::statistics_bytes() const {
    return map_.bytes() + moments_.bytes() + scatter_.bytes() + shapes_.bytes();
}

void PlusModel::save(State& state) const {
    map_.save(state);
    moments_.save(state);
    scatter_.save(state, "scatter");
    state.set("readout.weights", readout_.weights, ArrayKind::readout);
    Matrix bias(1, readout_.bias.size());
    std::copy(readout_.bias.begin(), readout_.bias.end(), bias.data());
    state.set("readout.bias", std::move(bias), ArrayKind::readout);
    shapes_.save(state);
    choices_.save(state);
    state.set("temperature", static_cast<double>(temperature_));
    state.set("chosen_with", std::vector<std::int64_t>{static_cast<std::int64_t>(chosen_with_)});
}

PlusModel PlusModel::load(const State& state, const PlusOptions& options, std::size_t classes,
                          std::size_t inputs) {
    PlusModel model(options, FeatureMap::load(state, inputs));
    const std::size_t width = model.map_.outputs();
    model.moments_ = ClassMoments::load(state, classes, width, false);
    model.scatter_ = PackedSymmetric::load(state, "scatter", width);
    model.readout_.weights = state.finite("readout.weights", classes, width);
    const Matrix& bias = state.finite("readout.bias", 1, classes);
    model.readout_.bias.assign(bias.data(), bias.data() + bias.size());
    model.shapes_ = ClassShapes::load(state, classes, width, static_cast<std::size_t>(options.shape_rank),
                                      static_cast<std::size_t>(options.shape_most));
    model.choices_.load(state);
    model.temperature_ = static_cast<float>(state.number("temperature"));
    if (const auto t = static_cast<double>(model.temperature_);
        !(t >= 0.99 / kMostTemperature) || !(t <= 1.01 * kMostTemperature))
        throw Error("State: 'temperature' must be a number from 0.001 to 1000");
    const std::vector<std::int64_t>& with = state.integer("chosen_with");
    if (with.size() != 1 || with[0] < 1) throw Error("State: 'chosen_with' must be one positive number");
    model.chosen_with_ = static_cast<std::size_t>(with[0]);
    return model;
}

}  // namespace fearnet
