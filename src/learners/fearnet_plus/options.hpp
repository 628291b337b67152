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
    bool posterior = true;

    std::int64_t shape_rank = 12;
    std::int64_t shape_most = 8192;
    double shape_strength = 0;

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
        v.option(
            "readout.posterior", posterior,
            "Class means count for less the fewer rows they are of (probabilistic LDA); false: as they are.");
        v.option(
            "shapes.rank", shape_rank,
            "Directions in which a class varies most that are kept of each: at most so many, and one for "
            "every three of its rows; 0: none, all classes are taken to vary alike.",
            0, 4096);
        v.option("shapes.most", shape_most,
                 "Directions of all classes together; with many classes each keeps fewer. 0: no limit.", 0,
                 1 << 30);
        v.option("shapes.strength", shape_strength,
                 "How much a class's own variance counts beside the one all classes share; 0: chosen on "
                 "held-out rows, in the base session and in every sleep.",
                 0, 1e6);
    }
};

}  // namespace fearnet
