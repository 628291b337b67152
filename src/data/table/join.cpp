#include <algorithm>

#include "fearnet/data/feature_set.hpp"

namespace fearnet {
namespace {

void append(Examples& to, const Examples& from, std::size_t first_row, std::int32_t first_class) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::copy_n(from.x.row(i), from.x.cols(), to.x.row(first_row + i));
        to.labels.push_back(ClassId{first_class + index_of(from.labels[i])});
    }
}

Examples join(const Examples& a, const Examples& b, std::int32_t first_of_b) {
    Examples both;
    both.x = Matrix(a.size() + b.size(), std::max(a.x.cols(), b.x.cols()));
    append(both, a, 0, 0);
    append(both, b, a.size(), first_of_b);
    return both;
}

}  // namespace

FeatureSet join_feature_sets(const FeatureSet& a, const FeatureSet& b) {
    const auto first_of_b = static_cast<std::int32_t>(a.classes());
    FeatureSet both;
    both.name = a.name + "+" + b.name;
    both.train = join(a.train, b.train, first_of_b);
    both.test = join(a.test, b.test, first_of_b);
    for (const FeatureSet* set : {&a, &b})
        for (const std::string& name : set->names) both.names.push_back(set->name + "/" + name);
    return both;
}

}  // namespace fearnet
