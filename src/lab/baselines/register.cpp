// A new learner is one more line here.
#include <mutex>

#include "fearnet/lab/learners.hpp"
#include "fearnet/registry.hpp"
#include "lab/baselines/anacp.hpp"
#include "lab/baselines/fecam.hpp"
#include "lab/baselines/fel.hpp"
#include "lab/baselines/fourier_lda.hpp"
#include "lab/baselines/geppnet.hpp"
#include "lab/baselines/geppnet_stm.hpp"
#include "lab/baselines/icarl.hpp"
#include "lab/baselines/lr_rgda.hpp"
#include "lab/baselines/nearest_mean.hpp"
#include "lab/baselines/nearest_neighbor.hpp"
#include "lab/baselines/offline_mlp.hpp"
#include "lab/baselines/ridge.hpp"
#include "lab/baselines/streaming_lda.hpp"
#include "lab/outliers/outlier_router.hpp"

namespace fearnet::lab {
namespace {

template <class L>
void add(const char* name, const char* summary, bool incremental = true) {
    register_learner(learner_type<L>(name, summary, incremental));
}

}  // namespace

void register_learners() {
    static std::once_flag once;
    std::call_once(once, [] {
        add<NearestNeighbor>("nearest-neighbor", "nearest neighbor among all rows ever taught");
        add<NearestMean>("nearest-mean", "nearest class mean");
        add<StreamingLda>(
            "streaming-lda",
            "linear discriminant from class means and one shared covariance, exact in any order of rows");
        add<FourierLda>("fourier-lda", "streaming LDA on random Fourier features");
        add<Ridge>("ridge", "ridge regression to one-hot targets, from a Gram matrix and class sums");
        add<RanPac>("ranpac", "ridge regression on random features");
        add<FeCam>("fecam", "Mahalanobis distances with one covariance per class");
        add<LrRgda>("lr-rgda",
                    "Gaussian classes with a shared covariance plus a low-rank covariance per class");
        add<AnaCp>("anacp",
                   "ridge regression to separated class means, then a second layer fitted on pseudo-rows");
        add<Icarl>("icarl",
                   "a network with distillation, exemplars chosen by herding, nearest class mean (iCaRL)");
        add<Fel>("fel", "Fixed Expansion Layer: a large, sparsely active layer keeps training steps local");
        add<GeppNet>("geppnet", "a self-organizing map with a linear read-out that replays all its data");
        add<GeppNetStm>("geppnet-stm", "GeppNet with a short-term memory; learns novel rows only in sleep");
        add<OfflineMlp>("offline-mlp", "an MLP trained on all data at once: the reference of the scores",
                        false);
        register_outlier_routers();
    });
}

}  // namespace fearnet::lab
