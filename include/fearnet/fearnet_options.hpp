// The options of the learner "fearnet", the method of the paper, and the explanations that it gives of its
// predictions.
//
// FearNet has two memories. The recent memory (hippocampus) stores new examples until the next sleep. The
// long-term memory (medial prefrontal cortex, mPFC) is a network with statistics of its classes. A router
// (amygdala) chooses between them. docs/learners/fearnet.md describes the method.
//
// Each field's default is here, its range and meaning in `describe`; docs/options.md lists all. The defaults
// are the settings that work best; docs/math.md says where they differ from the paper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/options.hpp"

namespace fearnet {

enum class Covariance { full, diagonal };
enum class RouterInput { features, codes };
enum class RouterKind { mlp, isolation_forest, elliptic_envelope, one_class_svm };
enum class Refresh { reencode, drift };
enum class RateDecay { none, linear };

struct NetworkOptions {
    std::vector<std::int64_t> hidden = {350, 300};
    double bias = 0;
    bool code_layer = false;
    double dropout = 0.25;
    std::vector<double> reconstruction = {1e4, 1.0, 0.1};

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("network.hidden", hidden,
                 "Units of the encoder's layers; the decoder mirrors them, the router copies them.", 1,
                 65536);
        v.option("network.bias", bias,
                 "Start value of every bias. The paper says 1, with which nothing is learned.", -10, 10);
        v.option("network.code_layer", code_layer,
                 "A code -> code layer at the start of the decoder, which gives the third reconstruction "
                 "weight a meaning.");
        v.option("network.dropout", dropout, "Probability of dropping a hidden unit in training.", 0, 0.95);
        v.option("network.reconstruction", reconstruction,
                 "lambda: weights of the reconstruction losses of the input, the first hidden layer, the "
                 "second, ... (Eq. 4).",
                 0, 1e9);
    }
};

struct TrainingOptions {
    double rate = 2e-3;
    std::int64_t batch = 200;
    std::int64_t base_classes = 2;
    std::int64_t base_epochs = 60;
    std::int64_t min_steps = 1500;
    RateDecay base_decay = RateDecay::linear;
    double base_decoder_rate = 1;
    std::int64_t offline_epochs = 60;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("training.rate", rate, "Learning rate of NAdam.", 1e-8, 1);
        v.option("training.batch", batch, "Rows per training step.", 1, 65536);
        v.option(
            "training.base_classes", base_classes,
            "Classes that the first session needs to be learned as base knowledge; a smaller one waits in "
            "the recent memory until a sleep finds as many.",
            1, 1000000);
        v.option("training.base_epochs", base_epochs, "Passes over the base knowledge.", 0, 100000);
        v.option("training.min_steps", min_steps,
                 "At least this many steps in the base phase and for the offline MLP: small data gets more "
                 "passes.",
                 0, 10000000);
        v.option("training.base_decay", base_decay,
                 "Learning rate over the base phase and the offline MLP: constant (the paper) or falling "
                 "linearly to a hundredth.",
                 {"none", "linear"});
        v.option("training.base_decoder_rate", base_decoder_rate,
                 "Decoder's learning rate in the base phase, as a share of training.rate. The paper's 0.01 "
                 "slows the base phase badly.",
                 0, 10);
        v.option("training.offline_epochs", offline_epochs, "Passes of the offline MLP over all data.", 0,
                 100000);
    }
};

struct HippocampusOptions {
    double epsilon = 1e-3;
    double sharpness = 1;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("hippocampus.epsilon", epsilon,
                 "Added to every distance (Eq. 2); matters only near duplicates.", 1e-12, 10);
        v.option("hippocampus.sharpness", sharpness,
                 "Power of the inverse distance: 1 is Eq. 2, larger favors the nearest class more.", 0.01,
                 1000);
    }
};

struct SleepOptions {
    std::int64_t epochs = 20;
    std::int64_t min_steps = 800;
    double decoder_rate = 0.01;
    bool borrow_residuals = true;
    double soft_targets = 0.5;
    double code_anchor = 0;
    std::int64_t min_pseudo_examples = 0;
    bool fresh = true;
    RateDecay decay = RateDecay::linear;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("sleep.epochs", epochs, "Passes over the replayed mixture.", 0, 100000);
        v.option("sleep.min_steps", min_steps, "At least this many steps in one sleep.", 0, 10000000);
        v.option("sleep.decoder_rate", decoder_rate,
                 "Decoder's learning rate in sleep, as a share of training.rate.", 0, 10);
        v.option("sleep.borrow_residuals", borrow_residuals,
                 "Add to each pseudo-example what the autoencoder cannot reconstruct of a random example now "
                 "in the recent memory.");
        v.option("sleep.soft_targets", soft_targets,
                 "Share of the old network's own answer in a pseudo-example's target; 0 is the paper's "
                 "one-hot label.",
                 0, 1);
        v.option("sleep.code_anchor", code_anchor,
                 "Weight of a loss that holds the codes of pseudo-examples where the old encoder put them: "
                 "keeps the base better, learns the new less well. Needs sleep.soft_targets above 0.",
                 0, 1e6);
        v.option("sleep.min_pseudo_examples", min_pseudo_examples,
                 "At least this many pseudo-examples per class, should ceil(m) be smaller.", 0, 100000);
        v.option("sleep.decay", decay,
                 "Learning rate over one sleep: constant or falling linearly to a hundredth.",
                 {"none", "linear"});
        v.option("sleep.fresh", fresh,
                 "Draw new pseudo-examples in every epoch instead of repeating one set.");
    }
};

