// What every learner can do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/options.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

enum class Memory { recent, consolidated };

// Where one answer came from. Learners without two memories fill in only `label` and the consolidated half.
struct Explanation {
    ClassId label{};
    Memory memory = Memory::consolidated;
    ClassId recent_label{};               // best class of the recent memory, if it holds any
    ClassId consolidated_label{};         // best class of the consolidated memory, if it knows any
    double recent_probability = 0;        // max_k P_HC(C = k | x); 0 when the recent memory is empty
    double consolidated_probability = 0;  // max_k P_mPFC(C = k | x)
    double router = 0;                    // A(x): how likely the memory is a recent one
    double psi = 0;                       // recent_probability weighted by the odds of A(x)
};

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
    // One class per row, always one that was taught.
    std::vector<ClassId> predict(MatrixView x) const;
    // The same answers with where they came from.
    std::vector<Explanation> explain(MatrixView x) const;
    // n x classes(): how likely each class is, rows summing to one. The largest is the class that predict
    // answers; among equals it is predict's.
    Matrix probabilities(MatrixView x) const;
    // Answers as if a perfect router knew which memory holds each row's true class: for evaluation only.
    // Empty for learners that have no router.
    std::optional<std::vector<ClassId>> predict_with_oracle(MatrixView x,
                                                            std::span<const ClassId> truth) const;

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
    virtual std::vector<Explanation> do_explain(MatrixView x) const = 0;
    // Unless told otherwise all on the answer.
    virtual Matrix do_probabilities(MatrixView x) const;
    virtual std::optional<std::vector<ClassId>> do_predict_with_oracle(MatrixView,
                                                                       std::span<const ClassId>) const {
        return std::nullopt;
    }

  private:
    void check_rows(MatrixView x, const char* function) const;
};

}  // namespace fearnet
