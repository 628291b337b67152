// The paper's protocol as data: a seeded class order, a base session of many classes, then one class per
// session.
#pragma once

#include <cstdint>
#include <vector>

#include "fearnet/features/feature_set.hpp"

namespace fearnet {

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

struct StreamOptions {
    std::int64_t base_classes = 0;  // 0: half of the classes
    std::uint64_t seed = 1;         // decides the class order
    // Which classes the base knowledge is drawn from, for sets put together from several; together they hold
    // every class once. Empty: one group of all classes. The seed decides which classes of a group are drawn,
    // and the order of all others. base_classes is then 0 or the sum.
    std::vector<BaseGroup> base_groups = {};
    // Classes met again: this share of every class's training rows comes in a later session than its first,
    // that of a session's class in the next one, those of the base classes spread evenly over all sessions.
    double returning = 0;
    double withheld = 0;  // this share never comes: what `returning` is compared with
};

// Cuts a FeatureSet into study sessions. Refers to the set, which must outlive it. Const functions are
// thread-safe.
class ClassIncrementalStream {
  public:
    // Throws Error unless 1 <= base_classes < set.classes() and the groups, if any, fit. `set` has passed
    // check_feature_set.
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
    // The classes that are new in this session.
    std::vector<ClassId> classes_of(std::size_t number) const;
    // The classes of which rows return in this session.
    std::vector<ClassId> returning_in(std::size_t number) const;

  private:
    Examples rows_of(const Examples& from, const std::vector<std::vector<std::size_t>>& by_class,
                     const std::vector<ClassId>& classes) const;
    const FeatureSet* set_;
    std::vector<ClassId> order_;
    std::size_t base_ = 0;
    std::vector<std::vector<std::size_t>> train_rows_;      // by class: those of its first session
    std::vector<std::vector<std::size_t>> returning_rows_;  // by class
    std::vector<std::vector<std::size_t>> test_rows_;
};

}  // namespace fearnet
