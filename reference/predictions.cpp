// Teaches a learner class by class and prints what it answers for every test row: for comparisons with other
// software.
//
// usage: fearnet_predictions DATA LEARNER [PRESET] [OPTION=VALUE ...]
//
// The first half of the classes is the base session, then one class per session, in the order of the class
// numbers. Each line of the output is "TRUTH ANSWER", both class numbers, in the order of the test rows; the
// last line of stderr is the mean accuracy over the classes.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "fearnet/data/frames.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/lab/omega.hpp"
#include "fearnet/registry.hpp"

namespace {

using namespace fearnet;
using namespace fearnet::lab;

// The training rows of classes first .. last - 1, class by class, each in the order of the file.
Examples rows_of(const FeatureSet& set, std::size_t first, std::size_t last) {
    std::vector<std::vector<std::size_t>> by_class(last - first);
    std::size_t count = 0;
    for (std::size_t i = 0; i < set.train.size(); ++i) {
        const auto id = static_cast<std::size_t>(index_of(set.train.labels[i]));
        if (id >= first && id < last) by_class[id - first].push_back(i), ++count;
    }
    Examples e;
    e.x = Matrix(count, set.width());
    for (std::size_t c = 0; c < by_class.size(); ++c)
        for (const std::size_t i : by_class[c]) {
            std::copy_n(set.train.x.row(i), set.width(), e.x.row(e.labels.size()));
            e.labels.push_back(set.train.labels[i]);
        }
    return e;
}

void run(int argc, char** argv) {
    LearnerSpec spec;
    spec.learner = argv[2];
    for (int i = 3; i < argc; ++i) {
        const std::string argument = argv[i];
        if (i == 3 && argument.find('=') == std::string::npos)
            spec.preset = argument;
        else
            spec.settings.push_back(split_assignment(argument));
    }
    const FeatureSet set = load_feature_set(argv[1]);
    const std::size_t base = set.classes() / 2;
    const Examples base_rows = rows_of(set, 0, base);
    set_frames(spec, base_rows.x);
    const std::unique_ptr<Learner> learner = make_learner(spec);
    learner->learn(base_rows);
    for (std::size_t c = base; c < set.classes(); ++c) learner->learn(rows_of(set, c, c + 1));
    const std::vector<ClassId> answers = learner->predict(set.test.x);
    for (std::size_t i = 0; i < answers.size(); ++i)
        std::printf("%d %d\n", index_of(set.test.labels[i]), index_of(answers[i]));
    std::fprintf(stderr, "%.6f\n", mean_class_accuracy(answers, set.test.labels));
}

}  // namespace

int main(int argc, char** argv) {
    fearnet::lab::register_learners();
    if (argc < 3) {
        std::fprintf(stderr, "usage: fearnet_predictions DATA LEARNER [PRESET] [OPTION=VALUE ...]\n");
        return 2;
    }
    try {
        run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "fearnet_predictions: %s\n", e.what());
        return 1;
    }
}
