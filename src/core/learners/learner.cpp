#include "fearnet/learner.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace fearnet {

void Learner::check_rows(MatrixView x, const char* function) const {
    const std::string where = name() + "::" + function;
    if (x.rows == 0 || x.cols == 0)
        throw Error(where + ": " + std::to_string(x.rows) + " rows of " + std::to_string(x.cols) +
                    " features, but at least one of each is needed");
    if (width() != 0 && x.cols != width())
        throw Error(where + ": rows have " + std::to_string(x.cols) +
                    " features but the learner was taught " + std::to_string(width()));
    check_finite_rows(x, where);
}

void Learner::check_session(const LabeledView& session, const char* function) const {
    check_rows(session.x, function);
    const std::string where = name() + "::" + function;
    if (session.labels.size() != session.x.rows)
        throw Error(where + ": " + std::to_string(session.x.rows) + " rows but " +
                    std::to_string(session.labels.size()) + " labels");
    for (std::size_t i = 0; i < session.labels.size(); ++i)
        if (index_of(session.labels[i]) < 0)
            throw Error(where + ": label " + std::to_string(index_of(session.labels[i])) + " of row " +
                        std::to_string(i) + " is negative; class ids start at 0");
}

namespace {

OutOfMemory no_memory(const std::string& where, const LabeledView& session, const std::bad_alloc& error) {
    return OutOfMemory(where + ": not enough memory for " + std::to_string(session.x.rows) + " rows of " +
                       std::to_string(session.x.cols) + " features (" + error.what() +
                       "); use fewer features, such as the first 1,000 principal components, or a learner "
                       "that keeps no covariance, such as nearest-mean");
}

}  // namespace

void Learner::learn(const LabeledView& session, const Progress& progress) {
    check_session(session, "learn");
    try {
        do_learn(session, progress);
    } catch (const std::bad_alloc& error) {
        throw no_memory(name() + "::learn", session, error);
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
                    " is the only class; a learner needs at least one");
    do_forget(id, progress);
}

void Learner::do_forget(ClassId, const Progress&) {
    throw Error(name() + "::forget: this learner cannot forget a class");
}

void Learner::check_question(MatrixView x, const char* function) const {
    if (width() == 0) throw Error(name() + "::" + function + ": 0 classes taught; call learn first");
    if (x.rows > 0) check_rows(x, function);
}

// The results of `ask` for blocks of rows, one below the other; nothing if it returns nothing.
template <class Ask>
Matrix Learner::in_blocks(MatrixView x, const Ask& ask) const {
    Matrix result;
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        const Matrix block = ask(x.slice(first, std::min(kRowsAtOnce, x.rows - first)));
        if (block.rows() == 0) return {};
        if (first == 0) result.resize(x.rows, block.cols());
        std::copy_n(block.data(), block.size(), result.row(first));
    }
    return result;
}

Matrix Learner::scores_of_checked(MatrixView x) const {
    if (x.rows <= kRowsAtOnce) return do_scores(x);
    return in_blocks(x, [&](MatrixView block) { return do_scores(block); });
}

Matrix Learner::scores(MatrixView x) const {
    check_question(x, "scores");
    return x.rows == 0 ? Matrix(0, classes().size()) : scores_of_checked(x);
}

Matrix Learner::probabilities(MatrixView x) const {
    check_question(x, "probabilities");
    if (x.rows == 0) return Matrix(0, classes().size());
    Matrix result = scores_of_checked(x);
    for (std::size_t i = 0; i < result.rows(); ++i) to_probabilities({result.row(i), result.cols()});
    return result;
}

std::vector<ClassId> Learner::predict(MatrixView x) const {
    check_question(x, "predict");
    const std::vector<ClassId> taught = classes();
    std::vector<ClassId> labels;
    labels.reserve(x.rows);
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        const Matrix block = do_scores(x.slice(first, std::min(kRowsAtOnce, x.rows - first)));
        for (std::size_t i = 0; i < block.rows(); ++i) {
            const float* row = block.row(i);
            labels.push_back(
                taught[static_cast<std::size_t>(std::max_element(row, row + block.cols()) - row)]);
        }
    }
    return labels;
}

void Learner::to_probabilities(std::span<float> scores) const {
    softmax(scores);
}

std::vector<double> Learner::familiarity(MatrixView x) const {
    check_question(x, "familiarity");
    std::vector<double> result;
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        const std::vector<double> block =
            do_familiarity(x.slice(first, std::min(kRowsAtOnce, x.rows - first)));
        result.insert(result.end(), block.begin(), block.end());
    }
    return result;
}

ScoredRows Learner::scored(MatrixView x) const {
    check_question(x, "scored");
    ScoredRows result{Matrix(x.rows, classes().size()), {}};
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        const ScoredRows block = do_scored(x.slice(first, std::min(kRowsAtOnce, x.rows - first)));
        std::copy_n(block.scores.data(), block.scores.size(), result.scores.row(first));
        result.familiarity.insert(result.familiarity.end(), block.familiarity.begin(),
                                  block.familiarity.end());
    }
    return result;
}

Matrix Learner::class_p_values(MatrixView x) const {
    check_question(x, "class_p_values");
    return in_blocks(x, [&](MatrixView block) { return do_class_p_values(block); });
}

std::vector<SuspectRow> Learner::suspect_rows(const LabeledView& session) const {
    check_session(session, "suspect_rows");
    try {
        return do_suspect_rows(session);
    } catch (const std::bad_alloc& error) {
        throw no_memory(name() + "::suspect_rows", session, error);
    }
}

Matrix Learner::whitened(MatrixView x) const {
    check_question(x, "whitened");
    return x.rows == 0 ? Matrix() : do_whitened(x);  // in one block: the covariance is factored once
}

std::vector<double> Learner::do_familiarity(MatrixView) const {
    return {};
}
ScoredRows Learner::do_scored(MatrixView x) const {
    return {do_scores(x), do_familiarity(x)};
}
Matrix Learner::do_class_p_values(MatrixView) const {
    return {};
}
std::vector<SuspectRow> Learner::do_suspect_rows(const LabeledView&) const {
    return {};
}
Matrix Learner::do_whitened(MatrixView) const {
    return {};
}

void softmax(std::span<float> scores, double temperature) {
    const float best = *std::max_element(scores.begin(), scores.end());
    const auto inverse = static_cast<float>(1 / temperature);
    double sum = 0;
    for (float& s : scores) sum += s = std::exp((s - best) * inverse);
    for (float& s : scores) s = static_cast<float>(s / sum);
}

}  // namespace fearnet
