// Evaluates a learner of your own with the paper's protocol. The learner predicts the class with the nearest
// mean.
#include <fearnet/lab/all.hpp>
#include <iostream>
#include <map>

namespace {

using namespace fearnet;
using namespace fearnet::lab;

// The functions that every learner must have. ScoringLearner (fearnet/scoring_learner.hpp) has most of them.
class MyLearner final : public Learner {
  public:
    std::string name() const override { return "mine"; }
    std::vector<ClassId> classes() const override {
        std::vector<ClassId> ids;
        for (const auto& [id, sum] : sums_) ids.push_back(id);
        return ids;
    }
    std::size_t width() const override { return sums_.empty() ? 0 : sums_.begin()->second.x.size(); }
    MemoryUse memory() const override { return {{"statistics", sums_.size() * width() * sizeof(double)}}; }
    std::map<std::string, std::string> options() const override { return {}; }
    State save() const override { throw Error("mine::save: this example is not kept"); }

  protected:
    // The input has been checked: width, finite numbers, one label per row.
    void do_learn(const LabeledView& session, const Progress& progress) override {
        report(progress, {"learn", 1, 1}, "learn");
        for (std::size_t i = 0; i < session.x.rows; ++i) {
            Sum& sum = sums_[session.labels[i]];
            sum.x.resize(session.x.cols);
            for (std::size_t j = 0; j < session.x.cols; ++j) sum.x[j] += static_cast<double>(session.x(i, j));
            ++sum.rows;
        }
    }
    // One column per class, in the order of classes(); a higher score means a more likely class. predict and
    // probabilities are computed from the scores.
    Matrix do_scores(MatrixView x) const override {
        Matrix scores(x.rows, sums_.size());
        for (std::size_t i = 0; i < x.rows; ++i) {
            std::size_t column = 0;
            for (const auto& [id, sum] : sums_) {
                double distance = 0;
                for (std::size_t j = 0; j < x.cols; ++j) {
                    const double d = sum.x[j] / sum.rows - static_cast<double>(x(i, j));
                    distance += d * d;
                }
                scores(i, column++) = static_cast<float>(-distance);
            }
        }
        return scores;
    }

  private:
    struct Sum {
        std::vector<double> x;
        double rows = 0;
    };
    std::map<ClassId, Sum> sums_;
};

// Ten synthetic classes. Load real data with load_feature_set("birds.npz").
FeatureSet synthetic_set() {
    FeatureSet set;
    set.name = "synthetic";
    Rng rng(1);
    for (Examples* part : {&set.train, &set.test}) {
        part->x = Matrix(200, 10);
        for (std::size_t i = 0; i < 200; ++i) {
            part->labels.push_back(ClassId{static_cast<std::int32_t>(i % 10)});
            for (std::size_t j = 0; j < 10; ++j)
                part->x(i, j) = (j == i % 10 ? 1.0f : 0.0f) + 0.3f * static_cast<float>(rng.normal());
        }
    }
    for (int c = 0; c < 10; ++c) set.names.push_back("class " + std::to_string(c));
    return set;
}

}  // namespace

int main() {
    const FeatureSet set = synthetic_set();
    RunOptions options;
    options.protocol.sleep_every = 2;
    // Settings of the offline MLP, the reference of the Omega scores. MyLearner has no options.
    options.learner.settings = {{"training.min_steps", "200"}, {"network.hidden", "32,16"}};
    RunHooks hooks = default_run_hooks();
    hooks.make_learner = [](const LearnerSpec&) { return std::make_unique<MyLearner>(); };
    const RunRecord mine = run_protocol(set, options, {}, hooks);
    std::cout << "mine: Omega_all " << mine.omega.omega_all << ", final accuracy " << mine.final_accuracy
              << "\n";
    return mine.finished && mine.final_accuracy > 0.8 ? 0 : 1;
}
