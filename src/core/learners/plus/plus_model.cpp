#include "core/learners/plus/plus_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/learners/plus/calibration.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/expected_accuracy.hpp"
#include "core/math/gram.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPortion = 4096;
// Rows whose axes are fitted at once, if they are of several classes.
constexpr std::size_t kBatch = 2048;
// Leave-one-out scores that are computed in a session after the first: rows times classes.
constexpr std::size_t kAskedScores = std::size_t{1} << 21;

// Calls with the column, the features and what owns them of every class that has some of these rows. Without
// a map the rows are features, and those of a session of one class are its own.
template <class Function>
void for_each_class(const FeatureMap* map, const PlusRows& rows, std::span<const std::size_t> which,
                    std::size_t classes, const Function& function) {
    std::vector<std::vector<std::size_t>> by_class(classes);
    for (const std::size_t i : which) by_class[static_cast<std::size_t>(rows.columns[i])].push_back(i);
    for (std::size_t c = 0; c < classes; ++c) {
        const std::vector<std::size_t>& mine = by_class[c];
        if (mine.empty()) continue;
        const bool whole = mine.size() == rows.x.rows;
        Matrix features;
        if (!whole) gather_rows(rows.x, mine, features);
        if (map) features = (*map)(whole ? rows.x : features.view());
        const MatrixView view = features.empty() ? rows.x : features.view();
        function(c, view, std::move(features));
    }
}

std::vector<std::size_t> all_of(const PlusRows& rows) {
    std::vector<std::size_t> all(rows.x.rows);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

void require_finite(const ClassMoments& moments, bool random) {
    for (std::size_t j = 0; j < moments.width(); ++j)
        if (!std::isfinite(moments.scatter(j, j)))
            throw Error("fearnet-plus::learn: " +
                        (random ? "the rows are so large that their variance is no number"
                                : "feature " + std::to_string(j) + " of " + std::to_string(moments.width()) +
                                      " is so large that its variance is no number") +
                        "; scale the rows");
}

Matrix features_of(const FeatureMap& map, MatrixView x, std::span<const std::size_t> rows) {
    Matrix some;
    gather_rows(x, rows, some);
    return map(some);
}

// Correct answers of each class, with one more answer of average accuracy; -1 for a class that was not asked.
std::vector<double> class_accuracies(const Answers& answers, const AskedRows& asked, std::size_t classes) {
    std::vector<double> right(classes), all(classes), result(classes, -1);
    const double average = accuracy(answers, asked.weights);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto c = static_cast<std::size_t>(asked.columns[i]);
        right[c] += answers[i], ++all[c];
    }
    for (std::size_t c = 0; c < classes; ++c)
        if (all[c] > 0) result[c] = (right[c] + average) / (all[c] + 1);
    return result;
}

}  // namespace

PlusModel::PlusModel(const PlusOptions& options, FeatureMap map)
    : map_(std::move(map)), covariances_(kAxes), options_(options) {}

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

void PlusModel::select(const Matrix& features, const AskedRows& asked, FirstRidges& first,
                       const PlusShare& share) {
    // A typical class is asked this many rows, four fifths of which its axes are fitted to.
    const std::size_t asked_rows = asked.rows.size() / moments_.classes(),
                      model_rows = std::min(static_cast<std::size_t>(moments_.rows()) / moments_.classes(),
                                            kSleepSample);
    const bool underrated = 2 * asked_rows < model_rows;
    Candidate chosen =
        choose_settings({moments_, features, asked, kAxes, underrated}, options_, first, share);
    settings_ = chosen.settings;
    answers_ = std::move(chosen.answers);
    chosen_rows_ = static_cast<double>(moments_.rows());
    chosen_with_ = moments_.classes();
}

double PlusModel::ridge() const {
    if (options_.ridge > 0 || !(chosen_rows_ > 0)) return settings_.ridge;
    return settings_.ridge * std::sqrt(chosen_rows_ / static_cast<double>(moments_.rows()));
}

