// The measurement of open-world answers during a run.
#pragma once

#include "fearnet/lab/open_world.hpp"
#include "fearnet/learner.hpp"
#include "lab/open_world/reference_detectors.hpp"

namespace fearnet::lab {

// The test rows of a stream with noise and rows of other data, and the reference detectors. Not thread-safe.
class OpenWorldTestSet {
  public:
    // `test` has the test rows in the order in which their classes are taught. `other` has rows of another
    // data set, of any width; it may be empty. Noise and other rows get the mean length of the test rows.
    OpenWorldTestSet(const LabeledView& test, MatrixView other, std::uint64_t seed);

    // Teaches the reference detectors.
    void learn(const LabeledView& session, const Progress& progress) { detectors_.learn(session, progress); }
    // Asks the learner and the detectors. The first `known` test rows are of taught classes.
    OpenWorldRecord measure(const Learner& learner, std::size_t known, const Progress& progress) const;

    // Rows of noise of each kind, and at most of the other data.
    static constexpr std::size_t kFarRows = 1000;

  private:
    // Rows first..end - 1 of rows_.
    struct Part {
        std::size_t first = 0, end = 0;
    };
    Detection detection(const std::vector<double>& scores, std::size_t known) const;

    std::vector<ClassId> truth_;  // of the test rows
    Matrix rows_;                 // test rows, then the parts below
    Part noise_, uniform_, other_;
    ReferenceDetectors detectors_;
};

// For the rows of `scores`, which are rows x classes, with the probabilities that `learner` computes from
// them: the logarithm of the sum of exp(score / temperature). The temperature is that of the learner's
// softmax, estimated from the scores and probabilities of the best two classes.
std::vector<double> energies(const Matrix& scores, const Matrix& probabilities);

}  // namespace fearnet::lab
