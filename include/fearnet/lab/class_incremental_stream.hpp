// The class-incremental stream of the paper's protocol: a random class order, a base session with many
// classes, then one new class per session.
#pragma once

#include <cstdint>
#include <vector>

#include "fearnet/data/feature_set.hpp"

namespace fearnet::lab {

// What a learner is taught in one session: a copy of the rows. Session 0 is the base session.
struct StudySession {
    std::size_t number = 0;
    std::vector<ClassId> classes;  // taught here for the first time
    Examples examples;
};

// A group of classes, `base` of which are drawn at random for the base session.
struct BaseGroup {
    std::vector<ClassId> classes;
    std::int64_t base = 0;
};

// Variants of the paper's stream. By default, as in the paper, each class comes in one session, with all its
// training rows. Shares are fractions of the training rows of each class; rows are chosen at random by the
// seed of the stream, and at least one row of a class comes in its first session.
struct StreamVariant {
    // This share of each class returns in a later session. For a class of an incremental session that is the
    // next session; for the last class it is the last session itself. The
    // base classes return spread evenly over all incremental sessions or, with return_next, all in the first.
    double returning = 0;
    bool return_next = false;
    double withheld = 0;              // this share is never taught: a control for `returning`
    std::int64_t rows_per_class = 0;  // use at most this many rows of each class; 0: all
    // Simulates drift: the returning rows, and the same share of the test rows of each class, are moved by
    // one random vector. Its components are normal with `shift` times the standard deviation of the feature.
    double shift = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("returning", returning,
                 "Share of the rows of each class that is taught in a later session than its first", 0, 1);
        v.option("return_next", return_next,
                 "All returning rows of base classes come in the first session after the base session");
        v.option("withheld", withheld,
                 "Share of the rows of each class that is never taught: the control for --returning", 0, 1);
        v.option("rows_per_class", rows_per_class, "Maximum number of training rows per class; 0: all", 0,
                 1'000'000);
        v.option("shift", shift, "Shift of the returning rows, in standard deviations of each feature", 0,
                 1'000'000);
    }

    bool operator==(const StreamVariant&) const = default;
};

// Throws Error, which says what to change, if a number is out of range, returning + withheld is not below 1,
// or shift or return_next is set without `returning`.
void check_stream_variant(StreamVariant variant);

struct StreamOptions {
    std::int64_t base_classes = 0;  // classes of the base session; 0: half of all classes
    std::uint64_t seed = 1;         // of the class order and the variant
    // For joined data sets: how many base classes to draw from which classes. The groups must contain every
    // class exactly once, and base_classes must be 0 or the sum of their `base`. Empty: one group of all
    // classes.
    std::vector<BaseGroup> base_groups = {};
    StreamVariant variant = {};
};

// Divides a FeatureSet into sessions. Keeps a pointer to the set, which must outlive the stream. Const
// functions may be called from several threads at once.
class ClassIncrementalStream {
  public:
    // `set` must have passed check_feature_set. Throws Error unless 1 <= base_classes < set.classes(), and if
    // the groups or the variant are not valid.
    ClassIncrementalStream(const FeatureSet& set, const StreamOptions& options);

    // The number of sessions, including the base session.
    std::size_t sessions() const { return 1 + order_.size() - base_; }
    // One session: training rows ordered by class, followed by returning rows. Throws Error unless
    // number < sessions().
    StudySession session(std::size_t number) const;
    // The test rows of the classes first taught in sessions first..last, inclusive, in the order in which the
    // classes are taught. test_rows(0, n) is therefore a prefix of test_rows(0, n + 1).
    Examples test_rows(std::size_t first, std::size_t last) const;
    // All classes in the order in which they are taught: the base classes, then one per session.
    const std::vector<ClassId>& order() const { return order_; }
    std::size_t base_classes() const { return base_; }
    // The classes that are taught for the first time in session `number`.
    std::vector<ClassId> classes_of(std::size_t number) const;
    // The classes of which rows return in session `number`.
    std::vector<ClassId> returning_in(std::size_t number) const;

  private:
    void split_rows(const FeatureSet& set, const StreamOptions& options);
    Examples select_rows(const Examples& from, const std::vector<std::vector<std::size_t>>& by_class,
                         const std::vector<ClassId>& classes) const;
    void shift(float* row) const;
    const FeatureSet* set_;
    std::vector<ClassId> order_;
    std::size_t base_ = 0;
    std::vector<std::vector<std::size_t>> train_rows_;      // by class: rows of its first session
    std::vector<std::vector<std::size_t>> returning_rows_;  // by class
    std::vector<std::vector<std::size_t>> test_rows_;       // by class
    std::vector<std::size_t>
        shifted_tests_;         // by class: this many of its test rows are shifted, the last ones
    std::vector<float> shift_;  // the vector; empty: no shift
    bool return_next_ = false;
};

}  // namespace fearnet::lab
