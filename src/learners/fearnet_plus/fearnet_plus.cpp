#include "learners/fearnet_plus/fearnet_plus.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "learners/baselines/held_out.hpp"
#include "learners/fearnet/training.hpp"
#include "learners/fearnet_plus/posterior_means.hpp"
#include "math/gemm.hpp"

namespace fearnet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kPortion = 4096;

// Calls use(features, their columns) for rows of x, in portions.
template <class Use>
void in_portions(const FeatureMap& map, MatrixView x, std::span<const std::int32_t> columns,
                 std::span<const std::size_t> rows, const Use& use) {
    Matrix part;
    std::vector<std::int32_t> labels;
    for (std::size_t first = 0; first < rows.size(); first += kPortion) {
        const auto which = rows.subspan(first, std::min(kPortion, rows.size() - first));
        gather_rows(x, which, part);
        labels.clear();
        for (const std::size_t i : which) labels.push_back(columns[i]);
        use(map(part), labels);
    }
}

void count(ClassMoments& moments, const FeatureMap& map, MatrixView x, std::span<const std::int32_t> columns,
           std::span<const std::size_t> rows, std::size_t classes) {
    in_portions(map, x, columns, rows, [&](const Matrix& f, std::span<const std::int32_t> labels) {
        moments.add(f, labels, classes, true);
    });
}

void add_shapes(ClassShapes& shapes, const FeatureMap& map, MatrixView x,
                std::span<const std::int32_t> columns, std::span<const std::size_t> rows,
                std::size_t classes) {
    std::vector<std::vector<std::size_t>> by_class(classes);
    for (const std::size_t i : rows) by_class[static_cast<std::size_t>(columns[i])].push_back(i);
    for (std::size_t c = 0; c < classes; ++c)
        in_portions(map, x, columns, by_class[c],
                    [&](const Matrix& f, std::span<const std::int32_t>) { shapes.add(c, f); });
}

std::vector<std::int32_t> labels_of(std::span<const std::int32_t> columns,
                                    std::span<const std::size_t> rows) {
    std::vector<std::int32_t> labels;
    for (const std::size_t i : rows) labels.push_back(columns[i]);
    return labels;
}

// What is known without the rows that are held out, and these as features.
struct Fold {
    Fold(const FeatureMap& map, MatrixView x, std::span<const std::int32_t> all_columns,
         const HeldOutSplit& split, const ClassMoments& all)
        : moments(all), columns(labels_of(all_columns, split.held)) {
        Matrix rows;
        gather_rows(x, split.held, rows);
        held = map(rows);
        if (!columns.empty()) moments.remove(held, columns);
    }
    ClassMoments moments;
    Matrix held;
    std::vector<std::int32_t> columns;
};

// With this shrinkage, or with the next stronger one that can be solved: every packing of the scatter rounds
// it.
LinearReadout solvable_readout(const ClassMoments& moments, double shrinkage) {
    for (;; shrinkage *= 3) {
        try {
            return lda_readout(moments, shrinkage);
        } catch (const Error&) {
            if (shrinkage > 1)
                throw Error("fearnet-plus: the shared covariance of " + std::to_string(moments.width()) +
                            " features cannot be inverted even with shrinkage " + std::to_string(shrinkage) +
                            "; are the rows scaled?");
        }
    }
}

// Solved from the moments.
struct Readouts {
    Readouts(const ClassMoments& moments, double shrinkage)
        : lda(solvable_readout(moments, shrinkage)), answers(posterior_readout(moments, lda)) {}
    LinearReadout lda;      // shared covariance only: its weights are the directions of shapes
    LinearReadout answers;  // what is asked
};

void require_finite(const ClassMoments& moments) {
    for (std::size_t j = 0; j < moments.width(); ++j)
        if (!std::isfinite(moments.scatter(j, j)))
            throw Error("fearnet-plus::learn: feature " + std::to_string(j) + " of " +
                        std::to_string(moments.width()) +
                        " is so large that its variance is no number; scale the rows");
}

double accuracy(const Matrix& scores, std::span<const std::int32_t> columns) {
    ClassAccuracy a(scores.cols());
    a.add(scores, columns);
    return a.mean();
}

