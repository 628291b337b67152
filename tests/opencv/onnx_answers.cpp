// Teaches a small learner of each kind that can be exported, with several sleeps, exports it, and writes rows
// with our answers beside the model, for another runtime to be compared with.
//   usage: fearnet_onnx_answers FOLDER
// Writes for each NAME: NAME.scaling.onnx, which scales its rows, NAME.plain.onnx, which does not, and
// NAME.npz: `rows` of any length, `scaled` the same of length one, `columns` our answers as output columns,
// `probabilities`. "merged" in NAME: classes 0 to 2 share a name.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/plus/fearnet_plus.hpp"
#include "data/io/npz.hpp"
#include "fearnet/onnx.hpp"
#include "support/blobs.hpp"

namespace {

using namespace fearnet;

constexpr std::size_t kWidth = 24, kClasses = 10, kRows = 1000;

// In another order than their numbers', so that columns must be moved.
void teach(Learner& learner) {
    learner.learn(test::blobs(4, 6, 30, kWidth, 1, 0.6));
    for (const std::size_t c : {3, 1, 2, 0}) {
        learner.learn(test::blobs(c, 1, c == 2 ? 8 : 30, kWidth, 2 + c, 0.6));
        if (c != 1) learner.sleep();
    }
}

FearNet taught() {
    FearNetOptions options;
    options.network.hidden = {32, 16};
    options.training.batch = 32;
    options.training.base_epochs = 60;
    options.training.min_steps = options.sleep.min_steps = 0;
    options.sleep.epochs = 40;
    FearNet learner(options, 1);
    teach(learner);
    return learner;
}

FearNetPlus taught_plus(const PlusOptions& options) {
    FearNetPlus learner(options);
    teach(learner);
    return learner;
}

// Of every length that float32 has, zero among them.
Matrix rows_of_all_lengths() {
    Matrix x = test::blobs(0, kClasses, kRows / kClasses, kWidth, 9, 0.6).x;
    const float lengths[] = {1.0f, 0.0f, 3.5f, 1e-30f, 1e30f, 0.01f};
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < x.cols(); ++j) x(i, j) *= lengths[i % std::size(lengths)];
    return x;
}

Matrix probabilities(const FearNet& learner, MatrixView x) {
    const PrefrontalCortex cortex = PrefrontalCortex::load(learner.save());
    Matrix codes, p, result(x.rows, kClasses);
    cortex.encode(x, codes);
    cortex.probabilities_of_codes(codes, p);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < kClasses; ++j)
            result(i, static_cast<std::size_t>(index_of(cortex.classes()[j]))) = p(i, j);
    return result;
}

void write(const std::string& name, const Learner& learner, const Matrix& rows, const Matrix& scaled,
           const Matrix& answers, const std::vector<std::string>& class_names = {}) {
    export_onnx(learner, {.unit_length = true, .class_names = class_names}, name + ".scaling.onnx");
    export_onnx(learner, {.unit_length = false, .class_names = class_names}, name + ".plain.onnx");
    std::vector<std::int64_t> columns;
    if (class_names.empty()) {
        for (const ClassId id : learner.predict(scaled)) columns.push_back(index_of(id));
    } else {  // the largest sum
        for (std::size_t i = 0; i < answers.rows(); ++i) {
            const auto row = answers.view().row_span(i);
            columns.push_back(std::max_element(row.begin(), row.end()) - row.begin());
        }
    }
    io::NpzWriter npz;
    npz.add("rows", MatrixView(rows));
    npz.add("scaled", MatrixView(scaled));
    npz.add("columns", std::span<const std::int64_t>(columns));
    npz.add("probabilities", MatrixView(answers));
    io::write_file_atomically(name + ".npz", npz.finish());
}

// With the first three columns added up.
void write_merged(const std::string& name, const Learner& learner, const Matrix& rows, const Matrix& scaled,
                  const Matrix& answers) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < kClasses; ++j) names.push_back(std::to_string(j < 3 ? 0 : j));
    Matrix sums(answers.rows(), kClasses - 2);
    for (std::size_t i = 0; i < answers.rows(); ++i)
        for (std::size_t j = 0; j < kClasses; ++j) sums(i, j < 3 ? 0 : j - 2) += answers(i, j);
    write(name, learner, rows, scaled, sums, names);
}

void write_all(const std::string& folder) {
    const Matrix rows = rows_of_all_lengths();
    Matrix scaled = rows;
    scale_rows_to_unit_length(scaled);
    const FearNet fearnet = taught();
    write(folder + "/fearnet", fearnet, rows, scaled, probabilities(fearnet, scaled));
    write_merged(folder + "/fearnet-merged", fearnet, rows, scaled, probabilities(fearnet, scaled));
    const std::pair<const char*, PlusOptions> kinds[] = {
        {"plus", {.transform = PlusTransform::none, .covariance_strength = 0.4}},
        {"plus-roots", {.transform = PlusTransform::sqrt, .covariance_strength = 0.4}},
        {"plus-random",
         {.transform = PlusTransform::random, .random_features = 64, .covariance_strength = 0.4}},
        {"plus-pieces",
         {.transform = PlusTransform::random, .random_features = 64, .frames = 4, .covariance_strength = 0}},
        {"plus-linear", {.covariance_strength = 0}}};
    for (const auto& [name, options] : kinds) {
        State state = taught_plus(options).save();
        state.values<std::vector<double>>("temperature").at(1) = name == std::string("plus-roots") ? 0 : 0.75;
        const std::unique_ptr<FearNetPlus> learner = FearNetPlus::load(state);
        const FearNetPlus& plus = *learner;
        write(folder + "/" + name, plus, rows, scaled, plus.probabilities(scaled));
        if (name == std::string("plus"))
            write_merged(folder + "/plus-merged", plus, rows, scaled, plus.probabilities(scaled));
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    write_all(argv[1]);
    return 0;
} catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
