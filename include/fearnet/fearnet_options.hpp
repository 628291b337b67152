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
                 "Units of the encoder's hidden layers. The decoder mirrors them; the router has the same "
                 "layers.",
                 1, 65536);
        v.option("network.bias", bias, "Initial value of every bias. With the paper's 1 nothing is learned.",
                 -10, 10);
        v.option("network.code_layer", code_layer,
                 "Adds a code -> code layer at the start of the decoder, so that the third reconstruction "
                 "weight has an effect.");
        v.option("network.dropout", dropout, "Probability of dropping a hidden unit in training.", 0, 0.95);
        v.option("network.reconstruction", reconstruction,
                 "Weights (lambda) of the reconstruction losses of the input, the first hidden layer, the "
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
        v.option("training.base_classes", base_classes,
                 "Minimum number of classes for the base phase. A smaller first session stays in the "
                 "recent memory until a sleep finds this many classes there.",
                 1, 1000000);
        v.option("training.base_epochs", base_epochs, "Epochs of the base phase.", 0, 100000);
        v.option("training.min_steps", min_steps,
                 "Minimum number of steps of the base phase and of the offline MLP: small data gets more "
                 "epochs.",
                 0, 10000000);
        v.option("training.base_decay", base_decay,
                 "Learning rate schedule of the base phase and of the offline MLP: constant (the paper) or "
                 "falling linearly to a hundredth.",
                 {"none", "linear"});
        v.option("training.base_decoder_rate", base_decoder_rate,
                 "Learning rate of the decoder in the base phase, as a multiple of training.rate. The "
                 "paper's 0.01 trains the decoder too slowly.",
                 0, 10);
        v.option("training.offline_epochs", offline_epochs, "Epochs of the offline MLP.", 0, 100000);
    }
};