std::vector<std::size_t> all_rows(std::size_t n) {
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

// What shapes are compared with: scatter / n along the basis, and the same with the read-out's shrinkage.
void compare_with(ClassShapes& shapes, const ClassMoments& moments, double shrinkage) {
    if (shapes.empty()) return;
    const Matrix& basis = shapes.basis();
    const std::size_t k = basis.rows(), d = basis.cols();
    Matrix turned(k, d), mean(k, k), shrunk(k, k);
    math::gemm(math::Op::none, basis, math::Op::none, moments.scatter, turned);
    math::gemm(math::Op::none, turned, math::Op::transpose, basis, mean);
    math::gemm(math::Op::none, basis, math::Op::transpose, basis, shrunk);
    double diagonal = 0;
    for (std::size_t j = 0; j < d; ++j) diagonal += static_cast<double>(moments.scatter(j, j));
    diagonal /= static_cast<double>(moments.rows()) * static_cast<double>(d);
    // Without any variance LDA takes the identity.
    const double ridge = diagonal > 0 ? shrinkage * diagonal : 1;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        mean.data()[i] /= static_cast<float>(moments.rows());
        shrunk.data()[i] = mean.data()[i] + static_cast<float>(ridge) * shrunk.data()[i];
    }
    shapes.set_shared(mean, shrunk);
}

// The accuracy of every combination of settings on the held-out rows. `shapes_of(lda, shrinkage)` gives the
// shapes known without these rows; lda is solved from the fold's moments.
template <class ShapesOf>
std::vector<double> try_settings(const Choices& choices, const Fold& fold, const ShapesOf& shapes_of) {
    std::vector<double> right;
    for (const double shrinkage : choices.shrinkages()) {
        try {
            const Readouts readouts(fold.moments, shrinkage);
            ClassShapes shapes = shapes_of(readouts.lda, shrinkage);
            const Matrix plain = readouts.answers.scores(fold.held);
            for (const double prior : choices.priors()) {
                shapes.set_prior(prior);
                shapes.refresh();
                Matrix scores = plain;
                shapes.correct(fold.held, scores);
                right.push_back(accuracy(scores, fold.columns));
            }
        } catch (const Error&) {  // too weak for this matrix: never chosen
            right.resize((right.size() / choices.priors().size() + 1) * choices.priors().size(), -1);
        }
    }
    return right;
}

}  // namespace

void FearNetPlus::extend_shapes(ClassShapes& shapes, const ClassMoments& moments, const LinearReadout& lda,
                                std::span<const std::size_t> columns) const {
    const std::size_t d = moments.width();
    std::vector<double> center(d), solved_center(d);
    const auto classes = static_cast<double>(moments.classes());
    for (std::size_t c = 0; c < moments.classes(); ++c)
        for (std::size_t j = 0; j < d; ++j) {
            center[j] += static_cast<double>(moments.means(c, j)) / classes;
            solved_center[j] += static_cast<double>(lda.weights(c, j)) / classes;
        }
    Matrix differences(columns.size(), d), solved(columns.size(), d);
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t j = 0; j < d; ++j) {
            differences(i, j) =
                static_cast<float>(static_cast<double>(moments.means(columns[i], j)) - center[j]);
            solved(i, j) =
                static_cast<float>(static_cast<double>(lda.weights(columns[i], j)) - solved_center[j]);
        }
    shapes.extend(differences, solved, static_cast<std::size_t>(settings().shape_rank), moments.means);
}

FearNetPlus::Model FearNetPlus::base_model(FeatureMap map, MatrixView x,
                                           std::span<const std::int32_t> columns, std::size_t classes,
                                           std::size_t done, std::size_t total,
                                           const Progress& progress) const {
    Model model;
    model.map = std::move(map);
    const std::vector<std::size_t> everything = all_rows(x.rows), all_classes = all_rows(classes);
    count(model.moments, model.map, x, columns, everything, classes);
    require_finite(model.moments);
    model.moments.scatter = PackedSymmetric(model.moments.scatter).unpacked();  // as it will be kept
    const auto shapes_of = [&](const ClassMoments& moments, const LinearReadout& lda,
                               std::span<const std::size_t> rows, double shrinkage) {
        ClassShapes shapes;
        shapes.set_prior(kNever);  // no forms yet
        extend_shapes(shapes, moments, lda, all_classes);
        compare_with(shapes, moments, shrinkage);
        add_shapes(shapes, model.map, x, columns, rows, classes);
        return shapes;
    };
    model.choices = Choices(settings());
    for (std::size_t f = 0; f < kFolds; ++f) {
        report(progress, {"base", done + f, total}, "learn");
        const HeldOutSplit split = hold_out(columns, classes, f);
        if (split.held.empty()) continue;
        const Fold fold(model.map, x, columns, split, model.moments);
        model.choices.add(try_settings(model.choices, fold,
                                       [&](const LinearReadout& lda, double shrinkage) {
                                           return shapes_of(fold.moments, lda, split.fit, shrinkage);
                                       }),
                          split.held.size());
    }
    report(progress, {"base", done + kFolds, total}, "learn");
    const PlusSettings best = model.choices.best();
    Readouts readouts(model.moments, best.shrinkage);
    model.shapes = shapes_of(model.moments, readouts.lda, everything, best.shrinkage);
    model.shapes.set_prior(best.prior);
    model.shapes.refresh();
    model.readout = std::move(readouts.answers);
    return model;
}