void PlusModel::fit_axes(const PlusRows& rows, std::span<const std::size_t> which,
                         const SharedCovariance& covariance) {
    AxisFit fit;
    const auto learn = [&] {
        covariance.whiten(fit.samples());
        covariances_.learn(fit, covariance);
        fit = {};
    };
    for_each_class(&map_, rows, which, moments_.classes(),
                   [&](std::size_t column, MatrixView features, Matrix owned) {
                       if (fit.rows() > 0 && fit.rows() + features.rows > kBatch) learn();
                       fit.add(column, features, std::move(owned), kSleepSample);
                   });
    if (fit.rows() > 0) learn();
}

// Taught rows vary with W less its ridge: in units of W, by 1 - ridge |w|^2 along a mean of length one, where
// w is the mean as a function of the features. W was fitted to them; new rows vary more, by (1 - dof / n)^-2.
double PlusModel::variance_along_means(const LinearDiscriminant& discriminant,
                                       const SharedCovariance& covariance) const {
    const bool angle = !(settings_.class_covariance > 0);
    double sum = 0, counted = 0;
    for (std::size_t c = 0; c < moments_.classes(); ++c) {
        const double norm = discriminant.noisy_squared_norms()[c],
                     factor =
                         angle ? angle_factor(discriminant.squared_norms()[c], discriminant.mean_norm()) : 1;
        if (!(norm > 0)) continue;
        double squares = 0;
        for (const float w : readout_.weights.view().row_span(c))
            squares += static_cast<double>(w) * static_cast<double>(w);
        sum += std::clamp(1 - covariance.ridge() * squares / (factor * factor * norm), 0.0, 1.0);
        ++counted;
    }
    const double left =
        std::max(0.2, 1 - discriminant.effective_dof() / static_cast<double>(moments_.rows()));
    return counted > 0 ? sum / counted / (left * left) : 1;
}

void PlusModel::refit(const LinearDiscriminant& discriminant, const SharedCovariance& covariance) {
    readout_ = settings_.class_covariance > 0 ? discriminant.by_distance() : discriminant.by_angle();
    covariances_.set_ridge(covariance.ridge());
    covariances_.set_strength(settings_.class_covariance);
    if (!(settings_.class_covariance > 0)) covariances_.fit_into(0);
    open_.refit(discriminant, !(settings_.class_covariance > 0),
                variance_along_means(discriminant, covariance));
}

PlusModel PlusModel::base(const PlusOptions& options, FeatureMap map, const PlusRows& rows,
                          std::size_t classes, const AskedRows& asked, FirstRidges& first,
                          const PlusShare& share) {
    PlusModel model(options, std::move(map));
    model.count(rows, classes);
    model.moments_.scatter = PackedSymmetric(model.moments_.scatter).unpacked();  // as it will be kept
    model.chosen_with_ = classes;
    model.settings_ = {options.ridge > 0 ? options.ridge : first.linear,
                       std::max(0.0, options.covariance_strength)};
    if (!asked.rows.empty() && classes > 1)
        model.select(features_of(model.map_, rows.x, asked.rows), asked, first, share);
    share(1);
    return model;
}

// The ridge is that of the last choice: rows vary as before when it falls.
void PlusModel::fit_spreads(const Answers& answers, const AskedRows& asked) {
    spreads_.resize(moments_.classes());
    if (answers.empty()) return;
    PseudoRows(readout_, moments_, SharedCovariance(moments_, settings_.ridge))
        .fit(class_accuracies(answers, asked, moments_.classes()), spreads_);
}

Matrix PlusModel::probabilities(Matrix scores) const {
    parallel_range(scores.rows(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::span<float> row(scores.row(i), scores.cols());
            calibration_.apply(row);
            softmax(row);
        }
    });
    return scores;
}

Matrix PlusModel::HeldOut::scores() const {
    if (terms.empty()) return split.by_angle();
    Matrix scores = split.by_distance();
    for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] += terms.data()[i];
    return scores;
}

PlusModel::HeldOut PlusModel::held_out(Matrix features, const Matrix& white, const AskedRows& asked,
                                       const LinearDiscriminant& discriminant) const {
    HeldOut held{std::move(features), discriminant.leave_one_out(white, asked.columns), {}};
    if (!(settings_.class_covariance > 0)) return held;
    held.terms = Matrix(white.rows(), moments_.classes());
    covariances_.correct(held.features, held.terms);
    const std::size_t classes = moments_.classes();
    const double strengths[] = {settings_.class_covariance};
    const Matrix own = std::move(held_out_axis_terms(
        white, asked.columns, classes, ClassCovariances::most_axes(kAxes, classes), strengths)[0]);
    for (std::size_t i = 0; i < own.rows(); ++i) {
        const auto c = static_cast<std::size_t>(asked.columns[i]);
        held.terms(i, c) = own(i, c);
    }
    return held;
}

