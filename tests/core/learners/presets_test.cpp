#include <gtest/gtest.h>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/registry.hpp"

namespace fearnet {
namespace {

struct SomeOptions {
    double rate = 1;
    std::int64_t units = 2;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("some.rate", rate, "A rate.", 0, 10);
        v.option("some.units", units, "Units.", 1, 100);
    }
    static std::vector<Preset> presets() {
        return {{"cub200", {{"some.rate", "3"}}}, {"literal", {{"some.rate", "4"}, {"some.units", "7"}}}};
    }
};

TEST(Presets, several_are_put_in_from_left_to_right_and_one_that_is_not_there_changes_nothing) {
    EXPECT_EQ(preset_options<SomeOptions>("").rate, 1);
    EXPECT_EQ(preset_options<SomeOptions>("cub200").rate, 3);
    EXPECT_EQ(preset_options<SomeOptions>("cub200,literal").rate, 4);
    EXPECT_EQ(preset_options<SomeOptions>("literal,cub200").rate, 3);
    EXPECT_EQ(preset_options<SomeOptions>("literal,cub200").units, 7);
    EXPECT_EQ(preset_options<SomeOptions>("audioset").rate, 1);
    EXPECT_THROW(preset_options<SomeOptions>("imagenet"), Error);
}

TEST(Presets, a_learner_with_a_preset_of_another_name_than_the_known_ones_is_not_registered) {
    LearnerType type;
    type.info.name = "with a preset of its own";
    type.presets = {{"imagenet", {}}};
    EXPECT_THROW(register_learner(type), Error);
    for (const std::string& name : learner_names()) EXPECT_NE(name, type.info.name);
}

}  // namespace
}  // namespace fearnet
