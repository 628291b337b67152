// Learners by name. A new learner is one more entry here.
#include <new>

#include "fearnet/learners/fearnet.hpp"
#include "fearnet/learners/learner.hpp"
#include "fearnet/learners/offline_mlp.hpp"
#include "learners/baselines/fecam.hpp"
#include "learners/baselines/fel.hpp"
#include "learners/baselines/fourier_lda.hpp"
#include "learners/baselines/geppnet.hpp"
#include "learners/baselines/geppnet_stm.hpp"
#include "learners/baselines/icarl.hpp"
#include "learners/baselines/nearest_mean.hpp"
#include "learners/baselines/nearest_neighbor.hpp"
#include "learners/baselines/ridge.hpp"
#include "learners/baselines/streaming_lda.hpp"
#include "learners/fearnet_plus/fearnet_plus.hpp"
#include "learners/joined.hpp"
#include "learners/presets.hpp"

namespace fearnet {
namespace {

struct Entry {
    LearnerInfo info;
    std::vector<OptionText> (*options)(const std::string& preset);
    std::vector<SearchRange> (*search)();
    std::unique_ptr<Learner> (*make)(const LearnerSpec&);
    std::unique_ptr<Learner> (*restore)(const State&);
};

// L has L::Options (a struct that describes itself and may have a search_space()), L(options, seed) and
// L::load(state).
template <class L>
Entry entry(const char* name, const char* summary, bool incremental = true) {
    return {{name, summary, incremental},
            [](const std::string& preset) {
                auto options = preset_options<typename L::Options>(preset);
                std::vector<OptionText> list = list_options(options);
                for (OptionText& o : list) o.parse = nullptr;  // it refers to `options`, which ends here
                return list;
            },
            []() -> std::vector<SearchRange> {
                if constexpr (requires { L::Options::search_space(); }) return L::Options::search_space();
                return {};
            },
            [](const LearnerSpec& spec) -> std::unique_ptr<Learner> {
                auto options = preset_options<typename L::Options>(spec.preset);
                apply_options(options, spec.settings);
                return std::make_unique<L>(options, spec.seed);
            },
            [](const State& state) -> std::unique_ptr<Learner> { return L::load(state); }};
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> kEntries = {
        entry<FearNet>("fearnet", "the paper's method: two memories, a router, sleep"),
        entry<FearNetPlus>("fearnet-plus",
                           "FearNet in closed form: one read-out over all classes, their shapes in sleep"),
        entry<NearestNeighbor>("nearest-neighbor", "the class of the nearest of all rows ever taught"),
        entry<NearestMean>("nearest-mean", "the class of the nearest mean"),
        entry<StreamingLda>("streaming-lda", "class means and one shared covariance, exact in any order"),
        entry<FourierLda>("fourier-lda", "streaming LDA on random Fourier features"),
        entry<Ridge>("ridge", "ridge regression from a Gram matrix and class sums"),
        entry<RanPac>("ranpac", "ridge regression on random features"),
        entry<FeCam>("fecam", "a covariance per class and Mahalanobis distances"),
        entry<Icarl>("icarl", "iCaRL: a network with distillation, exemplars by herding, nearest class mean"),
        entry<Fel>("fel", "Fixed Expansion Layer: a large, sparsely firing layer keeps training steps local"),
        entry<GeppNet>("geppnet", "a self-organizing map with a linear read-out that replays all its data"),
        entry<GeppNetStm>("geppnet-stm", "GeppNet with a short-term memory: learns novel rows in sleep only"),
        entry<OfflineMlp>("offline-mlp", "an MLP on all data at once: the reference of the scores", false),
    };
    return kEntries;
}

const Entry& find_learner(const std::string& name) {
    for (const Entry& e : entries())
        if (name == e.info.name) return e;
    throw Error("learner '" + name + "': no such learner; there are " + joined(learner_names()));
}

}  // namespace

std::vector<LearnerInfo> learners() {
    std::vector<LearnerInfo> list;
    for (const Entry& e : entries()) list.push_back(e.info);
    return list;
}

std::vector<std::string> learner_names() {
    std::vector<std::string> names;
    for (const Entry& e : entries()) names.push_back(e.info.name);
    return names;
}

std::vector<OptionText> learner_options(const std::string& learner, const std::string& preset) {
    return find_learner(learner).options(preset);
}

std::vector<SearchRange> search_space(const std::string& learner) {
    return find_learner(learner).search();
}

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec) {
    return find_learner(spec.learner).make(spec);
}

std::unique_ptr<Learner> restore_learner(const State& state) {
    try {
        return find_learner(state.text("learner")).restore(state);
    } catch (const std::bad_alloc&) {
        throw Error("State: not enough memory for the learner it describes");
    }
}

}  // namespace fearnet