struct HippocampusOptions {
    double epsilon = 1e-3;
    double sharpness = 1;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("hippocampus.epsilon", epsilon,
                 "Added to every distance (Eq. 2). It matters only for rows that are nearly duplicates.",
                 1e-12, 10);
        v.option("hippocampus.sharpness", sharpness,
                 "Exponent of the inverse distance. 1 is Eq. 2; a larger value favors the nearest class "
                 "more.",
                 0.01, 1000);
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
        v.option("sleep.epochs", epochs,
                 "Epochs of a sleep, over the recent examples and the pseudo-examples.", 0, 100000);
        v.option("sleep.min_steps", min_steps, "Minimum number of training steps of a sleep.", 0, 10000000);
        v.option("sleep.decoder_rate", decoder_rate,
                 "Learning rate of the decoder in sleep, as a multiple of training.rate.", 0, 10);
        v.option("sleep.borrow_residuals", borrow_residuals,
                 "Adds to each pseudo-example the reconstruction residual of a random example of the "
                 "recent memory.");
        v.option("sleep.soft_targets", soft_targets,
                 "Weight of the old network's output in the target of a pseudo-example, beside its one-hot "
                 "label. 0: only the label (the paper).",
                 0, 1);
        v.option("sleep.code_anchor", code_anchor,
                 "Weight of a loss that holds the codes of pseudo-examples where the encoder put them "
                 "before sleep. A larger value keeps old classes better and learns new ones less well. "
                 "Requires sleep.soft_targets above 0.",
                 0, 1e6);
        v.option("sleep.min_pseudo_examples", min_pseudo_examples,
                 "Minimum number of pseudo-examples per class. If it exceeds ceil(m), recent rows are "
                 "repeated to match.",
                 0, 100000);
        v.option("sleep.decay", decay,
                 "Learning rate schedule of a sleep: constant or falling linearly to a hundredth.",
                 {"none", "linear"});
        v.option("sleep.fresh", fresh,
                 "Draws new pseudo-examples in every epoch instead of repeating one set.");
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
        v.option("statistics.covariance", covariance, "Form of the covariance kept per class.",
                 {"full", "diagonal"});
        v.option("statistics.max_rank", max_rank,
                 "Maximum rank of a full covariance; the directions of largest variance are kept. 0: no "
                 "maximum.",
                 0, 65536);
        v.option("statistics.mean_residual", mean_residual,
                 "Keeps the mean reconstruction residual of each class and adds it to the pseudo-examples "
                 "of the class.");
        v.option("statistics.refresh", refresh,
                 "How sleep updates the statistics of an old class: from the codes of its re-encoded "
                 "pseudo-examples (reencode, the paper), or from its sampled codes plus the change of "
                 "their encoding in sleep (drift).",
                 {"reencode", "drift"});
        v.option("statistics.refresh_samples", refresh_samples,
                 "Pseudo-examples per old class from which sleep updates its statistics. 0: as many as "
                 "were replayed.",
                 0, 100000);
        v.option("statistics.recency", recency,
                 "Weight of a new example of a known class relative to an old one in the class statistics. "
                 "1: all examples weigh the same.",
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
        v.option("amygdala.kind", kind,
                 "The router: the paper's network, or one of the supplement's outlier detectors, fitted on "
                 "the rows of the recent memory. amygdala.borrow_residuals, epochs, min_steps, max_steps, "
                 "rate and standardize apply to the network only.",
                 {"mlp", "isolation-forest", "elliptic-envelope", "one-class-svm"});
        v.option("amygdala.input", input,
                 "Input of the router: the features (the paper) or the encoder's codes.",
                 {"features", "codes"});
        v.option("amygdala.borrow_residuals", borrow_residuals,
                 "Also adds borrowed residuals to the pseudo-examples that the router is trained on.");
        v.option("amygdala.epochs", epochs,
                 "Epochs of the router's training after each session, over the recent memory and "
                 "pseudo-examples.",
                 0, 100000);
        v.option("amygdala.min_steps", min_steps, "Minimum number of training steps of the router.", 0,
                 10000000);
        v.option("amygdala.max_steps", max_steps,
                 "Maximum number of training steps of the router, even within an epoch; limits the time to "
                 "teach a class. 0: no maximum.",
                 0, 10000000);
        v.option("amygdala.rate", rate, "Learning rate of the router.", 1e-8, 1);
        v.option("amygdala.standardize", standardize,
                 "Scales every input of the router to mean 0 and standard deviation 1 over its training "
                 "data.");
        v.option("amygdala.held_out", held_out,
                 "Share of each recent class's rows that is held out from the router's training to choose "
                 "the offset of its logit. 0: no offset (the paper).",
                 0, 0.9);
        v.option("amygdala.recent_weight", recent_weight,
                 "Weight of recent rows when the offset is chosen; pseudo-examples have the remaining "
                 "weight. A larger value favors new classes.",
                 0, 1);
        v.option("amygdala.rejection", rejection,
                 "The verdict of an outlier detector, fitted on all recent rows, selects the memory alone "
                 "(the supplement). false: its decision value is the logit of the psi rule, with an offset "
                 "chosen on held-out rows.");
        v.option("amygdala.contamination", contamination,
                 "Share of the fitted rows that an isolation forest or elliptic envelope rejects as "
                 "outliers.",
                 0, 0.5);
        v.option("amygdala.trees", trees, "Number of trees of an isolation forest.", 1, 100000);
        v.option("amygdala.subsample", subsample, "Rows per tree of an isolation forest.", 1, 1000000);
        v.option("amygdala.shrinkage", shrinkage,
                 "Weight of the scaled identity in the covariance of an elliptic envelope. 0: no "
                 "shrinkage; a singular covariance is an error.",
                 0, 1);
        v.option("amygdala.nu", nu,
                 "One-class SVM: upper bound of the share of outliers among the fitted rows, and lower "
                 "bound of the share of support vectors.",
                 1e-6, 1);
        v.option("amygdala.gamma", gamma,
                 "One-class SVM: gamma of the kernel exp(-gamma |x - y|^2). 0: 1 / (columns * variance).", 0,
                 1e9);
    }
};

struct MemoryOptions {
    std::int64_t budget = 0;
    double recent_share = 0.5;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("memory.budget", budget,
                 "Maximum memory in bytes; 0: no maximum. Statistics become low-rank, then diagonal, then "
                 "lose the mean residual; a session that does not fit is refused.",
                 0, 1000000000000);
        v.option("memory.recent_share", recent_share,
                 "Share of memory.budget, after the networks, that the statistics leave free for recent "
                 "examples, if they can be made that small.",
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