PlusModel::HeldOut PlusModel::held_out(const PlusRows& rows, const AskedRows& asked,
                                       const LinearDiscriminant& discriminant,
                                       const SharedCovariance& covariance) const {
    if (asked.rows.empty()) return {};
    Matrix features = features_of(map_, rows.x, asked.rows);
    const Matrix white = whitened(features, discriminant.center(), covariance);
    return held_out(std::move(features), white, asked, discriminant);
}

void PlusModel::sketch(MatrixView x, const HeldOut& held, const AskedRows& asked, const ClassMoments* far) {
    if (asked.rows.empty()) return;
    Matrix given;
    if (map_.is_random()) {
        gather_rows(x, asked.rows, given);
        given = map_.without_random(given);
    }
    open_.add({held.split, held.terms.empty() ? nullptr : &held.terms, probabilities(held.scores()),
               given.empty() ? held.features.view() : given.view(), far, asked.columns});
}

ClassMoments PlusModel::moments() const {
    ClassMoments moments = moments_;
    moments.scatter = scatter_.unpacked();
    return moments;
}

std::vector<double> PlusModel::expected_accuracy(const PlusRows& recent) const {
    const ClassMoments moments = this->moments();
    const SharedCovariance covariance(moments, ridge());
    const LinearDiscriminant discriminant(moments, covariance);
    const AskedRows asked(recent.columns, moments_.counts);
    const std::size_t classes = moments_.classes();
    std::vector<double> result =
        PseudoRows(readout_, moments, SharedCovariance(moments, settings_.ridge)).accuracies(spreads_);
    for (std::size_t c = 0; c < classes; ++c)
        if (!(spreads_[c] > 0)) result[c] = -1;
    if (asked.rows.empty() || classes < 2) return result;
    const HeldOut held = held_out(recent, asked, discriminant, covariance);
    const std::vector<double> now =
        class_accuracies(fearnet::answers(held.scores(), asked.columns), asked, classes);
    for (std::size_t c = 0; c < classes; ++c)
        if (now[c] >= 0) result[c] = now[c];
    return result;
}

void PlusModel::finish(const PlusRows& rows, const AskedRows& asked) {
    const SharedCovariance covariance(moments_, ridge());
    const LinearDiscriminant discriminant(moments_, covariance);
    if (settings_.class_covariance > 0)
        fit_axes(rows, all_of(rows), covariance);
    else
        covariances_.leave_out(moments_.classes() - 1);
    refit(discriminant, covariance);
    fit_spreads(answers_, asked);
    ClassMoments given;
    if (map_.is_random()) {
        for (std::size_t first = 0; first < rows.x.rows; first += kPortion) {
            const std::size_t n = std::min(kPortion, rows.x.rows - first);
            given.add(map_.without_random(rows.x.slice(first, n)), rows.columns.subspan(first, n),
                      moments_.classes(), true);
        }
    }
    const ClassMoments& far = map_.is_random() ? given : moments_;
    open_.fit_far_rows(far);
    const AskedRows sketched(rows.columns, moments_.counts, kSketchedRows);
    const HeldOut held = held_out(rows, sketched, discriminant, covariance);
    calibration_ = likeliest_calibration(held.scores(), sketched.columns);
    sketch(rows.x, held, sketched, &far);
    scatter_ = PackedSymmetric(moments_.scatter);
    moments_.scatter = Matrix();
    answers_ = {};
}

