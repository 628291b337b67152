// The constants of FearNet plus that matter most for accuracy and cost. docs/notebook/fearnet_plus.md says
// how accuracy changes with most of them. Other constants, such as batch sizes and guards against rounding,
// are in the files that use them.
#pragma once

#include <array>
#include <cstddef>

namespace fearnet {

// The largest number of principal axes of a class covariance, and the number of rows that the class must have
// for each axis: axes of fewer rows fit noise.
inline constexpr std::size_t kAxes = 8, kRowsPerAxis = 3;
// The largest sample of a class's rows in which its axes are found: kSample in a session after the first,
// kSleepSample in the base session and in sleep. All rows of the class then refine the axes.
inline constexpr std::size_t kSample = 48, kSleepSample = 1024;
// The accuracy of candidates is compared on this many rows, or on a quarter of all rows if these are more:
// class covariances fitted to few of a class's rows look worse than they are.
inline constexpr std::size_t kAskedRows = 8192;
// The largest number of rows whose leave-one-out scores calibrate probabilities and familiarity. More rows are
// asked than in the comparison because class covariances fitted to few rows make the scores too low.
inline constexpr std::size_t kSketchedRows = 16384;
// Once this many classes were asked, sleep asks the rows of further ones instead of learn.
inline constexpr std::size_t kEnoughClasses = 32;
// With more classes than this, kAxes and kAskedRows are reduced in inverse proportion to the number of
// classes.
inline constexpr std::size_t kManyClasses = 1024;
// The ratio of neighboring ridges that are tried.
inline constexpr double kRidgeFactor = 3;
// The strengths of class covariances that are tried.
inline constexpr std::array kStrengths = {0.1, 0.3, 1.0};
// The strength of the shrinkage of the class means, as a multiple of their sampling variance.
inline constexpr double kNoise = 2;
// Random features per given feature: they are tried if there are at least kLeastPerFeature, and there are
// never more than kMostPerFeature, because further ones add little information.
inline constexpr std::size_t kLeastPerFeature = 3, kMostPerFeature = 128;
// From this many given features on, the weights of random features are drawn with the covariance of the rows.
inline constexpr std::size_t kManyFeatures = 64;
// The standard deviation of the bias of a random feature. That of its weighted sum is about one.
inline constexpr float kBias = 0.5f;

}  // namespace fearnet
