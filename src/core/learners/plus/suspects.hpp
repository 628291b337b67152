// Rows of a session that probably have a wrong label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/plus/plus_model.hpp"

namespace fearnet {

// The scores of rows, each as if it had not been taught.
struct LabelScores {
    std::size_t classes = 0;
    std::vector<std::int32_t> labels;  // by row: the column of its label
    Matrix scores;  // rows x (1 + others): the label's, then the highest others, descending
    std::vector<std::int32_t> others;  // rows x others: the columns of the highest others
    std::vector<std::uint8_t> judged;  // by row; not the only row of a class
};

// The probability that the label of each row is wrong; 0 for rows that are not judged. The rows with label c
// are modeled as a mixture: rows of class c, and wrong ones of other classes k, whose weights are fitted by
// expectation maximization. A prior favors few wrong labels, evenly spread over the other classes. The
// densities of the classes are exp(scores / t); t is fitted, too, and stays close to `temperature` if there
// are few rows.
std::vector<double> wrong_label_probabilities(const LabelScores& rows, double temperature);

struct PlusSuspect {
    std::size_t row = 0;
    std::int32_t looks_like = 0;  // column
    double probability = 0;       // that the label is wrong
};
// The rows of a session that probably have a wrong label, ascending by row. With `taught`, the rows are part
// of the model, which has learned only them; else the model has not learned them. Suspects distort the means
// of their classes, so all rows are judged again without them.
std::vector<PlusSuspect> find_suspects(const PlusModel& model, const PlusRows& rows, std::size_t classes,
                                       bool taught);

}  // namespace fearnet