struct StatisticsOptions {
    Covariance covariance = Covariance::full;
    std::int64_t max_rank = 0;
    bool mean_residual = true;
    Refresh refresh = Refresh::drift;
    std::int64_t refresh_samples = 500;
    double recency = 2;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("statistics.covariance", covariance, "Covariance kept per class.", {"full", "diagonal"});
        v.option("statistics.max_rank", max_rank,
                 "Directions kept of a full covariance, largest first; 0 keeps all.", 0, 65536);
        v.option("statistics.mean_residual", mean_residual,
                 "Keep per class the mean of what the autoencoder cannot reconstruct, and add it to the "
                 "class's pseudo-examples.");
        v.option("statistics.refresh", refresh,
                 "How sleep refreshes an old class: from the codes of its re-encoded pseudo-examples (the "
                 "paper), or from its sampled codes moved by how far sleep moved those.",
                 {"reencode", "drift"});
        v.option("statistics.refresh_samples", refresh_samples,
                 "Pseudo-examples per old class from which sleep refreshes its statistics; 0: as many as "
                 "were replayed.",
                 0, 100000);
        v.option("statistics.recency", recency,
                 "Weight of a new example of a known class against an old one in its mean and covariance; 1: "
                 "all count the same.",
                 0.01, 1000);
    }
};

struct AmygdalaOptions {
    RouterKind kind = RouterKind::mlp;
    RouterInput input = RouterInput::codes;
    bool borrow_residuals = false;
    std::int64_t epochs = 20;
    std::int64_t min_steps = 0;
    std::int64_t max_steps = 0;
    double rate = 2e-3;
    bool standardize = true;
    double held_out = 0.2;
    double recent_weight = 0.5;
    // For the outlier detectors only. Defaults are those of scikit-learn when the paper was written.
    bool rejection = true;
    double contamination = 0.1;
    std::int64_t trees = 100;
    std::int64_t subsample = 256;
    double shrinkage = 0.1;
    double nu = 0.5;
    double gamma = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option(
            "amygdala.kind", kind,
            "What the router is: the paper's network (for which alone borrow_residuals, epochs, min_steps, "
            "rate and standardize are), or one of the supplement's outlier detectors, fitted on the recent "
            "memory's rows.",
            {"mlp", "isolation-forest", "elliptic-envelope", "one-class-svm"});
        v.option("amygdala.input", input,
                 "What the router sees: the features (the paper) or the encoder's codes.",
                 {"features", "codes"});
        v.option("amygdala.borrow_residuals", borrow_residuals,
                 "Borrow residuals for the router's pseudo-examples too.");
        v.option("amygdala.epochs", epochs,
                 "Passes over the recent memory and the pseudo-examples after each session.", 0, 100000);
        v.option("amygdala.min_steps", min_steps, "At least this many steps for the router.", 0, 10000000);
        v.option("amygdala.max_steps", max_steps,
                 "At most this many steps for the router, in whatever epoch it then is; 0: no limit. Bounds "
                 "the time "
                 "that teaching a class takes.",
                 0, 10000000);
        v.option("amygdala.rate", rate, "Learning rate of the router.", 1e-8, 1);
        v.option("amygdala.standardize", standardize,
                 "Bring every input of the router to mean 0 and deviation 1 over its training data.");
        v.option("amygdala.held_out", held_out,
                 "Share of each recent class's rows kept from the router's training to choose the offset of "
                 "its logit; 0 leaves it as trained (the paper).",
                 0, 0.9);
        v.option("amygdala.recent_weight", recent_weight,
                 "Weight of recent rows against pseudo-examples when the offset is chosen.", 0, 1);
        v.option(
            "amygdala.rejection", rejection,
            "An outlier detector's verdict decides alone (the supplement), fitted on all recent rows; false "
            "makes its decision value the logit of the psi rule, with an offset chosen on held-out rows.");
        v.option("amygdala.contamination", contamination,
                 "Share of the fitted rows that an isolation forest or elliptic envelope calls outliers.", 0,
                 0.5);
        v.option("amygdala.trees", trees, "Trees of an isolation forest.", 1, 100000);
        v.option("amygdala.subsample", subsample, "Rows per tree of an isolation forest.", 1, 1000000);
        v.option(
            "amygdala.shrinkage", shrinkage,
            "Share of a multiple of the identity in an elliptic envelope's covariance; 0 refuses a singular "
            "one.",
            0, 1);
        v.option("amygdala.nu", nu,
                 "One-class SVM: at most this share of the fitted rows are outliers, at least this share are "
                 "support vectors.",
                 1e-6, 1);
        v.option("amygdala.gamma", gamma,
                 "One-class SVM: width of the kernel exp(-gamma |x - y|^2); 0: 1 / (columns * variance).", 0,
                 1e9);
    }
};