PlusModel PlusModel::taught(const PlusRows& rows, std::size_t classes, const PlusSteps& steps) const {
    const std::size_t known = moments_.classes();
    PlusModel next;  // the scatter and the read-out are made anew
    next.map_ = map_, next.moments_ = moments_, next.covariances_ = covariances_;
    next.options_ = options_, next.settings_ = settings_, next.chosen_rows_ = chosen_rows_;
    next.calibration_ = calibration_, next.chosen_with_ = chosen_with_;
    next.spreads_ = spreads_;
    next.open_ = open_;
    next.spreads_.resize(classes);
    next.moments_.scatter = scatter_.unpacked();
    const Matrix counted = next.count(rows, classes);
    next.scatter_ = PackedSymmetric(next.moments_.scatter);
    steps(1);
    const SharedCovariance covariance(std::move(next.moments_.scatter), next.moments_.rows(), next.ridge(),
                                      [&] { return next.scatter_.unpacked(); });
    next.moments_.scatter = Matrix();
    steps(2);
    AxisFit fit;
    const auto learn = [&] {
        next.covariances_.learn(fit, covariance);
        for (const AxisFit::Class& c : fit.classes()) {
            const auto now = static_cast<std::int64_t>(c.features.rows),
                       before = next.moments_.counts[c.column] - now;
            if (before > 0)
                next.covariances_.center(c.column, next.moments_.means.row(c.column), before, now);
        }
        fit = {};
    };
    const auto add = [&](std::size_t column, MatrixView features, Matrix owned) {
        const auto now = static_cast<std::int64_t>(features.rows),
                   before = next.moments_.counts[column] - now;
        if (now <= before) return next.covariances_.meet(column, features, before);
        if (fit.rows() > 0 && fit.rows() + features.rows > kBatch) {
            covariance.whiten(fit.samples());
            learn();
        }
        fit.add(column, features, std::move(owned), kSample);
    };
    if (settings_.class_covariance > 0)
        for_each_class(counted.empty() ? &map_ : nullptr,
                       {counted.empty() ? rows.x : counted.view(), rows.columns}, all_of(rows), classes, add);
    else
        for (std::size_t c = known; c < classes; ++c) next.covariances_.leave_out(c);
    // Sleep asks the rows for familiarity. Unless the classes asked so far tell enough until then, or if the
    // rows may not be kept, a sample is asked now, whitened in the same pass, less the class means.
    const std::set<std::int32_t> taught(rows.columns.begin(), rows.columns.end());
    const bool ask = options_.memory_budget > 0 || open_.classes_with_evidence() < kEnoughClasses;
    const AskedRows asked(rows.columns, next.moments_.counts,
                          ask ? std::min(kSample * taught.size(), kAskedScores / classes + 1) : 0);
    Matrix features;
    if (counted.empty())
        features = features_of(map_, rows.x, asked.rows);
    else
        gather_rows(counted, asked.rows, features);
    // Of a session of new classes, the rows whose axes are fitted are the asked ones: they are whitened once.
    const bool same = fit.rows() == asked.rows.size() && classes - known == taught.size();
    const std::size_t sampled = same ? 0 : fit.rows();
    Matrix whiten(sampled + asked.rows.size(), next.moments_.width());
    std::copy_n(fit.samples().data(), sampled * whiten.cols(), whiten.data());
    for (std::size_t i = 0; i < asked.rows.size(); ++i) {
        const float* mean = next.moments_.means.row(static_cast<std::size_t>(asked.columns[i]));
        for (std::size_t j = 0; j < whiten.cols(); ++j) whiten(sampled + i, j) = features(i, j) - mean[j];
    }
    const LinearDiscriminant discriminant(next.moments_, covariance, &whiten);
    std::copy_n(whiten.data(), fit.samples().size(), fit.samples().data());
    learn();
    next.refit(discriminant, covariance);
    Matrix white(asked.rows.size(), whiten.cols());
    for (std::size_t i = 0; i < asked.rows.size(); ++i) {
        const float* mean = discriminant.means().row(static_cast<std::size_t>(asked.columns[i]));
        for (std::size_t j = 0; j < white.cols(); ++j) white(i, j) = whiten(sampled + i, j) + mean[j];
    }
    if (!asked.rows.empty()) {
        const HeldOut held = next.held_out(std::move(features), white, asked, discriminant);
        next.calibration_.refit(held.scores(), asked.columns, classes);
        next.sketch(rows.x, held, asked, nullptr);
    }
    steps(3);
    return next;
}