void FearNetPlus::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                        const Progress& progress) {
    Model next = model_;
    RowStore recent = recent_;
    std::vector<std::int32_t> consolidated = consolidated_;
    if (first_session()) {
        const PlusTransform transform = settings().transform;
        const bool both = transform == PlusTransform::automatic;
        const std::size_t steps = kFolds * (both ? 2 : 1);
        next = base_model(FeatureMap(x, transform == PlusTransform::sqrt), x, columns, classes, 0, steps,
                          progress);
        if (both) {
            Model roots = base_model(FeatureMap(x, true), x, columns, classes, kFolds, steps, progress);
            if (roots.choices.accuracy() > next.choices.accuracy()) next = std::move(roots);
        }
        consolidated.resize(classes);
        std::iota(consolidated.begin(), consolidated.end(), 0);
    } else {
        const std::vector<std::size_t> rows = all_rows(x.rows);
        next.moments.scatter = next.scatter.unpacked();
        count(next.moments, next.map, x, columns, rows, classes);
        require_finite(next.moments);
        report(progress, {"learn", 1, 3}, "learn");
        next.readout = Readouts(next.moments, next.choices.best().shrinkage).answers;
        report(progress, {"learn", 2, 3}, "learn");
        add_shapes(next.shapes, next.map, x, columns, rows, classes);
        recent.add(x, columns);
        report(progress, {"learn", 3, 3}, "learn");
    }
    next.scatter = PackedSymmetric(next.moments.scatter);
    next.moments.scatter = Matrix();
    model_ = std::move(next);
    recent_ = std::move(recent);
    consolidated_ = std::move(consolidated);
}

void FearNetPlus::do_sleep(const SleepEffort&, const Progress& progress) {
    if (recent_.size() == 0) return;
    Model next = model_;
    next.moments.scatter = next.scatter.unpacked();
    const MatrixView x = recent_.x();
    const std::span<const std::int32_t> columns = recent_.columns();
    const HeldOutSplit split = hold_out(columns, taught());
    const Fold fold(next.map, x, columns, split, next.moments);
    const std::set<std::size_t> recent(columns.begin(), columns.end());
    const std::vector<std::size_t> recent_columns(recent.begin(), recent.end());
    report(progress, {"sleep", 1, 5}, "sleep");

    // The recent classes counted anew; of one that is old too only what is recent is known row by row, so it
    // stays.
    const auto count_recent = [&](ClassShapes& shapes, std::span<const std::size_t> which) {
        std::vector<std::size_t> fresh;
        const std::set<std::int32_t> old(consolidated_.begin(), consolidated_.end());
        for (const std::size_t c : recent_columns)
            if (!old.contains(static_cast<std::int32_t>(c))) shapes.reset(c);
        for (const std::size_t i : which)
            if (!old.contains(columns[i])) fresh.push_back(i);
        add_shapes(shapes, next.map, x, columns, fresh, taught());
    };
    const auto with_directions = [&](bool more, const ClassMoments& moments, const LinearReadout& lda,
                                     std::span<const std::size_t> which, double shrinkage) {
        ClassShapes shapes = next.shapes;
        shapes.set_prior(kNever);  // no forms yet
        compare_with(shapes, moments, shrinkage);
        if (more) {
            extend_shapes(shapes, moments, lda, recent_columns);
            compare_with(shapes, moments, shrinkage);
        }
        count_recent(shapes, which);
        return shapes;
    };
    bool more = next.shapes.rank() < static_cast<std::size_t>(settings().shape_rank);
    if (!split.held.empty()) {
        const auto right_with = [&](bool wide) {
            return try_settings(next.choices, fold, [&](const LinearReadout& lda, double shrinkage) {
                return with_directions(wide, fold.moments, lda, split.fit, shrinkage);
            });
        };
        std::vector<double> right = right_with(false);
        report(progress, {"sleep", 2, 5}, "sleep");
        if (more) {
            std::vector<double> wide = right_with(true);
            more = next.choices.of_best(wide) >= next.choices.of_best(right);
            if (more) right = std::move(wide);
        }
        report(progress, {"sleep", 3, 5}, "sleep");
        next.choices.add(right, split.held.size());
    }
    const PlusSettings best = next.choices.best();
    Readouts readouts(next.moments, best.shrinkage);
    next.shapes = with_directions(more, next.moments, readouts.lda, all_rows(x.rows), best.shrinkage);
    next.shapes.set_prior(best.prior);
    next.shapes.refresh();
    next.readout = std::move(readouts.answers);
    report(progress, {"sleep", 4, 5}, "sleep");
    next.moments.scatter = Matrix();
    std::vector<std::int32_t> consolidated(taught());
    std::iota(consolidated.begin(), consolidated.end(), 0);
    report(progress, {"sleep", 5, 5}, "sleep");
    model_ = std::move(next);
    consolidated_ = std::move(consolidated);
    recent_.clear();
}

