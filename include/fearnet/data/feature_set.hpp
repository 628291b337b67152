// A data set: feature vectors with labels, split into training and test rows.
#pragma once

#include <string>
#include <vector>

#include "fearnet/data/table.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Rows with one label each.
struct Examples {
    Matrix x;
    std::vector<ClassId> labels;

    std::size_t size() const { return labels.size(); }
    operator LabeledView() const { return {x, labels}; }
};

struct FeatureSet {
    std::string name;  // "cub200": the built-in name, or the file's without folder and ending
    Examples train;
    Examples test;
    std::vector<std::string> names;          // names[index_of(id)] is what the user calls the class
    std::string label_source = {};           // where a file has its labels: "column 'label'"; may be empty
    std::vector<std::string> warnings = {};  // what is likely wrong with the data, one sentence each

    std::size_t classes() const { return names.size(); }
    std::size_t width() const { return train.x.cols(); }
};

// The table with dense class ids: numbers in ascending order, text in byte order. Without a split of its own
// `test_fraction` of every class, chosen by `split_seed`, becomes test rows. Throws Error for a table without
// labels.
FeatureSet feature_set_of(Table table, double test_fraction = 0.2, std::uint64_t split_seed = 1);

// Both sets as one, "a+b": the classes of `b` come after those of `a`, named "a/apple" and "b/bark". Narrower
// rows are filled up with zeros, so scale to unit length before.
FeatureSet join_feature_sets(const FeatureSet& a, const FeatureSet& b);

// 16 hex digits that change when anything but the set's name does.
std::string fingerprint(const FeatureSet& set);

// Throws Error unless the set can be learned from: at least two classes, every class with at least one
// training and one test row, one width, only finite numbers, labels in range. The message names the file, the
// numbers and the first bad place.
void check_feature_set(const FeatureSet& set);

}  // namespace fearnet
