// Every test program knows the lab's learners.
#include "fearnet/lab/learners.hpp"

namespace {

[[maybe_unused]] const bool registered = (fearnet::lab::register_learners(), true);

}  // namespace
