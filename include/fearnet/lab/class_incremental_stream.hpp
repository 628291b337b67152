// The paper's protocol as data: a seeded class order, a base session of many classes, then one class per
// session.
#pragma once

#include <cstdint>
#include <vector>

#include "fearnet/data/feature_set.hpp"

namespace fearnet::lab {

// One study session. Session 0 is the base knowledge. It owns its rows: a learner can see nothing else.
struct StudySession {
    std::size_t number = 0;
    std::vector<ClassId> classes;
    Examples examples;
};

// Some classes of a set, and how many of them belong to the base knowledge.
struct BaseGroup {
    std::vector<ClassId> classes;
    std::int64_t base = 0;
};

// How a stream departs from the paper's, in which every class comes once, with all its rows.
struct StreamVariant {
    // Classes met again: this share of every class's training rows comes in a later session than its first.
    // That of a session's class comes in the next one; those of the base classes are spread evenly over all
    // sessions, or come in the first one.
    double returning = 0;
    bool return_next = false;
    double withheld = 0;              // this share never comes: what `returning` is compared with
    std::int64_t rows_per_class = 0;  // more than these never come either; 0: all come
    // Rows that return are moved, and so is as large a share of every class's test rows: by one vector, whose
    // numbers are drawn with this many standard deviations of the features.
    double shift = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("returning", returning,
                 "Share of every class's rows that comes in a later session than its first", 0, 1);
        v.option("return_next", return_next,
                 "Base classes too come back in the next session, not over all sessions");
        v.option("withheld", withheld, "Share of every class's rows that never comes, to compare with", 0, 1);
        v.option("rows_per_class", rows_per_class, "No more training rows per class than this; 0: all", 0,
                 1'000'000);
        v.option("shift", shift,
                 "Rows that return are moved by this many standard deviations of each feature", 0, 1'000'000);
    }

    bool operator==(const StreamVariant&) const = default;
};

// Throws Error and says what must be changed.
void check_stream_variant(StreamVariant variant);

struct StreamOptions {
    std::int64_t base_classes = 0;  // 0: half of the classes
    std::uint64_t seed = 1;         // decides the class order
    // Which classes the base knowledge is drawn from, for sets put together from several; together they hold
    // every class once. Empty: one group of all classes. The seed decides which classes of a group are drawn,
    // and the order of all others. base_classes is then 0 or the sum.
    std::vector<BaseGroup> base_groups = {};
    StreamVariant variant = {};
};

// Cuts a FeatureSet into study sessions. Refers to the set, which must outlive it. Const functions are
// thread-safe.
class ClassIncrementalStream {
  public:
    // Throws Error unless 1 <= base_classes < set.classes(), the groups, if any, fit and the variant can be.
    // `set` has passed check_feature_set.
    ClassIncrementalStream(const FeatureSet& set, const StreamOptions& options);

    std::size_t sessions() const { return 1 + order_.size() - base_; }
    // The training rows of one session, class by class, those that return at the end. Throws Error when there
    // is no such session.
    StudySession session(std::size_t number) const;
    // Test rows of the classes taught in sessions first..last, both included; in the order the classes are
    // taught, so that the rows of fewer sessions are a prefix of the rows of more.
    Examples test_rows(std::size_t first, std::size_t last) const;
    // Every class once: the base classes first, then one per session.
    const std::vector<ClassId>& order() const { return order_; }
    std::size_t base_classes() const { return base_; }
    // The classes that study session `number` is the first to bring.
    std::vector<ClassId> classes_of(std::size_t number) const;
    // The classes of which rows return in study session `number`.
    std::vector<ClassId> returning_in(std::size_t number) const;

  private:
    void set_rows_apart(const FeatureSet& set, const StreamOptions& options);
    Examples rows_of(const Examples& from, const std::vector<std::vector<std::size_t>>& by_class,
                     const std::vector<ClassId>& classes) const;
    void shift(float* row) const;
    const FeatureSet* set_;
    std::vector<ClassId> order_;
    std::size_t base_ = 0;
    std::vector<std::vector<std::size_t>> train_rows_;      // by class: those of its first session
    std::vector<std::vector<std::size_t>> returning_rows_;  // by class
    std::vector<std::vector<std::size_t>> test_rows_;
    std::vector<std::size_t> shifted_tests_;  // by class: how many of its test rows, the last ones
    std::vector<float> shift_;                // empty: none
    bool return_next_ = false;
};

}  // namespace fearnet::lab