void PlusModel::sleep(const PlusRows& recent, const std::set<std::int32_t>& fresh, const PlusShare& share) {
    constexpr double kReady = 0.1, kChosen = 0.7;
    moments_.scatter = scatter_.unpacked();
    math::mirror_lower(moments_.scatter);
    covariances_.set_shared(moments_);
    const auto only_fresh = [&](std::span<const std::size_t> which) {
        std::vector<std::size_t> result;
        for (const std::size_t i : which)
            if (fresh.contains(recent.columns[i])) result.push_back(i);
        return result;
    };
    share(kReady);
    const bool choose_again = fresh.size() > chosen_with_;
    const AskedRows asked(recent.columns, moments_.counts);
    FirstRidges first{settings_.ridge, settings_.ridge};
    if (choose_again && !asked.rows.empty())
        select(features_of(map_, recent.x, asked.rows), asked, first,
               [&](double part) { share(kReady + (kChosen - kReady) * part); });
    share(kChosen);
    const SharedCovariance covariance(moments_, ridge());
    const LinearDiscriminant discriminant(moments_, covariance);
    if (settings_.class_covariance > 0) fit_axes(recent, only_fresh(all_of(recent)), covariance);
    refit(discriminant, covariance);
    if (!map_.is_random()) open_.fit_far_rows(moments_);  // else the base session has done it
    if (!asked.rows.empty()) {
        const HeldOut held = held_out(recent, asked, discriminant, covariance);
        if (moments_.classes() > 1) fit_spreads(fearnet::answers(held.scores(), asked.columns), asked);
        if (choose_again)
            calibration_ = likeliest_calibration(held.scores(), asked.columns);
        else
            calibration_.refit(held.scores(), asked.columns, moments_.classes());
        sketch(recent.x, held, asked, map_.is_random() ? nullptr : &moments_);
    }
    moments_.scatter = Matrix();
    answers_ = {};
    share(1);
}

void PlusModel::drop(std::size_t column) {
    moments_.drop(column);
    covariances_.drop(column);
    open_.drop(column);
    spreads_.erase(spreads_.begin() + static_cast<std::ptrdiff_t>(column));
    const SharedCovariance covariance(scatter_.unpacked(), moments_.rows(), ridge(),
                                      [&] { return scatter_.unpacked(); });
    refit(LinearDiscriminant(moments_, covariance), covariance);
}

std::size_t PlusModel::least_bytes(std::size_t classes, std::size_t inputs, std::size_t piece,
                                   std::size_t random) {
    const std::size_t width = random > 0 ? random : piece, row = width * sizeof(float);
    const std::size_t map = FeatureMap::bytes(piece, width, random > 0),
                      moments = classes * (sizeof(std::int64_t) + row + sizeof(float)),
                      scatter = row + width * (width - 1) / 2 * sizeof(std::int16_t),
                      readout = classes * (row + sizeof(float));
    return map + moments + scatter + readout + Familiarity::bytes(classes, inputs);
}

void PlusModel::fit_into(std::size_t bytes) {
    const std::size_t others = this->bytes() - covariances_.bytes();
    covariances_.fit_into(bytes > others ? bytes - others : 0);
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
    covariances_.formula(formula.directions, formula.offsets, formula.sums);
    const auto temperature = static_cast<float>(calibration_.temperature);
    formula.exponent = static_cast<float>(calibration_.exponent);
    formula.margin = static_cast<float>(calibration_.margin) / temperature;
    const auto times = [](Matrix& m, float factor) {
        for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] *= factor;
    };
    times(formula.weights, map_.scale() / temperature);
    times(formula.directions, map_.scale());
    times(formula.bias, 1 / temperature);
    times(formula.sums, 1 / temperature);
    return formula;
}

Matrix PlusModel::scores_of(MatrixView features) const {
    Matrix result = readout_.scores(features);
    covariances_.correct(features, result);
    return result;
}

Matrix PlusModel::scores(MatrixView x) const {
    return scores_of(map_(x));
}

ScoredRows PlusModel::scored(MatrixView x) const {
    const Matrix features = map_(x);
    ScoredRows result{readout_.scores(features), {}};
    if (!open_.ready()) {
        covariances_.correct(features, result.scores);
        return result;
    }
    const std::vector<float> background = open_.background(result.scores);
    covariances_.correct(features, result.scores);
    const Matrix given = map_.is_random() ? map_.without_random(x) : Matrix();
    result.familiarity = open_.p_values(result.scores, probabilities(result.scores), background,
                                        given.empty() ? features.view() : given.view());
    return result;
}

