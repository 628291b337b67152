// Settings of FearNetPlus. Everything that depends on the data is chosen by the learner unless it is set
// here.
#pragma once

#include <cstdint>

#include "fearnet/base/options.hpp"

namespace fearnet {

enum class PlusTransform { automatic, none, sqrt };

struct FearNetPlusOptions {
    PlusTransform transform = PlusTransform::automatic;
    double shrinkage = 0;

    std::int64_t shape_rank = 48;
    double shape_prior = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option(
            "features.transform", transform,
            "What is done to every feature first: nothing, its root (keeping the sign), or whichever answers "
            "held-out rows of the base session better.",
            {"auto", "none", "sqrt"});
        v.option(
            "readout.shrinkage", shrinkage,
            "Added to the diagonal of the shared covariance, as a share of the mean diagonal; 0: chosen on "
            "held-out rows, in the base session and in every sleep.",
            0, 1e6);
        v.option("shapes.rank", shape_rank,
                 "Directions in which every class has a covariance of its own: at most so many, those in "
                 "which the "
                 "classes differ most; 0: none, only the shared one.",
                 0, 4096);
        v.option("shapes.prior", shape_prior,
                 "How many examples the shared covariance weighs beside a class's own; 0: chosen on held-out "
                 "rows.",
                 0, 1e9);
    }
};

}  // namespace fearnet
