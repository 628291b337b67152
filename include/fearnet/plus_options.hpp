// Settings of FearNetPlus. Everything that depends on the data is chosen by the learner unless it is set
// here.
#pragma once

#include <cstdint>

#include "fearnet/options.hpp"

namespace fearnet {

enum class PlusTransform { automatic, none, sqrt, random };

struct PlusOptions {
    static constexpr const char* kLearner = "fearnet-plus";

    PlusTransform transform = PlusTransform::automatic;
    std::int64_t random_features = 3072;
    std::int64_t frames = 0;
    double shrinkage = 0;
    double doubt = -1;
    double pull = -1;

    std::int64_t shape_rank = 12;
    std::int64_t shape_most = 8192;
    double shape_strength = 0;

    std::int64_t memory_budget = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option(
            "features.transform", transform,
            "What is done to the features first: nothing, their roots (keeping the sign), random features of "
            "them, or whichever answers held-out rows of the base session better.",
            {"auto", "none", "sqrt", "random"});
        v.option("features.random", random_features,
                 "Random features, but at most 128 for every given one. By itself the learner only tries "
                 "them for rows of at most 1,024 features and half as many; 0: never.",
                 0, 16384);
        v.option("features.frames", frames,
                 "How many pieces with the same features a row consists of, one after another, like the "
                 "seconds of a sound; random features are then the mean over the pieces. 0: found in the "
                 "base session; 1: a row is one piece.",
                 0, 1 << 20);
        v.option(
            "readout.shrinkage", shrinkage,
            "Added to the diagonal of the shared covariance, as a share of the mean diagonal; 0: chosen on "
            "held-out rows of the base session, and again in a sleep after a small one; it then falls as "
            "rows come.",
            0, 1e6);
        v.option("readout.doubt", doubt,
                 "How uncertain class means are taken to be: times what the number of their rows says; 0: "
                 "not at all, -1: chosen on held-out rows of the base session, and again in a sleep after a "
                 "small one.",
                 -1, 1000);
        v.option("readout.pull", pull,
                 "How much the angle to a class's mean counts instead of the distance to it: 0 only the "
                 "distance, 1 only the angle; -1: chosen on held-out rows of the base session, and again in "
                 "a sleep after a small one.",
                 -1, 1);
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
                 "held-out rows of the base session, and again in a sleep after a small one.",
                 0, 1e6);
        v.option("memory.budget", memory_budget,
                 "Bytes that all that is kept may take; 0: no limit. First recent rows are not kept, then "
                 "every class keeps fewer directions; a session that still does not fit is refused.",
                 0, 1000000000000);
    }
};

}  // namespace fearnet
