// How familiar rows look, by the means of the classes in the given features.
#pragma once

#include <vector>

#include "core/learners/kit/readout_familiarity.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// The mean of every class, in either memory, and what the rows of each session had when they were compared
// with the means as if they had not been taught. The networks have no part in it: they were trained on the
// rows, whose codes and probabilities are therefore not those of new rows, and no row is left to measure by
// how much. Sleep changes nothing here.
class FamiliarClasses {
  public:
    // The classes of a session and what was known before: empty if the classes known before, `known`, are not
    // those that are here, as after clear().
    FamiliarClasses with(const LabeledView& session, const std::vector<ClassId>& known) const;
    FamiliarClasses without(ClassId id) const;
    void clear() { *this = {}; }

    // Whether rows can be asked.
    bool ready() const { return open_.ready(); }
    std::vector<double> familiarity(MatrixView x) const;
    // Rows x classes, the classes ascending.
    Matrix class_p_values(MatrixView x) const;

    std::size_t bytes() const;
    void save(State& state) const;
    // Without classes if the state has none. Throws Error when it is damaged, or does not have `classes`.
    static FamiliarClasses load(const State& state, const std::vector<ClassId>& classes, std::size_t width);

  private:
    std::vector<ClassId> classes_;  // by column
    std::vector<std::int64_t> counts_;
    LinearReadout means_;  // as the weights of the nearest mean
    ReadoutFamiliarity open_{false};
};

}  // namespace fearnet
