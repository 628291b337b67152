// Recent memory: keeps the examples seen since the last sleep and classifies by nearest distance. The paper's
// HC.
#pragma once

#include <span>
#include <vector>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// Examples that own their rows.
struct LabeledRows {
    Matrix x;
    std::vector<ClassId> labels;

    operator LabeledView() const { return {x, labels}; }
};

class Hippocampus {
  public:
    // The stored rows of one class.
    struct ClassExamples {
        ClassId id{};
        Matrix rows;
        std::vector<float> norms;  // squared
    };

    void store(const LabeledView& examples);
    void remove(ClassId id);  // all rows of a class, if there are any
    void clear() { classes_.clear(); }
    bool empty() const { return classes_.empty(); }
    std::size_t size() const;
    // Features per row; 0 when empty.
    std::size_t width() const { return empty() ? 0 : classes_.front().rows.cols(); }
    bool holds(ClassId id) const;

    // Ascending by id.
    const std::vector<ClassExamples>& contents() const { return classes_; }
    // A copy of all rows, class by class, and their labels.
    LabeledRows examples() const;
    // n x classes: the distance of each row to the nearest example of each stored class.
    Matrix distances(MatrixView x) const;
    // In place: distances to P_HC (Eq. 1 and 2), rows summing to one.
    static void to_probabilities(Matrix& distances, const HippocampusOptions& options);

    std::size_t bytes() const;
    void save(State& state) const;
    // `width` is the required number of features per row; 0: any number, equal for all rows.
    void load(const State& state, std::size_t width);

  private:
    std::vector<ClassExamples> classes_;
};

}  // namespace fearnet
