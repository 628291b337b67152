// The options of FearNet plus. The learner chooses whatever depends on the data, unless it is set here.
#pragma once

#include <cstdint>

#include "fearnet/options.hpp"

namespace fearnet {

enum class PlusTransform { automatic, none, sqrt, random };

struct PlusOptions {
    static constexpr const char* kLearner = "fearnet-plus";

    PlusTransform transform = PlusTransform::automatic;
    std::int64_t random_features = 3072;
    std::int64_t frames = 1;
    double ridge = 0;
    double covariance_strength = -1;
    std::int64_t memory_budget = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("features.transform", transform,
                 "The feature map: the features themselves, their signed square roots, random ReLU "
                 "features, or (auto) whichever has the best leave-one-out accuracy in the base session.",
                 {"auto", "none", "sqrt", "random"});
        v.option("features.random", random_features,
                 "Number of random ReLU features, at most 128 per given feature. With "
                 "features.transform=auto they are tried only for rows of at most a third of this number. 0 "
                 "disables them.",
                 0, 16384);
        v.option("features.frames", frames,
                 "Number of frames in a row: a row is this many equal parts with the same features, one "
                 "after another, like the seconds of a sound. Random features are computed for each frame "
                 "and averaged. 1: a row is one whole. If the option is not set, fearnet run, paper and tune "
                 "and the Python class FearNetClassifier detect the number in the rows of the base session.",
                 1, 1 << 20);
        v.option("readout.ridge", ridge,
                 "Ridge added to the diagonal of the shared covariance, as a multiple of its mean "
                 "diagonal. 0 chooses it by leave-one-out accuracy in the base session, and again in the "
                 "first sleep after a small base; it then decreases as rows arrive.",
                 0, 1e6);
        v.option("covariance.strength", covariance_strength,
                 "Weight of the class covariances beside the shared covariance. A class covariance has at "
                 "most 8 principal axes, and one per three rows of the class. 0 gives all classes the "
                 "shared covariance; -1 chooses by leave-one-out accuracy in the base session, and again in "
                 "the first sleep after a small base.",
                 -1, 1e6);
        v.option("memory.budget", memory_budget,
                 "Maximum memory in bytes; 0: no maximum. Recent rows are given up first, then principal "
                 "axes of the classes; a session that still does not fit is refused.",
                 0, 1000000000000);
    }
};

}  // namespace fearnet
