// What the baselines share: options, a seed, the classes with their columns, and answers by the best score.
//
//     class NearestMean final : public ScoringLearner<NearestMean, NearestMeanOptions> { ... };
//
// A learner writes teach, scores, memory, save_model and load_model; everything else is here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "core/learners/kit/class_columns.hpp"
#include "core/learners/saved_options.hpp"
#include "fearnet/learner.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {

template <class Derived, class OptionsType>
class ScoringLearner : public Learner {
  public:
    using Options = OptionsType;

    std::vector<ClassId> classes() const final { return columns_.ascending(); }
    std::size_t width() const final { return width_; }
    std::map<std::string, std::string> options() const final { return options_as_text(options_); }

    State save() const final {
        State state;
        state.set("learner", name());
        save_options(options_, state);
        state.set("seed", std::vector<std::int64_t>{static_cast<std::int64_t>(seed_),
                                                    static_cast<std::int64_t>(sessions_),
                                                    static_cast<std::int64_t>(width_)});
        columns_.save(state);
        if (width_ != 0) save_model(state);
        return state;
    }
    static std::unique_ptr<Derived> load(const State& state) {
        const auto& seed = state.integer("seed");
        if (seed.size() != 3 || seed[1] < 0 || seed[2] < 0)
            throw Error("State: 'seed' has " + std::to_string(seed.size()) +
                        " numbers but 3, none of the last two negative, are needed");
        auto learner =
            std::make_unique<Derived>(load_options<Options>(state), static_cast<std::uint64_t>(seed[0]));
        ScoringLearner& base = *learner;
        base.sessions_ = static_cast<std::uint64_t>(seed[1]);
        base.width_ = static_cast<std::size_t>(seed[2]);
        base.columns_ = ClassColumns::load(state);
        if (base.width_ > kMostFeatures)
            throw Error("State: rows of " + std::to_string(base.width_) + " features; at most " +
                        std::to_string(kMostFeatures) + " are restored");
        if ((base.width_ == 0) != (base.sessions_ == 0))
            throw Error("State: " + std::to_string(base.sessions_) + " sessions but rows of " +
                        std::to_string(base.width_) + " features");
        if ((base.width_ == 0) != base.columns_.empty())
            throw Error("State: " + std::to_string(base.columns_.size()) + " classes but rows of " +
                        std::to_string(base.width_) + " features");
        if (base.width_ != 0) base.load_model(state);
        return learner;
    }

  protected:
    ScoringLearner(const Options& options, std::uint64_t seed) : options_(options), seed_(seed) {}

