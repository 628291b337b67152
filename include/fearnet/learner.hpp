// What every learner can do.
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

// How much one sleep may do. Zeros leave it to the learner's options.
struct SleepEffort {
    std::int64_t epochs = 0;  // passes over what is replayed
    double seconds = 0;       // about as long as the whole sleep may take; at least one pass is made
};

// A classifier that is taught class after class and keeps what it was taught.
//
// Every public function checks its input and throws Error naming the function and both numbers; the learner
// is then unchanged and usable. `const` functions may be called from several threads at once; the others need
// the caller to hold the learner alone. Nothing here prints.
class Learner {
  public:
    virtual ~Learner() = default;

    // Teaches the classes of one study session; the first call is the base knowledge. The rows are read, not
    // kept by reference. A class may be met again in a later session. Throws Cancelled, unchanged, when
    // `progress` returns false.
    void learn(const LabeledView& session, const Progress& progress = {});
    // Consolidates what was learned since the last sleep; nothing to do is a no-op. Called from outside: no
    // learner has a hidden counter. Throws Cancelled, unchanged, when `progress` returns false.
    void sleep(const Progress& progress = {}) { sleep(SleepEffort{}, progress); }
    // The same with less or more work than usual; ignored by learners whose sleep has no passes.
    void sleep(const SleepEffort& effort, const Progress& progress = {});
    // Removes a class as if it had not been taught, as far as the learner can: its rows, statistics and
    // output are gone, a trained network keeps traces. Throws Error when the class was not taught, is the
    // only one, or the learner cannot forget; Cancelled when `progress` returns false.
    void forget(ClassId id, const Progress& progress = {});
    // One class per row, always one that was taught: the class with the largest score; of equal ones the
    // smallest id.
    std::vector<ClassId> predict(MatrixView x) const;
    // n x classes(): the larger, the likelier. Only scores of one row can be compared.
    Matrix scores(MatrixView x) const;
    // scores() without the checks: the caller has made sure that there is at least one row, that rows have
    // width() features and that all numbers are finite.
    Matrix scores_of_checked(MatrixView x) const;
    // n x classes(): how likely each class is, rows summing to one, in the order of the scores.
    Matrix probabilities(MatrixView x) const;
    // In place: the scores of one row as probabilities. Unless a learner knows better their softmax.
    virtual void to_probabilities(std::span<float> scores) const;
    // What a learner with two memories and a router can say of its answers; null for all others.
    virtual const MemoryRouting* routing() const { return nullptr; }

    // "fearnet", "offline-mlp", ...
    virtual std::string name() const = 0;
    // The classes taught so far, ascending.
    virtual std::vector<ClassId> classes() const = 0;
    // Classes with rows that wait for the next sleep, ascending; none for learners that learn at once.
    virtual std::vector<ClassId> recent_classes() const { return {}; }
    // Classes it knows without those rows, ascending. A class can be in both.
    virtual std::vector<ClassId> consolidated_classes() const { return classes(); }
    // Features per row; 0 before the first session.
    virtual std::size_t width() const = 0;
    virtual MemoryUse memory() const = 0;
    // Every option as name -> value.
    virtual std::map<std::string, std::string> options() const = 0;
    // Everything needed to continue: restore_learner(learner.save()) answers exactly as the learner does.
    virtual State save() const = 0;

  protected:
    // Input has been checked: same width as before, finite, as many labels as rows, at least one row.
    virtual void do_learn(const LabeledView& session, const Progress& progress) = 0;
    virtual void do_sleep(const SleepEffort&, const Progress&) {}
    virtual void do_forget(ClassId id, const Progress& progress);
    // n x classes() of at most kRowsAtOnce rows, which have been checked.
    virtual Matrix do_scores(MatrixView x) const = 0;
    // Rows are answered in blocks of this many, which bounds the memory of a large batch.
    static constexpr std::size_t kRowsAtOnce = 1024;

    // Throws Error naming `function` unless something was taught and the rows can be asked about. No row is
    // fine.
    void check_question(MatrixView x, const char* function) const;

  private:
    void check_rows(MatrixView x, const char* function) const;
};

// In place: exp(score / temperature), divided by their sum.
void softmax(std::span<float> scores, double temperature = 1);

}  // namespace fearnet
