// Groups of rows that come from Gaussian classes of unknown means; the number of groups is found, not given.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// The two-covariance model: the mean of a class is normal with variance between[j] in column j around zero,
// and a row is normal with variance 1 in each column around the mean of its class.
//
// The log-likelihood of `count` rows with these column sums as one class, up to a term that no partition of
// the rows changes:
//     sum_j  -1/2 log(1 + count between[j]) + 1/2 between[j] sums[j]^2 / (1 + count between[j])
double log_likelihood_of_group(double count, std::span<const double> sums, std::span<const double> between);

// Classes whose rows are not among those to group: one row of `means` and one count for each.
struct KnownClasses {
    MatrixView means;
    std::span<const double> counts;
};

// The group of each row: g >= 0 for a new group, or -1 - k for known class k. Groups are numbered from the
// largest to the smallest; groups of the same size by their first row.
//
// Starts with one group per row, merges the two groups whose union raises the likelihood most until none
// does, and then moves single rows as long as that raises it. Known classes are not merged with each other.
// Of more than kMostMerged rows, as many are merged, evenly spaced; the others are moved to the groups that
// these form. Takes O(n^2 columns) time and O(n^2) memory for n merged rows and known classes.
//
// The result is the same for any number of threads, and for another order of the rows unless two merges
// raise the likelihood by exactly the same amount or rows are left out of merging.
inline constexpr std::size_t kMostMerged = 4096;
std::vector<std::ptrdiff_t> gaussian_groups(MatrixView x, std::span<const double> between,
                                            const KnownClasses& known = {},
                                            std::size_t most_merged = kMostMerged);

}  // namespace fearnet::math