Matrix FearNetPlus::scores(MatrixView x) const {
    const Matrix features = model_.map(x);
    Matrix result = model_.readout.scores(features);
    model_.shapes.correct(features, result);
    return result;
}

void FearNetPlus::drop(std::size_t column) {
    Model next = model_;
    RowStore recent;
    // The scatter does not say what was the class's: it is taken as spread like the others.
    const auto before = static_cast<double>(next.moments.rows());
    next.moments.drop(column);
    next.scatter.scale(static_cast<double>(next.moments.rows()) / before);
    next.readout.weights = without_row(next.readout.weights, column);
    next.readout.bias.erase(next.readout.bias.begin() + static_cast<std::ptrdiff_t>(column));
    next.shapes.drop(column);
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
    return {{"statistics",
             model_.map.bytes() + model_.moments.bytes() + model_.scatter.bytes() + model_.shapes.bytes()},
            {"readout", model_.readout.bytes()},
            {"examples", recent_.bytes()}};
}

void FearNetPlus::save_model(State& state) const {
    model_.map.save(state);
    model_.moments.save(state);
    model_.scatter.save(state, "scatter");
    state.set("readout.weights", model_.readout.weights);
    Matrix bias(1, model_.readout.bias.size());
    std::copy(model_.readout.bias.begin(), model_.readout.bias.end(), bias.data());
    state.set("readout.bias", std::move(bias));
    model_.shapes.save(state);
    model_.choices.save(state);
    recent_.save(state, "examples");
    state.set("consolidated", std::vector<std::int64_t>(consolidated_.begin(), consolidated_.end()));
}

void FearNetPlus::load_model(const State& state) {
    Model m;
    m.map = FeatureMap::load(state, width());
    m.moments = ClassMoments::load(state, taught(), width(), false);
    m.scatter = PackedSymmetric::load(state, "scatter", width());
    m.readout.weights = state.matrix("readout.weights", taught(), width());
    const Matrix& bias = state.matrix("readout.bias", 1, taught());
    m.readout.bias.assign(bias.data(), bias.data() + bias.size());
    m.shapes = ClassShapes::load(state, taught(), width());
    m.choices = Choices(settings());
    m.choices.load(state);
    std::vector<std::int64_t> rows(taught());
    recent_ = RowStore::load(state, "examples", taught(), width());
    for (const std::int32_t c : recent_.columns())
        if (++rows[static_cast<std::size_t>(c)] > m.moments.counts[static_cast<std::size_t>(c)])
            throw Error("State: more recent rows of column " + std::to_string(c) + " than its " +
                        std::to_string(m.moments.counts[static_cast<std::size_t>(c)]) + " rows");
    for (const std::int64_t c : state.integer("consolidated")) {
        if (c < 0 || c >= static_cast<std::int64_t>(taught()))
            throw Error("State: 'consolidated' names column " + std::to_string(c) + " of " +
                        std::to_string(taught()));
        consolidated_.push_back(static_cast<std::int32_t>(c));
    }
    model_ = std::move(m);
}

}  // namespace fearnet