struct MemoryOptions {
    std::int64_t budget = 0;
    double recent_share = 0.5;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option(
            "memory.budget", budget,
            "Bytes that all that is kept may take; 0: no limit. Statistics become low-rank, then diagonal, "
            "then lose the mean residual; a session that does not fit is refused.",
            0, 1000000000000);
        v.option("memory.recent_share", recent_share,
                 "Share of what the networks leave of memory.budget that statistics leave free for recent "
                 "examples, unless they cannot be made that small.",
                 0, 1);
    }
};

struct FearNetOptions {
    static constexpr const char* kLearner = "fearnet";

    NetworkOptions network = {};
    TrainingOptions training = {};
    HippocampusOptions hippocampus = {};
    SleepOptions sleep = {};
    StatisticsOptions statistics = {};
    AmygdalaOptions amygdala = {};
    MemoryOptions memory = {};

    template <class Visitor>
    void describe(Visitor& v) {
        network.describe(v), training.describe(v), hippocampus.describe(v);
        sleep.describe(v), statistics.describe(v), amygdala.describe(v);
        memory.describe(v);
    }
    // "cifar100", "cub200", "audioset" and "literal"; see fearnet_preset.
    static std::vector<Preset> presets();
    // The values that a search tries by default. They span the paper's range: 2 to 4 layers of 64 to 1,024
    // units.
    static std::vector<SearchRange> search_space() {
        return {
            {"network.hidden",
             {"64,64", "140,130", "128,128", "256,128", "300,100", "256,256", "350,300", "512,256", "512,512",
              "1024,512", "1024,1024", "128,128,128", "256,256,256", "512,512,512", "256,256,256,256"}}};
    }
};

// `consolidated` is the long-term memory.
enum class Memory { recent, consolidated };

// Which memory predicted the class of one row, and why. The recent memory decides if psi is greater than
// consolidated_probability. Either choice gives way to a class that both memories hold and whose weighted sum
// A(x) P_HC + (1 - A(x)) P_mPFC is larger.
struct Explanation {
    ClassId label{};                       // the prediction
    Memory memory = Memory::consolidated;  // the memory that made it
    ClassId recent_label{};         // best class of the recent memory; consolidated_label if it is empty
    ClassId consolidated_label{};   // best class of the long-term memory; recent_label if it is empty
    double recent_probability = 0;  // max_k P_HC(C = k | x); 0 if the recent memory is empty
    double consolidated_probability = 0;  // max_k P_mPFC(C = k | x); 0 if the long-term memory is empty
    double router = 0;                    // A(x), the router's probability that the class is a recent one
    double psi = 0;                       // recent_probability * A(x) / (1 - A(x)); infinite if A(x) is 1
};

// Explanations of predictions, by a learner with two memories and a router. Learner::routing() returns it.
// Thread-safe, like the const functions of the learner.
class MemoryRouting {
  public:
    virtual ~MemoryRouting() = default;
    // One explanation per row; the labels are those of Learner::predict. Throws Error as predict does.
    virtual std::vector<Explanation> explain(MatrixView x) const = 0;
    // The predictions of a perfect router, which knows which memory holds the true class of each row. For
    // evaluation only. Throws Error unless there is one true class per explanation.
    virtual std::vector<ClassId> oracle_answers(std::span<const Explanation> explained,
                                                std::span<const ClassId> truth) const = 0;
};

// The default options with the named presets applied from left to right, separated by commas. "cifar100",
// "cub200" and "audioset" set layers and batch size as in the paper's supplement; "cifar100" and "audioset"
// also set sleep.code_anchor and amygdala.recent_weight. "literal" sets everything else as the paper prints
// it, except the biases, which stay 0: "cub200,literal". Throws Error, with the list of presets, for another
// name.
FearNetOptions fearnet_preset(const std::string& name);

}  // namespace fearnet