Matrix PlusModel::class_p_values(MatrixView x) const {
    if (!open_.ready()) return {};
    const Matrix features = map_(x);
    Matrix scores = readout_.scores(features);
    const std::vector<float> background = open_.background(scores);
    covariances_.correct(features, scores);
    return open_.class_p_values(scores, background);
}

Matrix PlusModel::in_units_of_covariance(const Matrix& features) const {
    std::vector<double> sums(moments_.width());
    for (std::size_t c = 0; c < moments_.classes(); ++c)
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += static_cast<double>(moments_.means(c, j));
    std::vector<float> center;
    for (const double sum : sums)
        center.push_back(static_cast<float>(sum / static_cast<double>(moments_.classes())));
    const SharedCovariance covariance(scatter_.unpacked(), moments_.rows(), ridge(),
                                      [&] { return scatter_.unpacked(); });
    return fearnet::whitened(features, center, covariance);
}

std::size_t PlusModel::statistics_bytes() const {
    return map_.bytes() + moments_.bytes() + scatter_.bytes() + covariances_.bytes() +
           spreads_.size() * sizeof(float) + open_.bytes();
}

void PlusModel::save(State& state) const {
    map_.save(state);
    moments_.save(state);
    scatter_.save(state, "scatter");
    state.set("readout.weights", readout_.weights, ArrayKind::readout);
    Matrix bias(1, readout_.bias.size());
    std::copy(readout_.bias.begin(), readout_.bias.end(), bias.data());
    state.set("readout.bias", std::move(bias), ArrayKind::readout);
    covariances_.save(state);
    open_.save(state);
    state.set("settings", std::vector<double>{settings_.ridge, settings_.class_covariance, chosen_rows_});
    Matrix spreads(1, spreads_.size());
    std::copy(spreads_.begin(), spreads_.end(), spreads.data());
    state.set("spreads", std::move(spreads), ArrayKind::statistics);
    state.set("temperature",
              std::vector<double>{calibration_.temperature, calibration_.exponent, calibration_.margin});
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
    model.covariances_ = ClassCovariances::load(state, classes, width, kAxes);
    model.open_ = Familiarity::load(state, classes, inputs);
    const std::vector<double>& settings = state.list<double>("settings", 3);
    const auto within = [&](std::size_t i, double low, double high) {
        if (!(settings[i] >= low) || !(settings[i] <= high))
            throw Error("State: 'settings' has " + std::to_string(settings[i]) + " as number " +
                        std::to_string(i) + ", which must be from " + std::to_string(low) + " to " +
                        std::to_string(high));
    };
    within(0, 1e-9, 1e9), within(1, 0, 1e6), within(2, 0, 1e15);
    model.settings_ = {settings[0], settings[1]};
    model.chosen_rows_ = settings[2];
    const Matrix& spreads = state.finite("spreads", 1, classes);
    model.spreads_.assign(spreads.data(), spreads.data() + spreads.size());
    if (std::any_of(model.spreads_.begin(), model.spreads_.end(), [](float v) { return v < 0; }))
        throw Error("State: 'spreads' has a negative number");
    std::vector<double> temperature = state.list<double>("temperature");
    if (temperature.size() == 1) temperature = {temperature[0], 0, 1};  // as earlier versions wrote it
    const auto in = [](double v, double low, double high) { return v >= low && v <= high; };
    if (temperature.size() != 3 || !in(temperature[0], 0.99 / kMostTemperature, 1.01 * kMostTemperature) ||
        !in(temperature[1], 0, 1) || !in(temperature[2], 1e-30, 1e30))
        throw Error(
            "State: 'temperature' must be a temperature from 0.001 to 1000, an exponent from 0 to 1 "
            "and a positive margin");
    model.calibration_ = {temperature[0], temperature[1], temperature[2]};
    const std::vector<std::int64_t>& with = state.integer("chosen_with");
    if (with.size() != 1 || with[0] < 1) throw Error("State: 'chosen_with' must be one positive number");
    model.chosen_with_ = static_cast<std::size_t>(with[0]);
    return model;
}

}  // namespace fearnet
