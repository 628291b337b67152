// Learner: the interface of every class-incremental classifier in the library. Its classes are numbers
// (ClassId); Brain (fearnet/brain.hpp) adds names and a file.
//
//     std::unique_ptr<Learner> learner = make_learner({.learner = "fearnet-plus"});  // fearnet/registry.hpp
//     learner->learn({x_base, labels_base});
//     learner->learn({x_new, labels_new});
//     learner->sleep();
//     std::vector<ClassId> answers = learner->predict(x_test);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/options.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

class MemoryRouting;  // in fearnet/fearnet_options.hpp

// Limits on the work of one sleep. 0 leaves a limit to the learner's options. Learners whose sleep does not
// train in epochs, such as "fearnet-plus", ignore both.
struct SleepEffort {
    std::int64_t epochs = 0;  // passes over the replayed data
    double seconds = 0;       // approximate wall-clock time of the sleep; at least one epoch is made
};

// Scores of rows, and how familiar the rows look; see Learner::scored.
struct ScoredRows {
    Matrix scores;                    // rows x classes()
    std::vector<double> familiarity;  // by row, or empty
};

// A row of a session that looks like another class than the one it is labeled with.
struct SuspectRow {
    std::size_t row = 0;
    ClassId looks_like{};    // the most probable other class
    double probability = 0;  // that the label is wrong
};

// What a learner expects of one class among all present classes. Negative numbers are not known.
struct ClassReview {
    struct Confusion {
        ClassId with{};
        double share = 0;  // of new rows of the class that will be classified as `with`
    };
    ClassId id{};
    double accuracy = -1;               // as Learner::expected_accuracy
    double error = -1;                  // standard error of the accuracy
    double with_half = -1;              // the accuracy with half as many examples of the class
    double with_twice = -1;             // the accuracy with twice as many
    std::vector<Confusion> confusions;  // most frequent first, at most kMaxConfusions
    static constexpr std::size_t kMaxConfusions = 8;
};

// A classifier that is taught one session after another and does not forget earlier classes.
//
// Errors: every public function checks its input and throws Error, which names the function and the numbers
// that do not fit; the learner is then unchanged and usable. Running out of memory in learn throws
// OutOfMemory, which is an Error.
//
// Threads: const functions may be called from several threads at once. All others need exclusive access.
//
// A subclass implements the pure virtual functions; ScoringLearner (fearnet/scoring_learner.hpp) implements
// most of them. learn, predict, ... check the input and then call do_learn, do_scores, ...
class Learner {
  public:
    virtual ~Learner() = default;

    // Teaches one session: at least one row, one label >= 0 per row, all numbers finite, rows as wide as
    // those of earlier sessions. The first session is the base session. A session may bring new classes, more
    // rows of known classes, or both. The rows are not referenced after the call. When `progress` returns
    // false, throws Cancelled and leaves the learner unchanged.
    void learn(const LabeledView& session, const Progress& progress = {});
    // Consolidates what was learned since the last sleep; does nothing if there is nothing to consolidate.
    // A learner never sleeps by itself: the caller decides when. When `progress` returns false, throws
    // Cancelled and leaves the learner unchanged.
    void sleep(const Progress& progress = {}) { sleep(SleepEffort{}, progress); }
    void sleep(const SleepEffort& effort, const Progress& progress = {});
    // Removes a class: its rows, statistics and output are deleted; trained networks keep traces of it.
    // Throws Error if the class was not taught, if it is the only one, and if the learner cannot forget.
    // When `progress` returns false, throws Cancelled and leaves the learner unchanged.
    void forget(ClassId id, const Progress& progress = {});

    // The functions below throw Error before the first session, for rows that are not width() wide, and for
    // numbers that are not finite. They accept a matrix without rows.

