// The shortest way to a learner of your own: a class that scores rows. Options, a seed, the classes with
// their columns, saving and checks are here.
//
//     class NearestMean final : public ScoringLearner<NearestMean, NearestMeanOptions> { ... };
//
// A learner writes name, teach, scores, memory, save_model and load_model, and is made known by
// register_learner (fearnet/registry.hpp). CONTRIBUTING.md has the steps.
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

// A learner's options inside its saved state, one text per option.
template <class Options>
void save_options(const Options& options, State& state) {
    for (const auto& [key, value] : options_as_text(options)) state.set("option." + key, value);
}

// Options the state does not name keep their defaults. Throws Error for a name or value that is not one of
// ours.
template <class Options>
Options load_options(const State& state) {
    Options options;
    std::vector<std::pair<std::string, std::string>> settings;
    for (const auto& [key, value] : state.texts)
        if (key.starts_with("option.")) settings.emplace_back(key.substr(7), value);
    apply_options(options, settings);
    return options;
}

// Which column of a learner's scores belongs to which class: columns in the order the classes were first met.
class ClassColumns {
  public:
    // The column of every label; classes not met before get the next ones.
    std::vector<std::int32_t> add(std::span<const ClassId> labels);

    // The columns after it move up by one. The class must be there.
    void remove(ClassId id);
    std::size_t column_of(ClassId id) const { return static_cast<std::size_t>(column_.at(id)); }

    std::size_t size() const { return ids_.size(); }
    bool empty() const { return ids_.empty(); }
    ClassId operator[](std::size_t column) const { return ids_[column]; }
    std::vector<ClassId> ascending() const;

    void save(State& state) const;
    // Throws Error for a class that stands there twice or is negative.
    static ClassColumns load(const State& state);

  private:
    std::vector<ClassId> ids_;  // by column
    std::map<ClassId, std::int32_t> column_;
};

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
    // n x taught(), by column: the larger, the likelier. At most kRowsAtOnce rows.
    virtual Matrix scores(MatrixView x) const = 0;
    virtual void save_model(State& state) const = 0;
    // Checks every shape against taught() and width(); throws Error.
    virtual void load_model(const State& state) = 0;
    // Whether `drop` works: takes a class out of the model; the columns after it move up by one.
    virtual bool can_drop() const { return false; }
    virtual void drop(std::size_t column) { (void)column; }
    // Of the softmax that makes scores probabilities.
    virtual double temperature() const { return 1; }
    void to_probabilities(std::span<float> scores) const override { softmax(scores, temperature()); }

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
    // The columns in the order of classes().
    Matrix do_scores(MatrixView x) const final {
        Matrix by_column = scores(x);
        const std::vector<std::size_t> order = columns_in_order();
        if (std::is_sorted(order.begin(), order.end())) return by_column;
        Matrix result(by_column.rows(), order.size());
        for (std::size_t i = 0; i < result.rows(); ++i)
            for (std::size_t k = 0; k < order.size(); ++k) result(i, k) = by_column(i, order[k]);
        return result;
    }

    Options options_;
    std::uint64_t seed_;
    std::uint64_t sessions_ = 0;
    std::size_t width_ = 0;
    ClassColumns columns_;
};

}  // namespace fearnet
