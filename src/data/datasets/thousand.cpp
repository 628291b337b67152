#include "data/datasets/thousand.hpp"

#include <cmath>

#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kClasses = 1000, kFamilies = 50, kFeatures = 64;
constexpr std::size_t kTrain = 20, kTest = 5;  // rows of a class
constexpr std::size_t kSharedDirections = 12, kOwnDirections = 2;
// How far families lie apart, classes in one, and rows along shared, own and all directions.
constexpr double kFamily = 1, kClass = 0.4, kShared = 1, kOwn = 0.4, kAll = 0.7;

Matrix normals(Rng& rng, std::size_t rows, double scale) {
    Matrix m(rows, kFeatures);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(scale * rng.normal());
    return m;
}

// row += one draw along each of the directions.
void vary(Rng& rng, const Matrix& directions, float* row) {
    for (std::size_t d = 0; d < directions.rows(); ++d) {
        const auto step = static_cast<float>(rng.normal());
        for (std::size_t j = 0; j < kFeatures; ++j) row[j] += step * directions(d, j);
    }
}

}  // namespace

FeatureSet make_thousand() {
    Rng rng(1000);
    const Matrix families = normals(rng, kFamilies, kFamily),
                 shared = normals(rng, kSharedDirections, kShared / std::sqrt(2.0));
    FeatureSet set;
    set.name = "thousand";
    set.train.x = Matrix(kClasses * kTrain, kFeatures);
    set.test.x = Matrix(kClasses * kTest, kFeatures);
    for (std::size_t c = 0; c < kClasses; ++c) {
        const std::size_t family = c % kFamilies;
        set.names.push_back("family " + std::to_string(family) + ", class " + std::to_string(c / kFamilies));
        Matrix center = normals(rng, 1, kClass);
        for (std::size_t j = 0; j < kFeatures; ++j) center(0, j) += families(family, j);
        const Matrix own = normals(rng, kOwnDirections, kOwn / std::sqrt(2.0));
        const auto add = [&](Examples& to, std::size_t rows) {
            for (std::size_t i = 0; i < rows; ++i) {
                float* row = to.x.row(to.labels.size());
                for (std::size_t j = 0; j < kFeatures; ++j)
                    row[j] = center(0, j) + static_cast<float>(kAll * rng.normal());
                vary(rng, shared, row);
                vary(rng, own, row);
                to.labels.push_back(ClassId{static_cast<std::int32_t>(c)});
            }
        };
        add(set.train, kTrain);
        add(set.test, kTest);
    }
    return set;
}

}  // namespace fearnet
