#include <gtest/gtest.h>

#include "support/blobs.hpp"

namespace fearnet {
namespace {

TEST(JoinFeatureSets, puts_the_classes_of_the_second_after_the_first_and_fills_with_zeros) {
    FeatureSet a = test::blob_set(3, 4, 2, 5), b = test::blob_set(2, 3, 1, 3);
    a.name = "a", b.name = "b";
    for (const bool swapped : {false, true}) {
        const FeatureSet &first = swapped ? b : a, &second = swapped ? a : b;
        const FeatureSet both = join_feature_sets(first, second);
        EXPECT_NO_THROW(check_feature_set(both));
        EXPECT_EQ(both.name, first.name + "+" + second.name);
        EXPECT_EQ(both.classes(), 5u);
        EXPECT_EQ(both.width(), 5u);
        EXPECT_EQ(both.names[0], first.name + "/class 0");
        EXPECT_EQ(both.names[first.classes()], second.name + "/class 0");
        for (std::size_t i = 0; i < both.train.size(); ++i) {
            const bool from_first = i < first.train.size();
            const Examples& from = from_first ? first.train : second.train;
            const std::size_t row = from_first ? i : i - first.train.size();
            const auto offset = static_cast<std::int32_t>(from_first ? 0 : first.classes());
            EXPECT_EQ(index_of(both.train.labels[i]), offset + index_of(from.labels[row]));
            for (std::size_t j = 0; j < 5; ++j)
                EXPECT_EQ(both.train.x(i, j), j < from.x.cols() ? from.x(row, j) : 0.0f);
        }
        EXPECT_EQ(both.test.size(), a.test.size() + b.test.size());
    }
}

TEST(Fingerprint, changes_with_every_part_of_the_data_but_not_with_the_name) {
    const FeatureSet set = test::blob_set(3, 4, 2, 5);
    EXPECT_EQ(fingerprint(set).size(), 16u);
    FeatureSet other = set;
    other.name = "another";
    EXPECT_EQ(fingerprint(other), fingerprint(set));
    other = set, other.train.x(11, 4) += 1e-6f;
    EXPECT_NE(fingerprint(other), fingerprint(set));
    other = set, other.test.x(0, 0) = -other.test.x(0, 0);
    EXPECT_NE(fingerprint(other), fingerprint(set));
    other = set, std::swap(other.test.labels.front(), other.test.labels.back());
    EXPECT_NE(fingerprint(other), fingerprint(set));
    other = set, other.names[2] += "x";
    EXPECT_NE(fingerprint(other), fingerprint(set));
    other = set, std::swap(other.train, other.test);
    EXPECT_NE(fingerprint(other), fingerprint(set));
}

}  // namespace
}  // namespace fearnet
