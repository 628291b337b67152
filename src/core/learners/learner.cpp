#include "fearnet/learner.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace fearnet {
namespace {

void check_finite(MatrixView x, const std::string& where) {
    for (std::size_t i = 0; i < x.rows; ++i) {
        // A sum is not finite if any of its terms is not; look for the culprit only then.
        float sum = 0;
        for (std::size_t j = 0; j < x.cols; ++j) sum += x(i, j) * 0.0f;
        if (sum == 0) continue;
        for (std::size_t j = 0; j < x.cols; ++j)
            if (!std::isfinite(x(i, j)))
                throw Error(where + ": row " + std::to_string(i) + ", feature " + std::to_string(j) + " is " +
                            (std::isnan(x(i, j)) ? "NaN" : "infinite") + "; only finite numbers can be used");
    }
}

}  // namespace

void Learner::check_rows(MatrixView x, const char* function) const {
    const std::string where = name() + "::" + function;
    if (x.rows == 0 || x.cols == 0)
        throw Error(where + ": " + std::to_string(x.rows) + " rows of " + std::to_string(x.cols) +
                    " features, but at least one of each is needed");
    if (width() != 0 && x.cols != width())
        throw Error(where + ": rows have " + std::to_string(x.cols) +
                    " features but the learner was taught " + std::to_string(width()));
    check_finite(x, where);
}

void Learner::learn(const LabeledView& session, const Progress& progress) {
    check_rows(session.x, "learn");
    if (session.labels.size() != session.x.rows)
        throw Error(name() + "::learn: " + std::to_string(session.x.rows) + " rows but " +
                    std::to_string(session.labels.size()) + " labels");
    for (std::size_t i = 0; i < session.labels.size(); ++i)
        if (index_of(session.labels[i]) < 0)
            throw Error(name() + "::learn: label " + std::to_string(index_of(session.labels[i])) +
                        " of row " + std::to_string(i) + " is negative; class ids start at 0");
    try {
        do_learn(session, progress);
    } catch (const std::bad_alloc& error) {
        throw OutOfMemory(name() + "::learn: not enough memory for " + std::to_string(session.x.rows) +
                    " rows of " + std::to_string(session.x.cols) + " features (" + error.what() +
                    "); use fewer features, such as the first 1,000 principal components, or a learner "
                    "that keeps no covariance, such as nearest-mean");
    }
}

void Learner::sleep(const SleepEffort& effort, const Progress& progress) {
    if (effort.epochs < 0 || !(effort.seconds >= 0))
        throw Error(name() + "::sleep: " + std::to_string(effort.epochs) + " epochs in " +
                    std::to_string(effort.seconds) + " seconds; neither can be negative");
    do_sleep(effort, progress);
}

void Learner::forget(ClassId id, const Progress& progress) {
    const std::vector<ClassId> taught = classes();
    if (!std::binary_search(taught.begin(), taught.end(), id))
        throw Error(name() + "::forget: class " + std::to_string(index_of(id)) + " is not one of the " +
                    std::to_string(taught.size()) + " taught");
    if (taught.size() == 1)
        throw Error(name() + "::forget: class " + std::to_string(index_of(id)) +
                    " is the only one; a learner of 0 classes could not answer");
    do_forget(id, progress);
}

void Learner::do_forget(ClassId, const Progress&) {
    throw Error(name() + "::forget: this learner cannot forget a class");
}

Matrix Learner::probabilities(MatrixView x) const {
    if (width() == 0) throw Error(name() + "::probabilities: 0 classes taught; call learn first");
    if (x.rows == 0) return Matrix(0, classes().size());
    check_rows(x, "probabilities");
    return do_probabilities(x);
}

Matrix Learner::do_probabilities(MatrixView x) const {
    const std::vector<ClassId> taught = classes();
    Matrix result(x.rows, taught.size());
    const std::vector<Explanation> answers = do_explain(x);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const auto column = std::lower_bound(taught.begin(), taught.end(), answers[i].label) - taught.begin();
        result(i, static_cast<std::size_t>(column)) = 1;
    }
    return result;
}

std::vector<Explanation> Learner::explain(MatrixView x) const {
    if (width() == 0) throw Error(name() + "::predict: 0 classes taught; call learn first");
    if (x.rows == 0) return {};
    check_rows(x, "predict");
    return do_explain(x);
}

std::vector<ClassId> Learner::predict(MatrixView x) const {
    std::vector<ClassId> labels;
    for (const Explanation& e : explain(x)) labels.push_back(e.label);
    return labels;
}

std::optional<std::vector<ClassId>> Learner::predict_with_oracle(MatrixView x,
                                                                 std::span<const ClassId> truth) const {
    if (width() == 0) throw Error(name() + "::predict_with_oracle: 0 classes taught; call learn first");
    if (truth.size() != x.rows)
        throw Error(name() + "::predict_with_oracle: " + std::to_string(x.rows) + " rows but " +
                    std::to_string(truth.size()) + " labels");
    if (x.rows == 0) return std::vector<ClassId>{};
    check_rows(x, "predict_with_oracle");
    return do_predict_with_oracle(x, truth);
}

}  // namespace fearnet
