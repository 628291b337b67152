// Includes every header of the core: teaching, predicting with and saving classifiers. Start with
// fearnet/brain.hpp.
#pragma once

#include "fearnet/brain.hpp"
#include "fearnet/error.hpp"
#include "fearnet/fearnet_options.hpp"
#include "fearnet/learner.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/onnx.hpp"
#include "fearnet/options.hpp"
#include "fearnet/output_file.hpp"
#include "fearnet/plus_options.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/scoring_learner.hpp"
#include "fearnet/state.hpp"
#include "fearnet/threads.hpp"
