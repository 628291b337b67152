#include "fearnet/lab/protocol.hpp"

#include <gtest/gtest.h>

#include "lab/protocol/protocol_json.hpp"
#include "support/data_files.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using Json = nlohmann::ordered_json;

TEST(Protocol, is_the_same_after_its_way_through_json) {
    Protocol protocol{5, 0, 3, {0.25, true, 0.5, 7, 2}};
    Json object{{"dataset", "birds"}};
    put_protocol(object, protocol);
    EXPECT_EQ(object.dump(),
              R"({"dataset":"birds","base_classes":5,"sleep_every":0,"evaluate_every":3,)"
              R"("returning":0.25,"return_next":true,"withheld":0.5,"rows_per_class":7,"shift":2.0})");
    EXPECT_EQ(get_protocol(object), protocol);
}

TEST(Protocol, has_open_world_in_json_only_if_it_is_set) {
    Protocol protocol;
    protocol.open_world = true;
    EXPECT_EQ(protocol_json(protocol),
              R"({"base_classes":0,"sleep_every":10,"evaluate_every":1,"open_world":true})");
    EXPECT_EQ(get_protocol(Json::parse(protocol_json(protocol))), protocol);
}

// Ids of finished runs are made of this text: it must not change.
TEST(Protocol, leaves_out_zeros_of_the_variant_in_json) {
    EXPECT_EQ(protocol_json({}), R"({"base_classes":0,"sleep_every":10,"evaluate_every":1})");
    EXPECT_EQ(get_protocol(Json::object()), Protocol{});
}

TEST(Protocol, refuses_values_that_are_not_allowed_naming_the_field) {
    test::expect_error([] { check_protocol({.sleep_every = -1}); }, {"sleep_every=-1", "0 .. 1000000"});
    test::expect_error([] { check_protocol({.evaluate_every = 0}); }, {"evaluate_every=0"});
    test::expect_error([] { check_protocol({.variant = {.withheld = 2}}); }, {"withheld=2"});
    test::expect_error([] { check_protocol({.variant = {.shift = 1}}); }, {"shift", "return"});
    test::expect_error([] { get_protocol(Json{{"sleep_every", "often"}}); }, {"sleep_every"});
}

}  // namespace
}  // namespace fearnet
