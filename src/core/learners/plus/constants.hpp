// The numbers of FearNet plus that shape its answers. docs/notebook/fearnet_plus.md says what each of them is
// worth. Every other constant of this folder is an amount of work at a time or a guard against rounding.
#pragma once

#include <array>
#include <cstddef>

namespace fearnet {

// Principal axes of a class covariance, and rows that the class must have for each of them: axes of fewer
// rows fit noise.
inline constexpr std::size_t kAxes = 8, kRowsPerAxis = 3;
// Rows of a class that its axes are looked for in: when it is taught, and in the base session and in sleep.
// All its rows then refine the axes.
inline constexpr std::size_t kSample = 48, kSleepSample = 1024;
// Rows that candidates are compared with.
inline constexpr std::size_t kAskedRows = 8192;
// With more classes than this, each class has fewer axes and fewer rows are asked, in proportion.
inline constexpr std::size_t kManyClasses = 1024;
// The ridges that are tried are this factor apart.
inline constexpr double kRidgeFactor = 3;
// The strengths of class covariances that are tried.
inline constexpr std::array kStrengths = {0.1, 0.3, 1.0};
// The shrinkage of the class means, as a multiple of their sampling variance.
inline constexpr double kNoise = 2;
// Random features are tried if there are at least so many for every given feature, and never made more than
// so many: more of the same few say little new.
inline constexpr std::size_t kLeastPerFeature = 3, kMostPerFeature = 128;
// From this many given features on, the weights of random features are drawn with the covariance of the rows.
inline constexpr std::size_t kManyFeatures = 64;
// The standard deviation of what is added to the random sums, whose own one is about one.
inline constexpr float kBias = 0.5f;

}  // namespace fearnet
