// FeatureSet: a labeled data set of feature vectors, split into training and test rows. The lab works on
// these; load_feature_set (fearnet/data/load.hpp) reads one.
#pragma once

#include <string>
#include <vector>

#include "fearnet/data/table.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Rows with one label each: labels.size() == x.rows().
struct Examples {
    Matrix x;
    std::vector<ClassId> labels;

    std::size_t size() const { return labels.size(); }
    operator LabeledView() const { return {x, labels}; }
};

struct FeatureSet {
    std::string name;  // "cub200": the name of a built-in data set, or of the file without folder and ending
    Examples train;
    Examples test;
    std::vector<std::string> names;             // names[index_of(id)] is the name of class id
    std::string label_source = {};              // where the labels were found: "column 'label'"; may be empty
    std::vector<std::string> warnings = {};     // what is probably wrong with the data, one sentence each
    std::vector<std::string> test_inputs = {};  // what each test row was made of; may be empty
    bool inputs_are_files = false;              // whether they are names of files; otherwise texts

    std::size_t classes() const { return names.size(); }
    std::size_t width() const { return train.x.cols(); }
};

// Makes a FeatureSet of a table. Classes are numbered 0, 1, 2, ... by ascending label: numbers by value,
// texts by bytes. If the table has no split, `test_fraction` of the rows of each class, at least one and not
// all, become test rows; `split_seed` chooses them. Throws Error for a table without labels, and if a split
// must be made and a class has a single row.
FeatureSet feature_set_of(Table table, double test_fraction = 0.2, std::uint64_t split_seed = 1);

// Joins two sets to one named "a+b". The classes of `a` come first; classes are named "a/apple" and "b/bark".
// Narrower rows are padded with zeros. Scale rows to unit length before joining.
FeatureSet join_feature_sets(const FeatureSet& a, const FeatureSet& b);

// A hash of all rows, labels and class names, as 16 hex digits. It does not depend on the name of the set.
// Not cryptographic.
std::string fingerprint(const FeatureSet& set);

// Throws Error unless the set has at least two classes, a training and a test row of every class, rows of one
// width, finite numbers only, and labels that are in range. The message names the set and the first problem.
void check_feature_set(const FeatureSet& set);

}  // namespace fearnet
