#include "lab/open_world/reference_detectors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/open_world/far_rows.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kFloatRounding = 1e-4;  // relative: whitening and products are float

Matrix matrix_of(std::initializer_list<std::initializer_list<float>> rows) {
    Matrix m(rows.size(), rows.begin()->size());
    std::size_t i = 0;
    for (const auto& row : rows) std::copy(row.begin(), row.end(), m.row(i++));
    return m;
}

Matrix training_rows() {
    return matrix_of({{1, 0.2f},
                      {1.4f, 0},
                      {0.8f, -0.4f},
                      {1.2f, 0.4f},
                      {0, 2},
                      {0.4f, 2.4f},
                      {-0.2f, 1.6f},
                      {0.2f, 2.2f},
                      {-2, -1},
                      {-1.6f, -1.2f},
                      {-2.2f, -0.6f},
                      {-1.8f, -1.4f}});
}
std::vector<ClassId> training_labels() {
    std::vector<ClassId> labels;
    for (int i = 0; i < 12; ++i) labels.push_back(ClassId{i / 4});
    return labels;
}

void expect_near(double actual, double expected) {
    EXPECT_NEAR(actual, expected, kFloatRounding * std::max(1.0, std::abs(expected)));
}

// Expected values: NumPy, and sklearn.neighbors.NearestNeighbors of scikit-learn 1.2.1.
void expect_scores(const ReferenceScores& s) {
    const double expected[3][5] = {{-0.181998, 1.267474, 0.999205, 15.802979, -9.8},
                                   {-17.579643, -17.216444, 0.676003, -2.909263, -9.85},
                                   {-203.521155, -188.639526, 0.492130, 28.693725, -24.4}};
    for (std::size_t i = 0; i < 3; ++i) {
        SCOPED_TRACE(i);
        expect_near(s.mahalanobis[i], expected[i][0]);
        expect_near(s.relative_mahalanobis[i], expected[i][1]);
        expect_near(s.whitened_cosine[i], expected[i][2]);
        expect_near(s.linear[i], expected[i][3]);
        expect_near(s.neighbors[i], expected[i][4]);
    }
    EXPECT_GT(s.isolation_forest[0], s.isolation_forest[2]) << "a row far from all others";
}

TEST(ReferenceDetectors, score_as_numpy_and_scikit_learn_do) {
    const Matrix questions = matrix_of({{1, 0}, {0.5f, 1}, {-3, 3}}), x = training_rows();
    const std::vector<ClassId> labels = training_labels();
    ReferenceDetectors detectors(questions, 1);
    detectors.learn({x, labels});
    expect_scores(detectors.scores());
}

TEST(ReferenceDetectors, do_not_depend_on_how_the_rows_come_in_sessions) {
    const Matrix questions = matrix_of({{1, 0}, {0.5f, 1}, {-3, 3}}), x = training_rows();
    const std::vector<ClassId> labels = training_labels();
    ReferenceDetectors detectors(questions, 1);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{6, 3}, {0, 6}, {9, 3}})
        detectors.learn({x.view().slice(first, count), std::span(labels).subspan(first, count)});
    expect_scores(detectors.scores());
}

TEST(ReferenceDetectors, accept_one_row_and_rows_without_variance) {
    const Matrix questions = matrix_of({{1, 0}, {0, 0}});
    const std::vector<ClassId> labels{ClassId{0}};
    ReferenceDetectors detectors(questions, 1);
    detectors.learn({matrix_of({{1, 0}}), labels});
    detectors.learn({matrix_of({{1, 0}}), labels});
    const ReferenceScores s = detectors.scores();
    EXPECT_EQ(s.neighbors[0], 0);
    EXPECT_EQ(s.neighbors[1], -1);
    EXPECT_EQ(s.mahalanobis[0], 0);
    EXPECT_LT(s.mahalanobis[1], 0);
}

TEST(FarRows, have_the_width_and_length_of_the_data) {
    const Matrix data = matrix_of({{3, 4, 0}, {0, 0, 2}, {1, 1, 1}});
    EXPECT_NEAR(mean_length(data), (5 + 2 + std::sqrt(3.0)) / 3, 1e-6);
    for (const Matrix& rows : {gaussian_noise(20, 5, 2, Rng(1)), uniform_noise(20, 5, 2, Rng(1))}) {
        ASSERT_EQ(rows.rows(), 20u);
        ASSERT_EQ(rows.cols(), 5u);
        for (std::size_t i = 0; i < 20; ++i) {
            EXPECT_NEAR(mean_length(rows.view().slice(i, 1)), 2, 1e-5);
            for (std::size_t j = 0; j < 5; ++j) EXPECT_GE(rows(i, j), 0);
        }
    }
    const Matrix wide = fitted_rows(data, 10, 5, 1, Rng(1)), cut = fitted_rows(data, 2, 2, 1, Rng(1));
    EXPECT_EQ(wide.rows(), 3u);
    EXPECT_EQ(cut.rows(), 2u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(wide(i, 3), 0);
        EXPECT_EQ(wide(i, 4), 0);
        EXPECT_NEAR(mean_length(wide.view().slice(i, 1)), 1, 1e-6);
    }
    EXPECT_EQ(fitted_rows({}, 10, 5, 1, Rng(1)).rows(), 0u);
}

}  // namespace
}  // namespace fearnet