    // Learns the rows of one session; `columns` are their classes and `classes` all classes with these.
    // Throws Cancelled with the model unchanged.
    virtual void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                       const Progress& progress) = 0;
    // n x taught(): the larger, the likelier. At most kRowsAtOnce rows.
    virtual Matrix scores(MatrixView x) const = 0;
    virtual void save_model(State& state) const = 0;
    // Checks every shape against taught() and width(); throws Error.
    virtual void load_model(const State& state) = 0;
    // Whether `drop` works: takes a class out of the model; the columns after it move up by one.
    virtual bool can_drop() const { return false; }
    virtual void drop(std::size_t column) { (void)column; }
    // Of the softmax that makes scores probabilities.
    virtual double temperature() const { return 1; }
    // In place: a row's scores as probabilities, in the same order of size. Unless told otherwise their
    // softmax.
    virtual void to_probabilities(std::span<float> scores) const {
        const float best = *std::max_element(scores.begin(), scores.end());
        const auto inverse = static_cast<float>(1 / temperature());
        double sum = 0;
        for (float& s : scores) sum += s = std::exp((s - best) * inverse);
        for (float& s : scores) s = static_cast<float>(s / sum);
    }

    // Which columns only the recent memory knows; empty for learners with one memory.
    virtual std::vector<bool> recent_columns() const { return {}; }

    std::size_t taught() const { return columns_.size(); }
    // The classes that stand in `columns`, each once, ascending.
    std::vector<ClassId> ids_of(std::span<const std::int32_t> columns) const {
        std::set<ClassId> ids;
        for (const std::int32_t c : columns) ids.insert(columns_[static_cast<std::size_t>(c)]);
        return {ids.begin(), ids.end()};
    }
    // The column of each of classes().
    std::vector<std::size_t> columns_in_order() const {
        std::vector<std::size_t> order;
        for (const ClassId id : classes()) order.push_back(columns_.column_of(id));
        return order;
    }
    const Options& settings() const { return options_; }
    // A random stream for the session that is being taught.
    Rng session_rng() const { return Rng(seed_).fork(1).fork(sessions_); }
    // One that is the same in every session.
    Rng fixed_rng() const { return Rng(seed_).fork(2); }
    bool first_session() const { return sessions_ == 0; }

    static constexpr std::size_t kRowsAtOnce = 1024;

  private:
    // Some models make matrices of this many rows again from a seed: nothing in the state vouches for it.
    static constexpr std::size_t kMostFeatures = std::size_t{1} << 24;

    void do_learn(const LabeledView& session, const Progress& progress) final {
        ClassColumns columns = columns_;
        const std::vector<std::int32_t> labels = columns.add(session.labels);
        teach(session.x, labels, columns.size(), progress);
        columns_ = std::move(columns);
        width_ = session.x.cols;
        ++sessions_;
    }
    void do_forget(ClassId id, const Progress& progress) final {
        if (!can_drop()) return Learner::do_forget(id, progress);
        report(progress, {"forget", 1, 1, 0}, "forget");
        ClassColumns columns = columns_;
        columns.remove(id);
        drop(columns_.column_of(id));
        columns_ = std::move(columns);
    }
    // Calls use(row, scores, best column) for every row.
    template <class Use>
    void for_each_row(MatrixView x, const Use& use) const {
        for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
            Matrix s = scores(x.slice(first, std::min(kRowsAtOnce, x.rows - first)));
            for (std::size_t i = 0; i < s.rows(); ++i) {
                const std::span<float> row(s.row(i), s.cols());
                use(first + i, row,
                    static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
            }
        }
    }
    // The best consolidated and the best recent column, by score: probabilities of unlikely classes are all
    // 0.
    static std::array<std::size_t, 2> bests(std::span<const float> scores, const std::vector<bool>& recent) {
        std::array<std::size_t, 2> best{scores.size(), scores.size()};
        for (std::size_t c = 0; c < recent.size(); ++c)
            if (std::size_t& b = best[recent[c]]; b == scores.size() || scores[c] > scores[b]) b = c;
        return best;
    }
    // One read-out has the classes of both memories. A(x) is what it gives the recent ones together; what is
    // left of it when only one memory is asked makes psi decide as the read-out does.
    void explain_memories(std::span<const float> probabilities, const std::vector<bool>& recent,
                          const std::array<std::size_t, 2>& best, Explanation& e) const {
        std::array<double, 2> all{};
        for (std::size_t c = 0; c < recent.size(); ++c)
            all[recent[c]] += static_cast<double>(probabilities[c]);
        const auto alone = [&](std::size_t memory) {
            return best[memory] < recent.size() && all[memory] > 0
                       ? static_cast<double>(probabilities[best[memory]]) / all[memory]
                       : 0;
        };
        constexpr double kLeast = 1e-300;
        e.consolidated_probability = alone(0);
        e.recent_probability = alone(1);
        e.router = all[1];
        e.psi = e.recent_probability * all[1] / std::max(all[0], kLeast);
        if (best[0] < recent.size()) e.consolidated_label = columns_[best[0]];
        if (best[1] < recent.size()) e.recent_label = columns_[best[1]];
        e.memory =
            e.label == e.recent_label && best[1] < recent.size() ? Memory::recent : Memory::consolidated;
    }
    std::vector<Explanation> do_explain(MatrixView x) const final {
        std::vector<Explanation> result(x.rows);
        const std::vector<bool> recent = recent_columns();
        for_each_row(x, [&](std::size_t i, std::span<float> row, std::size_t best) {
            Explanation& e = result[i];
            e.label = e.consolidated_label = e.recent_label = columns_[best];
            const std::array<std::size_t, 2> best_of = bests(row, recent);
            to_probabilities(row);
            e.consolidated_probability = static_cast<double>(row[best]);
            if (!recent.empty()) explain_memories(row, recent, best_of, e);
        });
        return result;
    }
    Matrix do_probabilities(MatrixView x) const final {
        const std::vector<std::size_t> order = columns_in_order();
        Matrix result(x.rows, order.size());
        for_each_row(x, [&](std::size_t i, std::span<float> row, std::size_t) {
            to_probabilities(row);
            for (std::size_t k = 0; k < order.size(); ++k) result(i, k) = row[order[k]];
        });
        return result;
    }

    Options options_;
    std::uint64_t seed_;
    std::uint64_t sessions_ = 0;
    std::size_t width_ = 0;
    ClassColumns columns_;
};

}  // namespace fearnet