    // The class with the highest score for each row; the smallest id if several classes have it.
    std::vector<ClassId> predict(MatrixView x) const;
    // rows x classes(). A higher score means a more likely class; scores of different rows are not
    // comparable.
    Matrix scores(MatrixView x) const;
    // scores() without checks, for callers that have checked the rows already. There must be at least one.
    Matrix scores_of_checked(MatrixView x) const;
    // rows x classes(): the probability of each class. A row sums to one, and its probabilities have the
    // same order as its scores.
    Matrix probabilities(MatrixView x) const;
    // Turns the scores of one row into probabilities, in place. The default is softmax.
    virtual void to_probabilities(std::span<float> scores) const;
    // How familiar each row looks, from 0 to 1: the share of taught rows, each judged as if it had not been
    // taught, that look as strange as this row or stranger. A new row of a taught class is below p with a
    // probability of about p, whatever p is; rows of other classes are mostly below small p. Empty for
    // learners that do not estimate it; of the library's own, "fearnet-plus", "fearnet", "streaming-lda"
    // and "nearest-mean" do.
    std::vector<double> familiarity(MatrixView x) const;
    // scores and familiarity of the same rows, in less time than one after the other.
    ScoredRows scored(MatrixView x) const;
    // rows x classes(): how well each row fits each class, as a p-value. The classes whose value is above
    // 1 - q contain the class of a new row of a taught class with a probability of about q. Without rows or
    // columns for learners that do not estimate familiarity.
    Matrix class_p_values(MatrixView x) const;
    // The rows of a session that probably have a wrong label: asks a copy of the learner that has learned the
    // session about every row, as if that row had not been taught. Takes as long as learn. Empty for learners
    // that cannot tell; of the library's own, "fearnet-plus" can.
    std::vector<SuspectRow> suspect_rows(const LabeledView& session) const;
    // The rows in units of the variation within classes: their Euclidean distances tell whether they are of
    // one class. Without rows or columns for learners that have no such units; of the library's own,
    // "fearnet-plus" has them.
    Matrix whitened(MatrixView x) const;
    // classes() x the columns of whitened(): the class means in the same units. Without rows for learners
    // that have no such units.
    virtual Matrix whitened_means() const { return {}; }
    // Explanations of predictions; null unless the learner has two memories and a router ("fearnet").
    // Owned by the learner.
    virtual const MemoryRouting* routing() const { return nullptr; }

    // The name in the registry: "fearnet", "offline-mlp", ...
    virtual std::string name() const = 0;
    // The classes taught so far, ascending.
    virtual std::vector<ClassId> classes() const = 0;
    // Classes with stored rows that wait for the next sleep, ascending. Empty for learners that need no
    // sleep.
    virtual std::vector<ClassId> recent_classes() const { return {}; }
    // Classes that are known without the rows waiting for sleep, ascending. A class may be recent as well as
    // consolidated.
    virtual std::vector<ClassId> consolidated_classes() const { return classes(); }
    // The share of new rows of each class that will be classified correctly, in the order of classes();
    // negative for a class whose share is not known yet. Empty for learners that do not estimate it; of the
    // library's own, "fearnet-plus" does. Takes about as long as teaching a class.
    virtual std::vector<double> expected_accuracy() const { return {}; }
    // The expected accuracy of each class with its error, the confusions behind it, and whether more examples
    // would raise it, in the order of classes(). Empty for learners that do not estimate it; of the library's
    // own, "fearnet-plus" does. Takes a few times as long as expected_accuracy.
    virtual std::vector<ClassReview> review() const { return {}; }
    // Features per row; 0 before the first session.
    virtual std::size_t width() const = 0;
    // What the learner keeps, in bytes by kind.
    virtual MemoryUse memory() const = 0;
    // Every option, name -> value.
    virtual std::map<std::string, std::string> options() const = 0;
    // The complete state: restore_learner(learner.save()) makes a learner that predicts and learns on exactly
    // like this one.
    virtual State save() const = 0;

  protected:
    // Teaches a session that has been checked as learn says. Must report progress at least once (report in
    // fearnet/progress.hpp), and must leave the learner unchanged if it throws.
    virtual void do_learn(const LabeledView& session, const Progress& progress) = 0;
    // Consolidates; neither number of the effort is negative. The default does nothing.
    virtual void do_sleep(const SleepEffort&, const Progress&) {}
    // Removes a class that was taught and is not the only one. The default throws Error.
    virtual void do_forget(ClassId id, const Progress& progress);
    // The scores of 1 to kRowsAtOnce checked rows: rows x classes().
    virtual Matrix do_scores(MatrixView x) const = 0;
    // What familiarity, class_p_values, suspect_rows and whitened return, for checked rows: at most
    // kRowsAtOnce of them for the first two, at least one for whitened. The defaults return nothing.
    virtual std::vector<double> do_familiarity(MatrixView x) const;
    virtual ScoredRows do_scored(MatrixView x) const;
    virtual Matrix do_class_p_values(MatrixView x) const;
    virtual std::vector<SuspectRow> do_suspect_rows(const LabeledView& session) const;
    virtual Matrix do_whitened(MatrixView x) const;
    // Predictions are made in blocks of at most this many rows, which bounds the memory of a large batch.
    static constexpr std::size_t kRowsAtOnce = 1024;

    // Throws Error, naming `function`, before the first session and for rows that are too wide, too narrow or
    // not finite. Accepts a matrix without rows.
    void check_question(MatrixView x, const char* function) const;

  private:
    void check_rows(MatrixView x, const char* function) const;
    void check_session(const LabeledView& session, const char* function) const;
    template <class Ask>
    Matrix in_blocks(MatrixView x, const Ask& ask) const;
};

// Replaces scores by exp(score / temperature), normalized to sum to one. There must be at least one score.
void softmax(std::span<float> scores, double temperature = 1);

}  // namespace fearnet
