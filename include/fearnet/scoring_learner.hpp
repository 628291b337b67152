// ScoringLearner: the easiest base class for a learner of your own. It implements options, seed, input
// checks, the mapping from classes to columns, saving and loading.
//
//     class NearestMean final : public ScoringLearner<NearestMean, NearestMeanOptions> {
//       public:
//         NearestMean(const Options& options, std::uint64_t seed) : ScoringLearner(options, seed) {}
//         // name, memory, teach, scores, save_model and load_model
//     };
//     register_learner(learner_type<NearestMean>("nearest-mean", "one line"));  // fearnet/registry.hpp
//
// CONTRIBUTING.md, "A new learner", has the steps.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fearnet/learner.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {

// Stores options in a state, as one text "option.NAME" per option.
template <class Options>
void save_options(const Options& options, State& state) {
    for (const auto& [key, value] : options_as_text(options)) state.set("option." + key, value);
}

// Reads options from a state. Options that are not in the state have their defaults. Throws Error for an
// unknown name or a bad value.
template <class Options>
Options load_options(const State& state) {
    Options options;
    std::vector<std::pair<std::string, std::string>> settings;
    for (const auto& [key, value] : state.texts)
        if (key.starts_with("option.")) settings.emplace_back(key.substr(7), value);
    apply_options(options, settings);
    return options;
}

// Maps classes to columns 0, 1, 2, ... of a score matrix, in the order in which the classes were first
// taught.
class ClassColumns {
  public:
    // Returns the column of each label. New classes get new columns at the end.
    std::vector<std::int32_t> add(std::span<const ClassId> labels);

    // Removes a class, which must be present. Later columns move down by one.
    void remove(ClassId id);
    // Throws std::out_of_range for a class that is not present.
    std::size_t column_of(ClassId id) const { return static_cast<std::size_t>(column_.at(id)); }

    std::size_t size() const { return ids_.size(); }
    bool empty() const { return ids_.empty(); }
    ClassId operator[](std::size_t column) const { return ids_[column]; }
    std::vector<ClassId> ascending() const;

    void save(State& state) const;
    // Throws Error for a class that is negative or listed twice.
    static ClassColumns load(const State& state);

  private:
    std::vector<ClassId> ids_;  // by column
    std::map<ClassId, std::int32_t> column_;
};

// Base class of a learner Derived with options OptionsType. Derived must have a constructor
// Derived(const OptionsType&, std::uint64_t seed). It is taught rows with the column of their class instead
// of the ClassId, and returns scores by column.
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
        if (base.width_ > kMaxFeatures)
            throw Error("State: rows of " + std::to_string(base.width_) + " features; at most " +
                        std::to_string(kMaxFeatures) + " are restored");
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

    // Learns one session. columns[i] is the column of the class of row i, and `classes` is the number of
    // classes including those of this session; class_count() is still the number before it. If it throws, the
    // model must be unchanged.
    virtual void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                       const Progress& progress) = 0;
    // The scores of 1 to kRowsAtOnce rows: rows x class_count(), by column. A higher score means a more
    // likely class.
    virtual Matrix scores(MatrixView x) const = 0;
    // Adds the model to a state. Called only after the first session.
    virtual void save_model(State& state) const = 0;
    // Reads what save_model wrote. The state may come from a damaged file: check every shape against
    // class_count() and width(), and throw Error.
    virtual void load_model(const State& state) = 0;
    // A learner that can forget returns true and overrides drop, which removes a column from the model; later
    // columns move down by one.
    virtual bool can_drop() const { return false; }
    virtual void drop(std::size_t column) { (void)column; }
    // The softmax temperature that turns scores into probabilities.
    virtual double temperature() const { return 1; }
    void to_probabilities(std::span<float> scores) const override { softmax(scores, temperature()); }

    // The number of classes taught so far.
    std::size_t class_count() const { return columns_.size(); }
    // The classes of `columns`, each once, ascending.
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
    // The columns of a matrix in the order of classes().
    Matrix in_class_order(Matrix by_column) const {
        const std::vector<std::size_t> order = columns_in_order();
        if (by_column.empty() || std::is_sorted(order.begin(), order.end())) return by_column;
        Matrix result(by_column.rows(), order.size());
        for (std::size_t i = 0; i < result.rows(); ++i)
            for (std::size_t k = 0; k < order.size(); ++k) result(i, k) = by_column(i, order[k]);
        return result;
    }
    const Options& settings() const { return options_; }
    // A random generator for the current session, different in each session.
    Rng session_rng() const { return Rng(seed_).fork(1).fork(sessions_); }
    // A random generator that is the same in all sessions.
    Rng fixed_rng() const { return Rng(seed_).fork(2); }
    // True until the first session has been taught.
    bool first_session() const { return sessions_ == 0; }

  private:
    // Limits the width of a restored learner: some models regenerate matrices of this many rows from a seed,
    // so a damaged width would not contradict anything else in the state.
    static constexpr std::size_t kMaxFeatures = std::size_t{1} << 24;

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
    Matrix do_scores(MatrixView x) const final { return in_class_order(scores(x)); }

    Options options_;
    std::uint64_t seed_;
    std::uint64_t sessions_ = 0;
    std::size_t width_ = 0;
    ClassColumns columns_;
};

}  // namespace fearnet
