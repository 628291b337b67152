// Small made-up data: well separated Gaussian blobs, one per class.
#pragma once

#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::test {

// `rows` examples of each of the classes first .. first + classes - 1. The centers depend on the class and
// the width only, so that sets made with different seeds are of the same classes.
inline Examples blobs(std::size_t first, std::size_t classes, std::size_t rows, std::size_t width,
                      std::uint64_t seed, double spread = 0.25) {
    Examples e;
    e.x = Matrix(classes * rows, width);
    Rng noise(seed);
    for (std::size_t c = 0; c < classes; ++c) {
        Rng center_rng(1000 + first + c);
        std::vector<double> center(width);
        for (double& v : center) v = center_rng.normal();
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < width; ++j)
                e.x(c * rows + r, j) = static_cast<float>(center[j] + spread * noise.normal());
            e.labels.push_back(static_cast<ClassId>(first + c));
        }
    }
    scale_rows_to_unit_length(e.x);
    return e;
}

inline FeatureSet blob_set(std::size_t classes, std::size_t train_rows, std::size_t test_rows,
                           std::size_t width) {
    FeatureSet set;
    set.name = "blobs";
    set.train = blobs(0, classes, train_rows, width, 1);
    set.test = blobs(0, classes, test_rows, width, 2);
    for (std::size_t c = 0; c < classes; ++c) set.names.push_back("class " + std::to_string(c));
    return set;
}

// The numbers of the rows' classes.
inline std::vector<std::int32_t> columns_of(const Examples& e) {
    std::vector<std::int32_t> columns;
    for (const ClassId id : e.labels) columns.push_back(index_of(id));
    return columns;
}

}  // namespace fearnet::test
