#include <contract/learner_contract.hpp>

#include "outside_mean.hpp"

namespace {

using namespace fearnet::contract;

[[maybe_unused]] const bool registered = (outside::register_mean(), true);

std::vector<Subject> subjects() {
    return {{"defaults", fearnet::learner_spec(outside::MeanOptions{})},
            {"scaled", fearnet::learner_spec(outside::MeanOptions{.scale = 100})}};
}

INSTANTIATE_TEST_SUITE_P(Outside, LearnerContract, testing::ValuesIn(subjects()), name_of_subject);

}  // namespace
